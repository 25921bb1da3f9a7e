// What the engine knows of jobs: their rows, who may run them, and when to look at them again.
#include <algorithm>
#include <string_view>

#include "engine/engine.h"
#include "engine/rank.h"

namespace cronce {
namespace {

/// Equal values that many hold become one.
template <class T>
void unite(Shared<T>& value, Shared<T>& last) {
  if (value == last) {
    value = last;
  } else {
    last = value;
  }
}

}  // namespace

void Engine::learn(const JobRow& row, const Now& now) {
  const auto known = jobs_.find(row.uid);
  if (known != jobs_.end() && known->second.row.plan.turn > row.plan.turn) return;  // older news
  look_for_notices(row, known == jobs_.end() ? nullptr : &known->second.row);
  if (known != jobs_.end()) {
    unindex(known->second);
    if (known->second.row.definition->schedule == row.definition->schedule) {
      replace_row(known->second, row, now);
      return index(known->second);
    }
    jobs_.erase(known);
  }
  auto schedule = schedules_.build(row.definition->schedule, settings_.find_zone);
  if (!schedule) return;  // of a newer version: nodes that understand it decide it
  const auto job = jobs_.emplace(row.uid, Watched{{to_keep(row), *std::move(schedule)}}).first;
  index(job->second);
}

/// A node with files tells what its files say, to whom they say.
void Engine::look_for_notices(const JobRow& row, const JobRow* before) {
  const Node* self = members_.self();
  const auto wants = [](const JobRow& job) { return !job.definition->notify->on.empty(); };
  const bool wanted = wants(row) && self != nullptr && offers(*self, row) && is_as_offered(row);
  const bool was_wanted = before != nullptr && wants(*before);
  if (wanted || was_wanted) actions_.push_back(LookForNotices{row, wanted});
}

/// With many jobs nothing should be in memory twice: neither a definition that this node offers
/// itself, nor what the rows of a file have in common.
JobRow Engine::to_keep(JobRow row) {
  unite(row.sources, same_.sources);
  unite(row.pointed_by, same_.pointed_by);
  unite(row.moved_by, same_.moved_by);
  for (const auto& [source, offer] : offers_) {
    const Shared<Job>* job = offer.find(row.definition->name);
    if (job == nullptr || !(*job == row.definition)) continue;
    row.definition = *job;
    break;
  }
  return row;
}

void Engine::replace_row(Watched& job, const JobRow& row, const Now& now) {
  const bool ranks_alike = job.row.definition == row.definition && job.row.sources == row.sources &&
                           job.row.pointed_by == row.pointed_by;
  if (!ranks_alike) job.ranks.reset();
  if (row.live.size() < job.row.live.size()) job.free_since = now.cluster;
  job.row = to_keep(row);
}

/// Everything that is found by something else than its uid.
void Engine::index(Watched& job) {
  const JobRow& row = job.row;
  const JobUid uid = row.uid;
  const bool active = !row.retired();
  const bool own = row.whole && *row.member == settings_.self.name;
  if (own) (active ? own_members_ : former_members_)[*row.whole] = uid;
  if (active && row.whole) shares_.insert(uid);
  if (active && row.is_whole()) wholes_.insert(uid);
  if (active && knows_more(settings_.self, row.pointed_by)) to_compare_.insert(uid);
  Group& group = group_of(row);
  const auto& limit = row.definition->concurrency;
  group.max = limit ? std::optional(limit->max) : std::nullopt;
  group.live += static_cast<std::int64_t>(row.live.size());
  group.not_before = Duration{0};
  schedule_wake(job, kMinTime);
}

void Engine::unindex(Watched& job) {
  const JobRow& row = job.row;
  drop_wake(job);
  if (row.whole && *row.member == settings_.self.name) {
    own_members_.erase(*row.whole);
    former_members_.erase(*row.whole);
  }
  shares_.erase(row.uid);
  wholes_.erase(row.uid);
  to_compare_.erase(row.uid);
  group_of(row).live -= static_cast<std::int64_t>(row.live.size());
}

void Engine::forget_jobs() {
  known_changes_ = 0;
  jobs_.clear();
  groups_.clear();
  to_compare_.clear();
  wholes_.clear();
  own_members_.clear();
  former_members_.clear();
  shares_.clear();
  absent_.clear();
  wakes_.clear();
  standing_by_.clear();
  for (auto& [source, offer] : offers_) {
    offer.wanted = true;
    offer.superseded = false;
    offer.not_before = Duration{0};
    offer.owing.clear();
  }
}

/// A share of a job that runs everywhere ends when its node has been gone for long. The store knows
/// since when: this node may have started yesterday.
void Engine::watch_absent(const Now& now) {
  std::set<std::string_view> living;
  for (const auto& [incarnation, member] : members_.all()) living.insert(member.node->name);
  std::map<JobUid, Duration> absent;
  for (const JobUid uid : shares_) {
    if (living.contains(*jobs_.at(uid).row.member)) continue;
    const auto known = absent_.find(uid);
    absent[uid] = known == absent_.end() ? now.boot : known->second;
  }
  absent_ = std::move(absent);
}

/// A node with files runs only what its files say; one without runs anything registered.
bool Engine::fits(const Node& node, const JobRow& job) const {
  return !node.leaving && would_fit(node, job);
}

bool Engine::would_fit(const Node& node, const JobRow& job) const {
  if (!node.works || members_.suspect(node.incarnation)) return false;
  if (job.whole && *job.member != node.name) return false;
  for (const auto& [key, value] : *job.definition->on) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  return offers(node, job);
}

bool Engine::offers(const Node& node, const JobRow& job) {
  if (node.digests.empty()) return true;
  return std::any_of(job.sources->begin(), job.sources->end(), [&](const auto& source) {
    const auto offered = node.digests.find(source.first);
    return offered != node.digests.end() && offered->second == source.second;
  });
}

/// Who can write the store can write any definition under a digest that is known; a node with files
/// runs what its own say.
bool Engine::is_as_offered(const JobRow& job) const {
  if (offers_.empty()) return true;
  return std::any_of(job.sources->begin(), job.sources->end(), [&](const auto& source) {
    const auto offer = offers_.find(source.first);
    if (offer == offers_.end() || offer->second.offered.digest != source.second) return false;
    const Shared<Job>* own = offer->second.find(job.definition->name);
    return own != nullptr && *own == job.definition;
  });
}

bool Engine::mistrusts(const JobRow& job) const {
  const bool known = std::any_of(job.sources->begin(), job.sources->end(), [&](const auto& source) {
    const auto offer = offers_.find(source.first);
    return offer != offers_.end() && offer->second.offered.digest == source.second;
  });
  return known && !is_as_offered(job);
}

const Shared<Job>* Engine::Offer::find(const JobName& name) const {
  const auto& jobs = offered.set.jobs;
  const auto found = std::lower_bound(
      by_name.begin(), by_name.end(), name,
      [&](std::uint32_t one, const JobName& other) { return jobs[one]->name < other; });
  return found != by_name.end() && jobs[*found]->name == name ? &jobs[*found] : nullptr;
}

bool Engine::fits_here(const JobRow& job) const {
  const Node* self = members_.self();
  return !leaves() && self != nullptr && fits(*self, job) && is_as_offered(job);
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

/// A share is decided by its own node, whatever its role: nobody else could run it.
bool Engine::decides(const Node& node, const JobRow& job) {
  return job.whole ? node.name == *job.member : node.schedules;
}

/// While this node leaves and the others do not know, they take it for what it was.
Engine::Ranks Engine::ranks_here(const JobRow& job) const {
  const bool as_before = leaves() && !all_know();
  std::vector<Candidate> deciders;
  std::vector<Candidate> takers;
  deciders.reserve(members_.all().size());
  takers.reserve(members_.all().size());
  for (const auto& [incarnation, member] : members_.all()) {
    if (members_.suspect(incarnation)) continue;
    const Node& node = *member.node;
    const bool fitting = fits(node, job);
    if (fitting) takers.push_back({incarnation});
    if (!decides(node, job)) continue;
    const bool older = knows_less(node, job.pointed_by);
    const bool for_all = as_before && incarnation == incarnation_ ? would_fit(node, job) : fitting;
    const Tier tier = for_all ? Tier::fits : Tier::decides;
    deciders.push_back({incarnation, older ? Tier::older : tier});
  }
  return {rank_of(job.uid, incarnation_, deciders), rank_of(job.uid, incarnation_, takers)};
}

/// When the home of this job would ask something about its plan: its next slot, the end of a pause,
/// or a run that has waited too long.
std::optional<Time> Engine::wake_time(const Watched& job) const {
  const JobRow& row = job.row;
  if (row.retired() || row.only_exec || !decides(settings_.self, row)) return std::nullopt;
  if (row.is_whole()) return row.pause ? row.pause->until : std::nullopt;
  if (row.whole && leaves()) return std::nullopt;
  std::optional<Time> wake = next_due(job);
  const auto also = [&](Time time) { wake = wake ? std::min(*wake, time) : time; };
  if (row.pause && row.pause->until && !row.whole) also(*row.pause->until);
  const auto window = start_window(*row.definition);
  for (const PendingRun& pending : row.pending) {
    const bool lapsed = pending.deferred && !row.live.empty() && !suspects_live(row);
    if (lapsed) also(std::max(pending.due, job.free_since));
    if (window && may_expire(pending)) also(pending.due + *window + Duration{1});
  }
  return wake;
}

void Engine::schedule_wake(Watched& job, Time earliest) {
  drop_wake(job);
  const auto wake = wake_time(job);
  const auto take = take_time(job);
  if (!wake && !take) return;
  if (!job.ranks) job.ranks = ranks_here(job.row);
  const auto alarm = [&](Time time, std::size_t rank) {
    const Time acts = std::max(time, able_since_);
    return Alarm{std::max(acts + standby_delay(rank, settings_.standby), earliest), acts, rank};
  };
  if (wake) {
    job.wake = alarm(*wake, job.ranks->decides);
    wakes_.insert({job.wake->at, job.row.uid});
  }
  if (take) {
    job.take = alarm(*take, job.ranks->takes);
    group_of(job.row).takes.insert({job.take->at, job.row.uid});
  }
}

void Engine::drop_wake(Watched& job) {
  if (job.wake) wakes_.erase({job.wake->at, job.row.uid});
  if (job.take) group_of(job.row).takes.erase({job.take->at, job.row.uid});
  job.wake.reset();
  job.take.reset();
}

/// Who acts for whom has changed.
void Engine::rank_all_anew() {
  for (auto& [uid, job] : jobs_) {
    job.ranks.reset();
    schedule_wake(job, kMinTime);
  }
}

}  // namespace cronce
