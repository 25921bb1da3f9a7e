// What the engine knows of jobs: their rows, who may run them, and when to look at them again.
#include <algorithm>

#include "engine/engine.h"
#include "engine/rank.h"

namespace cronce {

void Engine::learn(const JobRow& row) {
  const auto known = jobs_.find(row.uid);
  if (known != jobs_.end() && known->second.row.plan.turn > row.plan.turn) return;  // older news
  if (known != jobs_.end() && known->second.row.definition->schedule == row.definition->schedule) {
    known->second.row = row;
    return;
  }
  auto schedule = Schedule::build(row.definition->schedule);
  if (!schedule) return;  // of a newer version: nodes that understand it decide it
  jobs_.insert_or_assign(row.uid, KnownJob{row, *std::move(schedule)});
}

/// A node with files runs only what its files say; one without runs anything registered.
bool Engine::fits(const Node& node, const JobRow& job) const {
  if (!node.works || node.leaving || members_.suspect(node.incarnation)) return false;
  for (const auto& [key, value] : job.definition->on) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  if (node.digests.empty()) return true;
  return std::any_of(job.sources.begin(), job.sources.end(), [&](const auto& source) {
    const auto offered = node.digests.find(source.first);
    return offered != node.digests.end() && offered->second == source.second;
  });
}

bool Engine::fits_here(const JobRow& job) const {
  const auto self = members_.nodes().find(incarnation_);
  return leaving_ == Leaving::no && self != members_.nodes().end() && fits(*self->second, job);
}

bool Engine::anyone_fits(const JobRow& job) const {
  const auto& nodes = members_.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto& node) { return fits(*node.second, job); });
}

bool Engine::suspects_live(const JobRow& job) const {
  return std::any_of(job.live.begin(), job.live.end(),
                     [&](const LiveRun& live) { return members_.suspect(live.incarnation); });
}

std::int64_t Engine::free_places() const {
  constexpr std::int64_t kPlenty = 1'000'000;
  const std::int64_t most = settings_.self.max_running;
  const auto running = static_cast<std::int64_t>(running_.size());
  return most == 0 ? kPlenty : most - running;
}

Duration Engine::delay_for(const KnownJob& job) const {
  std::vector<Candidate> candidates;
  for (const auto& [incarnation, node] : members_.nodes()) {
    if (node->schedules && !members_.suspect(incarnation)) {
      candidates.push_back({incarnation, fits(*node, job.row)});
    }
  }
  return standby_delay(rank_of(job.row.uid, incarnation_, candidates), settings_.standby);
}

/// When this node should next ask something about a job: its next slot, a pending run that may
/// start, or one that has waited too long.
std::optional<Time> Engine::wake_time(const KnownJob& job) const {
  const JobRow& row = job.row;
  if (row.retired()) return std::nullopt;
  std::optional<Time> wake = next_due(job);
  const auto also = [&](Time time) { wake = wake ? std::min(*wake, time) : time; };
  const bool free = row.live.empty() || row.definition->overlap == Overlap::allow;
  for (const PendingRun& pending : row.pending) {
    const bool startable = free && fits_here(row) && free_places() > 0 &&
                           (!row.paused() || pending.kind == RunKind::manual);
    const bool lapsed = pending.deferred && !row.live.empty() && !suspects_live(row);
    if (startable || lapsed) also(pending.due);
    const auto window = row.definition->catch_up.window;
    if (window && pending.kind != RunKind::manual)
      also(pending.due + *window + row.definition->grace);
  }
  if (wake) *wake += delay_for(job);
  return wake;
}

void Engine::schedule_wake(const KnownJob& job, Time earliest) {
  drop_wake(job.row.uid);
  const auto wake = wake_time(job);
  if (!wake) return;
  const Time time = std::max(*wake, earliest);
  wakes_.insert({time, job.row.uid});
  wake_of_[job.row.uid] = time;
}

void Engine::drop_wake(JobUid uid) {
  const auto wake = wake_of_.find(uid);
  if (wake == wake_of_.end()) return;
  wakes_.erase({wake->second, uid});
  wake_of_.erase(wake);
}

void Engine::reschedule_all() {
  wakes_.clear();
  wake_of_.clear();
  for (const auto& [uid, job] : jobs_) schedule_wake(job, kMinTime);
}

}  // namespace cronce
