// Purge: whole ended slots vanish, oldest first, and the newest of them is remembered.
//
// Only jobs that changed since they were purged last are looked at, and those of which something
// has become too old meanwhile; so many in a step that it stays short.
#include <algorithm>
#include <array>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

constexpr std::size_t kMostJobs = 200;                   // in one step
constexpr Duration kRequestLife = std::chrono::days{7};  // a request id is known at least that long

/// Which limit of the history a state counts against.
std::int64_t limit_of(const HistoryLimits& limits, RunState state) {
  if (state == RunState::succeeded) return limits.succeeded;
  return state == RunState::skipped ? limits.skipped : limits.failed;
}

std::size_t kind_of(RunState state) {
  if (state == RunState::succeeded) return 0;
  return state == RunState::skipped ? 1 : 2;
}

class Purge {
 public:
  Purge(Tables& tables, JobRow& job, const Step& step) : tables_(tables), job_(job), step_(step) {}

  void apply() {
    purge_ranges();
    const Duration age = job_.definition->history->age;
    if (age < step_.now - kMinTime) tables_.forget_past(job_.uid, step_.now - age);
    for (const RunId& last : old_slots()) {
      for (RunId id = last; id.attempt.value > 0; --id.attempt.value) {
        if (tables_.runs.contains(id)) tables_.remove(job_, id);
      }
    }
    raise_cursor();
    if (tables_.behind == nullptr && again_ < kMaxTime) tables_.purges.insert({again_, job_.uid});
  }

 private:
  bool is_older(Time time, Duration age) {
    if (step_.now - time > age) return true;
    if (age < kMaxTime - time) again_ = std::min(again_, time + age);
    return false;
  }

  /// A slot whose first attempt is part of a range stays as long as the range does: the two are one
  /// record. What `exec` ran above a file's cursor stays until the cursor has passed it.
  bool may_forget(const Run& last) {
    if (!has_ended(last)) return false;
    if (last.id.space == Space::manual) return is_older(last.due, kRequestLife);
    if (last.id.space == Space::boot) return is_of_former_boot(last);
    const bool settled = job_.only_exec || last.id.slot <= job_.plan.cursor;
    return settled && tables_.range_of(job_.uid, last.id.slot) == nullptr;
  }

  /// The last attempt and those before it: a store that forgot may have been told of a later one
  /// while an earlier runs again.
  bool has_ended(const Run& last) const {
    for (auto row = tables_.runs.lower_bound(attempt_zero(last.id)); row->first != last.id; ++row) {
      if (!is_ended(row->second.state)) return false;
    }
    return is_ended(last.state);
  }

  /// That of the last one stays: its machine may run for years.
  bool is_of_former_boot(const Run& run) const {
    auto row = tables_.runs.lower_bound({job_.uid, Space::boot, kMinTime, "", Attempt{0}});
    for (; row != tables_.runs.end() && row->first.job == job_.uid; ++row) {
      if (row->second.due > run.due && row->first.request != run.id.request) return true;
    }
    return false;
  }

  void purge_ranges() {
    auto range = tables_.ranges.lower_bound({job_.uid, kMinTime});
    while (range != tables_.ranges.end() && range->first.first == job_.uid) {
      if (is_older(range->second.to, job_.definition->history->age)) {
        job_.floor = std::max(job_.floor, range->second.to);
        tables_.note(job_);
        tables_.note_range(job_.uid, range->first.second);
        range = tables_.ranges.erase(range);
      } else {
        ++range;
      }
    }
  }

  /// The last attempts of slots that are beyond a limit.
  std::vector<RunId> old_slots() {
    std::vector<RunId> old;
    std::array<std::int64_t, 3> kept{};
    const HistoryLimits& limits = job_.definition->history;
    const auto begin = tables_.runs.lower_bound(bounds_of(job_.uid).first);
    auto row = tables_.runs.lower_bound(bounds_of(job_.uid).beyond);
    while (row != begin) {
      --row;  // newest first; of a slot that is its last attempt, which speaks for all of them
      const Run& last = row->second;
      row = tables_.runs.lower_bound(attempt_zero(last.id));
      if (!may_forget(last)) continue;
      const bool too_many = ++kept[kind_of(last.state)] > limit_of(limits, last.state);
      const bool too_old = is_older(last.due, limits.age);
      if (too_old || too_many) old.push_back(last.id);
    }
    return old;
  }

  /// What only `exec` runs has no plan that could say which slots are settled.
  void raise_cursor() {
    if (!job_.only_exec || job_.floor <= job_.plan.cursor) return;
    job_.plan.cursor = job_.floor;
    tables_.turn(job_, step_);
  }

  Tables& tables_;
  JobRow& job_;
  const Step& step_;
  Time again_ = kMaxTime;  // when something more will be too old
};

}  // namespace

/// A mirror does not know what has become too old: it looks at all jobs in turn.
void purge(Tables& tables, const Step& step) {
  while (!tables.purges.empty() && tables.purges.begin()->first < step.now) {
    tables.unpurged.insert(tables.purges.begin()->second);
    tables.purges.erase(tables.purges.begin());
  }
  if (tables.behind != nullptr) {
    const auto some = tables.behind->some_jobs();
    tables.unpurged.insert(some.begin(), some.end());
  }
  std::vector<JobUid> jobs;
  for (const JobUid uid : tables.unpurged) {
    if (jobs.size() == kMostJobs) break;
    jobs.push_back(uid);
  }
  if (tables.behind != nullptr) tables.behind->fetch_history(jobs);
  for (const JobUid uid : jobs) Purge(tables, *tables.find_job(uid), step).apply();
  for (const JobUid uid : jobs) tables.unpurged.erase(uid);
  purge_keys(tables, step.now);
}

}  // namespace cronce::embedded
