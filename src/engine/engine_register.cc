// What the engine asks about the files of its own node: that the store take them as the definitions
// of their source.
#include <algorithm>

#include "base/check.h"
#include "engine/engine.h"

namespace cronce {

/// When an offer should be registered, if so.
std::optional<Duration> Engine::register_time(const Offer& offer) const {
  if (!offer.wanted || leaves()) return std::nullopt;
  return offer.not_before;
}

/// A plan that begins must begin now: whoever doubts what time it is waits.
const Engine::Offer* Engine::offer_to_register(const Now& now) const {
  if (now.doubted) return nullptr;
  for (const auto& [source, offer] : offers_) {
    const auto time = register_time(offer);
    if (time && *time <= now.boot) return &offer;
  }
  return nullptr;
}

Engine::Cursors Engine::cursors() const {
  Cursors found;
  for (const auto& [uid, job] : jobs_) {
    if (!job.row.whole) found[job.row.definition->name.text()] = job.row.plan.cursor;
  }
  return found;
}

JobToRegister Engine::compose_job(const Shared<Job>& job, const Cursors& cursors) const {
  const auto schedule = Schedule::build(job->schedule, settings_.find_zone);
  CHECK(schedule.ok());  // a job that was read from a file builds
  // Store time; but after its clock went back, what the job has settled is later.
  Time base = store_time_;
  for (const JobName* name : {&job->name, job->was ? &*job->was : nullptr}) {
    if (name == nullptr) continue;
    const auto known = cursors.find(name->text());
    if (known != cursors.end()) base = std::max(base, known->second);
  }
  JobToRegister entry{job, base, first_slot(*schedule, base), std::nullopt};
  if (!entry.next) entry.past = schedule->last_at_or_before(store_time_);
  return entry;
}

RegisterAsk Engine::compose_register(const Offer& offer) const {
  RegisterAsk ask;
  ask.source = offer.offered.set.source;
  ask.digest = offer.offered.digest;
  ask.generation = offer.offered.set.generation;
  ask.jobs.reserve(offer.offered.set.jobs.size());
  const Cursors settled = cursors();
  for (const Shared<Job>& job : offer.offered.set.jobs) {
    ask.jobs.push_back(compose_job(job, settled));
  }
  if (offer.owing.empty()) return ask;
  for (const auto& [uid, job] : jobs_) {
    if (!offer.owing.contains(job.row.definition->name.text())) continue;
    if (auto entry = owed(job, store_time_, how_to_run(job, free_places()))) {
      ask.settle.push_back(*std::move(entry));
    }
  }
  return ask;
}

void Engine::registered(const RegisterAsk& ask, const RegisterAnswer& answer, const Now& now) {
  for (std::size_t i = 0; i < answer.settled.size(); ++i) {
    decided(ask.settle[i], answer.settled[i], now);
  }
  beat_wanted_ = true;
  const auto found = offers_.find(ask.source);
  if (found == offers_.end() || found->second.offered.digest != ask.digest) return;
  Offer& offer = found->second;
  offer.owing.clear();
  offer.superseded = answer.registered == Registered::superseded;
  offer.not_before = now.boot + (offer.superseded ? settings_.lease.beat : kPatience);
  if (answer.refused != Refused::none) return;
  // What was superseded may come back when nobody alive offers its successor any more: the store
  // knows who does, and is asked once a beat.
  const bool owing = answer.registered == Registered::owing;
  if (owing) offer.owing.insert(answer.jobs.begin(), answer.jobs.end());
  offer.wanted = owing || offer.superseded || answer.registered == Registered::early;
}

}  // namespace cronce
