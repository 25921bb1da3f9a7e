// What the engine knows of jobs: their rows, who may run them, and when to look at them again.
#include <algorithm>

#include "engine/engine.h"
#include "engine/rank.h"

namespace cronce {

void Engine::learn(const JobRow& row, const Now& now) {
  const auto known = jobs_.find(row.uid);
  if (known != jobs_.end() && known->second.row.plan.turn > row.plan.turn) return;  // older news
  if (known != jobs_.end()) {
    const auto& before = known->second.row.definition;
    if (before->name != row.definition->name) by_name_.erase(before->name.text());
    if (before->concurrency) by_group_[before->concurrency->group].erase(row.uid);
    if (before->schedule == row.definition->schedule) {
      replace_row(known->second, row, now);
      return index(known->second);
    }
    drop_wake(known->second);
  }
  auto schedule = Schedule::build(row.definition->schedule, settings_.find_zone);
  if (!schedule) return;  // of a newer version: nodes that understand it decide it
  const auto job = jobs_.insert_or_assign(row.uid, Watched{{row, *std::move(schedule)}}).first;
  index(job->second);
}

void Engine::replace_row(Watched& job, const JobRow& row, const Now& now) {
  const bool ranks_alike = job.row.definition == row.definition && job.row.sources == row.sources &&
                           job.row.pointed_by == row.pointed_by;
  if (!ranks_alike) job.rank.reset();
  if (row.live.size() < job.row.live.size()) job.free_since = now.cluster;
  job.row = row;
}

/// Everything that is found by something else than its uid.
void Engine::index(Watched& job) {
  const JobRow& row = job.row;
  const JobUid uid = row.uid;
  const bool active = !row.retired();
  if (!row.whole) by_name_[row.definition->name.text()] = uid;
  if (row.whole && row.member == settings_.self.name) {
    if (active) own_members_[*row.whole] = uid;
    if (!active) own_members_.erase(*row.whole);
  }
  if (active && row.is_whole()) {
    wholes_.insert(uid);
  } else {
    wholes_.erase(uid);
  }
  if (active && knows_more(settings_.self, row.pointed_by)) to_compare_.insert(uid);
  const auto& limit = row.definition->concurrency;
  if (limit) by_group_[limit->group].insert(uid);
  schedule_wake(job, kMinTime);
  if (limit) wake_waiting(by_group_[limit->group]);
}

void Engine::forget_jobs() {
  known_changes_ = 0;
  jobs_.clear();
  by_name_.clear();
  by_group_.clear();
  waiting_.clear();
  to_compare_.clear();
  wholes_.clear();
  own_members_.clear();
  absent_.clear();
  wakes_.clear();
  standing_by_.clear();
  for (auto& [source, offer] : offers_) {
    offer = {std::move(offer.offered), true, false, Duration{0}, {}};
  }
}

/// A share of a job that runs everywhere ends when its node has been gone for long.
void Engine::watch_absent(const Now& now) {
  for (const auto& [uid, job] : jobs_) {
    const JobRow& row = job.row;
    const bool absent = row.whole && !row.retired() && !members_.lives(row.member);
    if (absent) absent_.try_emplace(uid, now.boot);
    if (!absent) absent_.erase(uid);
  }
}

/// A node with files runs only what its files say; one without runs anything registered.
bool Engine::fits(const Node& node, const JobRow& job) const {
  if (!node.works || node.leaving || members_.suspect(node.incarnation)) return false;
  if (job.whole && job.member != node.name) return false;
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
  const Node* self = members_.self();
  return !leaves() && self != nullptr && fits(*self, job);
}

bool Engine::anyone_fits(const JobRow& job) const {
  const auto& all = members_.all();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& member) { return fits(*member.second.node, job); });
}

bool Engine::suspects_live(const JobRow& job) const {
  return std::any_of(job.live.begin(), job.live.end(),
                     [&](const LiveRun& live) { return members_.suspect(live.incarnation); });
}

