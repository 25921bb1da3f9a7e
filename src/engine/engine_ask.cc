// What the engine asks: the entries of its next write, made of all that is wanted at that moment.
#include <algorithm>

#include "engine/engine.h"

namespace cronce {
namespace {

constexpr std::size_t kMostEntries = 1'000;

}  // namespace

// ---------------------------------------------------------------------------------

SlotToRun::How Engine::how_to_run(const KnownJob& job, std::int64_t places) const {
  if (!fits_here(job.row) || places <= 0) return SlotToRun::How::enqueue;
  const bool skips = job.row.definition->overlap == Overlap::skip;
  if (skips && !job.row.live.empty() && suspects_live(job.row)) return SlotToRun::How::defer;
  return SlotToRun::How::run;
}

DecideAsk Engine::compose_decide(const Now& now) const {
  DecideAsk ask;
  std::int64_t places = free_places();
  for (const auto& [wake, uid] : wakes_) {
    if (wake > now.cluster || ask.entries.size() >= kMostEntries) break;
    const KnownJob& job = jobs_.at(uid);
    auto entry = owed(job, now.cluster, how_to_run(job, places));
    if (entry) {
      places -= static_cast<std::int64_t>(!entry->runs.empty());
      ask.entries.push_back(*std::move(entry));
    }
    add_lapses(job, now, ask);
  }
  return ask;
}

void Engine::add_lapses(const KnownJob& job, const Now& now, DecideAsk& ask) const {
  const JobRow& row = job.row;
  for (const PendingRun& pending : row.pending) {
    const bool overlaps = pending.deferred && !row.live.empty() && !suspects_live(row);
    const auto window = row.definition->catch_up.window;
    const bool old = window && pending.kind != RunKind::manual &&
                     now.cluster - pending.due > std::max(*window, row.definition->grace);
    if (overlaps) {
      ask.lapses.push_back({pending.id, Reason::overlap});
    } else if (old) {
      ask.lapses.push_back({pending.id, anyone_fits(row) ? Reason::expired : Reason::no_node});
    }
  }
}

std::vector<RunId> Engine::compose_take(const Now& now) const {
  std::vector<RunId> runs;
  std::int64_t places = free_places();
  for (const auto& [wake, uid] : wakes_) {
    if (wake > now.cluster || runs.size() >= kMostEntries) break;
    const JobRow& row = jobs_.at(uid).row;
    const bool alone = row.definition->overlap != Overlap::allow;
    if (!fits_here(row) || (alone && !row.live.empty())) continue;
    for (const PendingRun& pending : row.pending) {
      const bool allowed = !row.paused() || pending.kind == RunKind::manual;
      if (pending.due > now.cluster || !allowed || places <= 0) continue;
      runs.push_back(pending.id);
      --places;
      if (alone) break;
    }
  }
  return runs;
}

/// Store time; but after its clock went back, what the job has settled is later.
Time Engine::settled_until(const Job& job) const {
  Time settled = store_time_;
  for (const auto& [uid, known] : jobs_) {
    const JobName& name = known.row.definition->name;
    if (name == job.name || name == job.was) settled = std::max(settled, known.row.plan.cursor);
  }
  return settled;
}

RegisterAsk Engine::compose_register() const {
  RegisterAsk ask;
  ask.source = offered_->set.source;
  ask.digest = offered_->digest;
  ask.generation = offered_->set.generation;
  for (const Job& job : offered_->set.jobs) {
    const auto schedule = Schedule::build(job.schedule);
    CHECK(schedule.ok());  // a job that was read from a file builds
    const Time base = settled_until(job);
    JobToRegister entry{job, base, schedule->first_after(base), std::nullopt};
    if (const auto delay = schedule->delay_after_end()) {
      entry.next = std::chrono::ceil<Seconds>(base) + *delay;
    } else if (!entry.next) {
      entry.past = schedule->last_at_or_before(store_time_);
    }
    ask.jobs.push_back(std::move(entry));
  }
  for (const auto& [uid, job] : jobs_) {
    const auto& name = job.row.definition->name.text();
    if (std::find(owing_.begin(), owing_.end(), name) == owing_.end()) continue;
    if (auto entry = owed(job, store_time_, how_to_run(job, free_places()))) {
      ask.settle.push_back(*std::move(entry));
    }
  }
  return ask;
}

}  // namespace cronce
