// What a step asks for.
#include <utility>

#include "store/embedded/mirror.h"

namespace cronce::embedded {
namespace {

constexpr std::int64_t kFewJobs = 20;

}  // namespace

void Mirror::visit(NodeRow&& row) {
  const Incarnation incarnation = row.node->incarnation;
  if (tables_.nodes.emplace(incarnation, std::move(row)).second) {
    visiting_nodes_.push_back(incarnation);
  }
}

/// What this step has changed or removed is known better here than where it is stored.
void Mirror::visit(StoredRun&& found) {
  const RunId id = found.run.id;
  if (changed.runs.contains(id)) return;
  if (tables_.runs.emplace(id, std::move(found.run)).second) visiting_.push_back(id);
}

void Mirror::visit_range(JobUid job, Time from, const RangeRow& row) {
  if (!changed.ranges.contains({job, from})) tables_.ranges.emplace(std::pair{job, from}, row);
}

void Mirror::visit_key(std::string&& key, KeyRow&& row) {
  if (changed.keys.contains(key)) return;
  const bool ended = row.state == KeyState::done || row.state == KeyState::failed;
  if (ended) tables_.key_ends.insert({row.expires, key});
  if (row.state == KeyState::running) tables_.held_keys[row.incarnation].insert(key);
  tables_.keys.emplace(std::move(key), std::move(row));
}

/// The outcome is read only if another process has written the lane.
void Mirror::fetch_lane(const LaneId& lane) {
  const auto known = tables_.lanes.find(lane);
  const auto sequence = rows_.sequence(lane);
  if (!sequence) {
    if (known != tables_.lanes.end()) tables_.lanes.erase(known);
  } else if (known == tables_.lanes.end() || known->second.sequence != *sequence) {
    tables_.lanes[lane] = rows_.lane(lane);
  }
}

/// The living are known.
void Mirror::fetch_node(const Incarnation& incarnation) {
  if (tables_.nodes.contains(incarnation)) return;
  rows_.node(incarnation, [&](NodeRow&& row) { visit(std::move(row)); });
}

void Mirror::fetch_nodes(const std::string& name) {
  rows_.nodes_named(name, [&](NodeRow&& row) { visit(std::move(row)); });
}

void Mirror::fetch_job(JobUid job) { fetch_these({job}); }

void Mirror::fetch_jobs(const std::set<JobUid>& jobs) { fetch_these({jobs.begin(), jobs.end()}); }

void Mirror::fetch_these(const std::vector<JobUid>& jobs) {
  std::vector<JobUid> others;
  for (const JobUid job : jobs) {
    asked_jobs_.insert(job);
    const auto kept = kept_.find(job);
    if (kept != kept_.end()) {
      kept->second.used = true;
    } else if (!tables_.jobs.contains(job)) {  // not made in this step
      others.push_back(job);
    }
  }
  if (!others.empty()) rows_.jobs(others, [&](StoredJob&& found) { add_job(std::move(found)); });
}

/// A job that is held is known by the name that it has now, which may not be the stored one any
/// more.
void Mirror::fetch_jobs(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  for (const std::string& name : names) {
    if (fetched_names_.insert(name).second && !tables_.names.contains(name)) others.push_back(name);
  }
  if (!others.empty()) fetch_these(rows_.jobs_named(others));
}

void Mirror::fetch_members(JobUid whole) { fetch_these(rows_.members(whole)); }

void Mirror::fetch_jobs_of(const std::string& source) { fetch_these(rows_.jobs_of(source)); }

void Mirror::fetch_all_jobs() { fetch_these(rows_.all_jobs()); }

void Mirror::fetch_attempts(const RunId& any_attempt) {
  asked_jobs_.insert(any_attempt.job);
  if (fetched_jobs_.contains(any_attempt.job) || knows_attempts(any_attempt)) return;
  if (!fetched_.insert(attempt_zero(any_attempt)).second) return;
  rows_.attempts(any_attempt, [&](StoredRun&& found) { visit(std::move(found)); });
}

/// Of a job that was made in this step nothing is stored.
bool Mirror::knows_slots_after(JobUid job, Time slot) const {
  const auto kept = kept_.find(job);
  if (kept == kept_.end()) return tables_.jobs.contains(job);
  return !kept->second.newest || slot >= *kept->second.newest;
}

bool Mirror::knows_attempts(const RunId& any) const {
  const auto kept = kept_.find(any.job);
  if (kept != kept_.end() && kept->second.only.contains(attempt_zero(any))) return true;
  return any.space == Space::slot && knows_slots_after(any.job, any.slot - Duration{1});
}

void Mirror::fetch_slots(JobUid job, Time from, Time to) {
  asked_jobs_.insert(job);
  if (fetched_jobs_.contains(job) || knows_slots_after(job, from - Duration{1})) return;
  rows_.slots(job, from, to, [&](StoredRun&& found) { visit(std::move(found)); });
}

void Mirror::fetch_range(JobUid job, Time slot) {
  if (fetched_jobs_.contains(job)) return;
  rows_.range_before(
      job, slot, [&](JobUid uid, Time from, const RangeRow& row) { visit_range(uid, from, row); });
}

void Mirror::fetch_newest(JobUid job) {
  if (fetched_jobs_.contains(job)) return;
  if (const auto slot = rows_.newest_slot(job)) {
    fetch_attempts({job, Space::slot, *slot, "", Attempt{0}});
  }
  fetch_range(job, kMaxTime);
}

void Mirror::fetch_succeeded_before(JobUid job, Time slot) {
  if (fetched_jobs_.contains(job)) return;
  if (const auto found = rows_.succeeded_before(job, slot)) {
    fetch_attempts({job, Space::slot, *found, "", Attempt{0}});
  }
}

/// Of runs that have not ended a history says too little: those come with their jobs.
void Mirror::fetch_history(const std::vector<JobUid>& jobs) {
  fetch_these(jobs);
  std::vector<JobUid> others;
  for (const JobUid job : jobs) {
    if (fetched_jobs_.insert(job).second) others.push_back(job);
  }
  if (others.empty()) return;
  rows_.history(others, [&](StoredRun&& found) { visit(std::move(found)); });
  rows_.ranges(others,
               [&](JobUid uid, Time from, const RangeRow& row) { visit_range(uid, from, row); });
}

void Mirror::fetch_key(const std::string& key) {
  rows_.key(key,
            [&](std::string&& name, KeyRow&& row) { visit_key(std::move(name), std::move(row)); });
}

void Mirror::fetch_keys_of(const Incarnation& owner) {
  rows_.keys_of(
      owner, [&](std::string&& name, KeyRow&& row) { visit_key(std::move(name), std::move(row)); });
}

void Mirror::fetch_ended_keys(Time now) {
  rows_.ended_keys(
      now, [&](std::string&& name, KeyRow&& row) { visit_key(std::move(name), std::move(row)); });
}

std::vector<JobRow> Mirror::changed_since(std::uint64_t changes) {
  asked_news_ = true;
  std::vector<JobRow> found;
  const bool later = changes >= news_.changes;
  std::vector<JobUid> others;
  for (const JobUid uid : rows_.news(later ? news_.position : Rows::kEver, changes)) {
    if (kept_.contains(uid)) {
      found.push_back(tables_.jobs.at(uid));
    } else {
      others.push_back(uid);
    }
  }
  if (!others.empty()) {
    rows_.jobs(others, [&](StoredJob&& other) {
      for (const StoredRun& open : other.open) add_open(other.row, open);
      found.push_back(std::move(other.row));
    });
  }
  is_large_ = is_large_ || found.size() > kMostJobs;
  return found;
}

std::size_t Mirror::count_jobs(const std::string& source, const std::string& digest) {
  const std::size_t count = rows_.count_jobs(source, digest);
  is_large_ = is_large_ || count > kMostJobs;
  return count;
}

std::vector<JobUid> Mirror::some_jobs() {
  const auto some = rows_.jobs_after(looked_at_, kFewJobs);
  const bool more = some.size() == static_cast<std::size_t>(kFewJobs);
  looked_at_ = more ? some.back() : JobUid{};
  return some;
}

}  // namespace cronce::embedded