/// As far as the rows tell; the store judges it again.
bool Engine::group_has_place(const JobRow& job) const {
  const auto& limit = job.definition->concurrency;
  if (!limit) return true;
  std::int64_t live = 0;
  for (const JobUid uid : by_group_.at(limit->group)) {
    live += static_cast<std::int64_t>(jobs_.at(uid).row.live.size());
  }
  return live < limit->max;
}

std::int64_t Engine::free_places() const {
  constexpr std::int64_t kPlenty = 1'000'000;
  const std::int64_t most = settings_.self.max_running;
  const auto running = static_cast<std::int64_t>(running_.size());
  return most == 0 ? kPlenty : most - running;
}

std::size_t Engine::rank_here(const JobRow& job) const {
  std::vector<Candidate> candidates;
  candidates.reserve(members_.all().size());
  for (const auto& [incarnation, member] : members_.all()) {
    if (!member.node->schedules || members_.suspect(incarnation)) continue;
    const bool older = knows_less(*member.node, job.pointed_by);
    const Tier tier = fits(*member.node, job) ? Tier::fits : Tier::decides;
    candidates.push_back({incarnation, older ? Tier::older : tier});
  }
  return rank_of(job.uid, incarnation_, candidates);
}

/// When the home of this job would ask something about it: its next slot, the end of a pause, a
/// pending run that may start, or one that has waited too long.
std::optional<Time> Engine::wake_time(const Watched& job) const {
  const JobRow& row = job.row;
  if (row.retired() || row.only_exec) return std::nullopt;
  if (row.is_whole()) return row.pause ? row.pause->until : std::nullopt;
  if (row.whole && (leaves() || row.member != settings_.self.name)) return std::nullopt;
  std::optional<Time> wake = next_due(job);
  const auto also = [&](Time time) { wake = wake ? std::min(*wake, time) : time; };
  if (row.pause && row.pause->until && !row.whole) also(*row.pause->until);
  if (row.pending.empty()) return wake;
  const bool free = row.live.empty() || row.definition->overlap == Overlap::allow;
  const bool could_start = free && fits_here(row) && free_places() > 0 && group_has_place(row);
  const auto window = start_window(*row.definition);
  for (const PendingRun& pending : row.pending) {
    const bool manual = pending.id.space == Space::manual;
    const bool startable = could_start && (!row.paused() || manual);
    const bool lapsed = pending.deferred && !row.live.empty() && !suspects_live(row);
    if (startable || lapsed) also(std::max(pending.due, job.free_since));
    if (window && !manual) also(pending.due + *window + Duration{1});
  }
  return wake;
}

void Engine::schedule_wake(Watched& job, Time earliest) {
  drop_wake(job);
  const JobUid uid = job.row.uid;
  if (job.row.pending.empty()) {
    waiting_.erase(uid);
  } else {
    waiting_.insert(uid);
  }
  const auto acts = wake_time(job);
  if (!acts) return;
  job.acts = *acts;
  if (!job.rank) job.rank = rank_here(job.row);
  job.wake = std::max(*acts + standby_delay(*job.rank, settings_.standby), earliest);
  wakes_.insert({*job.wake, uid});
}

void Engine::drop_wake(Watched& job) {
  if (!job.wake) return;
  wakes_.erase({*job.wake, job.row.uid});
  job.wake.reset();
}

/// Something that these jobs' pending runs may have waited for is free.
void Engine::wake_waiting(const std::set<JobUid>& jobs) {
  for (const JobUid uid : std::vector<JobUid>(jobs.begin(), jobs.end())) {
    if (waiting_.contains(uid)) schedule_wake(jobs_.at(uid), kMinTime);
  }
}

/// Who acts for whom has changed.
void Engine::rank_all_anew() {
  for (auto& [uid, job] : jobs_) {
    job.rank.reset();
    schedule_wake(job, kMinTime);
  }
}

}  // namespace cronce
