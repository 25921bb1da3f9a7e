// What the engine asks about the files of its own node: that the store take them as the definitions
// of their source.
#include <algorithm>

#include "base/check.h"
#include "engine/engine.h"
#include "model/codec.h"

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

JobToRegister Engine::compose_job(const Job& job) const {
  const auto schedule = Schedule::build(job.schedule, settings_.find_zone);
  CHECK(schedule.ok());  // a job that was read from a file builds
  // Store time; but after its clock went back, what the job has settled is later.
  Time base = store_time_;
  for (const JobName* name : {&job.name, job.was ? &*job.was : nullptr}) {
    if (name == nullptr) continue;
    const auto known = by_name_.find(name->text());
    if (known != by_name_.end()) base = std::max(base, jobs_.at(known->second).row.plan.cursor);
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
  ask.jobs.reserve(offer.offered.set.jobs.size() + offer.packed.size());
  for (const Job& job : offer.offered.set.jobs) ask.jobs.push_back(compose_job(job));
  for (const std::string& job : offer.packed) ask.jobs.push_back(compose_job(*decode_job(job)));
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
  if (!offer.wanted) pack(offer);
}

/// They are needed again only if the store forgets them.
void Engine::pack(Offer& offer) {
  auto& jobs = offer.offered.set.jobs;
  offer.packed.reserve(offer.packed.size() + jobs.size());
  for (const Job& job : jobs) offer.packed.push_back(encode(job));
  jobs = {};
}

}  // namespace cronce
