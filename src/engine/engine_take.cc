// Runs that wait: which of them this node could start, and the places that they wait for.
//
// What could start if there were a place waits in a queue of its group, so that a place that
// becomes free costs the same however many wait for it.
#include <algorithm>

#include "engine/engine.h"

namespace cronce {
namespace {

constexpr std::int64_t kPlenty = 1'000'000;

}  // namespace

Engine::Group& Engine::group_of(const JobRow& job) {
  const auto& limit = job.definition->concurrency;
  return groups_[limit ? limit->group : std::string{}];
}

/// As far as the rows tell; the store judges it again.
std::int64_t Engine::places_in(const Group& group, const Now& now) const {
  if (now.boot < group.not_before) return 0;
  return group.max ? *group.max - group.live : kPlenty;
}

std::int64_t Engine::free_places() const {
  const std::int64_t most = settings_.self.max_running;
  const auto running = static_cast<std::int64_t>(running_.size());
  return most == 0 ? kPlenty : most - running;
}

void Engine::now_live(JobRow& row, const RunId& run, Fence fence) {
  row.live.push_back({run, incarnation_, fence});
  ++group_of(row).live;
}

void Engine::no_longer_live(JobRow& row, const RunId& run) {
  const auto ended = std::erase_if(row.live, [&](const LiveRun& live) { return live.id == run; });
  Group& group = group_of(row);
  group.live -= static_cast<std::int64_t>(ended);
  group.not_before = Duration{0};
}

/// When the first in rank would take a run of this job, if there is a place.
std::optional<Time> Engine::take_time(const Watched& job) const {
  const JobRow& row = job.row;
  const bool free = row.live.empty() || row.definition->overlap == Overlap::allow;
  if (row.pending.empty() || row.retired() || !free || !fits_here(row)) return std::nullopt;
  std::optional<Time> take;
  for (const PendingRun& pending : row.pending) {
    if (row.paused() && pending.id.space != Space::manual) continue;
    const Time acts = std::max(pending.due, job.free_since);
    take = take ? std::min(*take, acts) : acts;
  }
  return take;
}

/// The boot time at which a run could be taken.
std::optional<Duration> Engine::next_take(const Now& now) const {
  std::optional<Duration> next;
  if (free_places() <= 0) return next;
  for (const auto& [name, group] : groups_) {
    if (group.takes.empty() || (group.max && group.live >= *group.max)) continue;
    const Duration until = group.takes.begin()->first - now.cluster;
    const Duration time = std::max(now.boot + until, group.not_before);
    next = next ? std::min(*next, time) : time;
  }
  return next;
}

std::vector<RunId> Engine::compose_take(const Now& now) {
  Due due;
  std::map<const Group*, std::int64_t> places;
  std::int64_t here = free_places();
  if (here <= 0) return {};
  for (auto& [name, group] : groups_) {
    const bool due_yet = !group.takes.empty() && group.takes.begin()->first <= now.cluster;
    if (!due_yet || places_in(group, now) <= 0) continue;
    places[&group] = places_in(group, now);
    const Due of_group = ready(group.takes, &Watched::take, now);
    due.insert(due.end(), of_group.begin(), of_group.end());
  }
  by_priority(due);
  std::vector<RunId> runs;
  for (const Watched* job : due) {
    const JobRow& row = job->row;
    std::int64_t& there = places.at(&group_of(row));
    for (const PendingRun& pending : row.pending) {
      const bool allowed = !row.paused() || pending.id.space == Space::manual;
      if (pending.due > now.cluster || !allowed || here <= 0 || there <= 0) continue;
      runs.push_back(pending.id);
      --here;
      --there;
      if (row.definition->overlap != Overlap::allow) break;
    }
  }
  return runs;
}

void Engine::took(const std::vector<RunId>& runs, const std::vector<TakeAnswer>& answers,
                  const Now& now) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto known = jobs_.find(runs[i].job);
    if (known == jobs_.end()) continue;
    JobRow& row = known->second.row;
    if (answers[i].claim) {
      std::erase_if(row.pending, [&](const PendingRun& p) { return p.id == runs[i]; });
      now_live(row, runs[i], answers[i].claim->fence);
      accept(*answers[i].claim, now);
    } else if (answers[i].refused == Refused::gone) {
      std::erase_if(row.pending, [&](const PendingRun& p) { return p.id == runs[i]; });
    }
    // Who waits for a place waits for news of it, which come by beats.
    const bool full = answers[i].refused == Refused::full;
    const bool busy = answers[i].refused == Refused::busy;
    if (full) group_of(row).not_before = now.boot + settings_.lease.beat;
    schedule_wake(known->second, now.cluster + (busy ? settings_.lease.beat : kPatience));
  }
}

}  // namespace cronce
