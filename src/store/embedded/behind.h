// What lies behind tables that mirror a database: it holds all, the tables hold what is hot.
//
// Rows of the past are fetched when an operation asks for them, and every change is noted, so that
// it can be written in the same step. Tables without anything behind them are all there is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/operation.h"

namespace cronce::embedded {

using LaneId = std::pair<Incarnation, std::uint32_t>;

/// The rows that a step has changed, made or removed.
struct Changed {
  std::set<JobUid> jobs;
  std::set<JobUid> definitions;  // the seldom part of a job's row
  std::map<RunId, bool> runs;    // and whether the row was made in this step
  std::set<std::pair<JobUid, Time>> ranges;
  std::set<Incarnation> nodes;
  std::set<std::string> sources;
  std::set<std::string> keys;
  std::set<LaneId> lanes;
  std::map<JobUid, Time> past_before;  // what of the past of a job need not be kept
};

class Behind {
 public:
  virtual ~Behind() = default;

  // Each brings into the tables what they do not hold yet.

  virtual void fetch_lane(const LaneId& lane) = 0;
  virtual void fetch_node(const Incarnation& incarnation) = 0;
  /// All that ever had this name.
  virtual void fetch_nodes(const std::string& name) = 0;
  virtual void fetch_job(JobUid job) = 0;
  /// Those that a step will look at, all at once.
  virtual void fetch_jobs(const std::set<JobUid>& jobs) = 0;
  /// Jobs that are no members, by their names.
  virtual void fetch_jobs(const std::vector<std::string>& names) = 0;
  virtual void fetch_members(JobUid whole) = 0;
  virtual void fetch_jobs_of(const std::string& source) = 0;
  virtual void fetch_all_jobs() = 0;
  /// All attempts of a slot, a manual request or a boot.
  virtual void fetch_attempts(const RunId& any_attempt) = 0;
  /// The rows of the slots from one to another, both included.
  virtual void fetch_slots(JobUid job, Time from, Time to) = 0;
  /// The newest range that begins at or before the slot.
  virtual void fetch_range(JobUid job, Time slot) = 0;
  /// The newest slot that has a row, with all its attempts, and the newest range.
  virtual void fetch_newest(JobUid job) = 0;
  /// The newest slot before this one that succeeded, with all its attempts.
  virtual void fetch_succeeded_before(JobUid job, Time slot) = 0;
  /// Every row and range of these.
  virtual void fetch_history(const std::vector<JobUid>& jobs) = 0;
  virtual void fetch_key(const std::string& key) = 0;
  virtual void fetch_keys_of(const Incarnation& owner) = 0;
  /// Those that may be purged now.
  virtual void fetch_ended_keys(Time now) = 0;

  // What a step only looks at, without bringing it into the tables.

  /// The rows that changed after that number of `changes`.
  virtual std::vector<JobRow> changed_since(std::uint64_t changes) = 0;
  virtual JobPast past_of(JobUid job) = 0;
  /// How many jobs, members left out, this source defines with this digest.
  virtual std::size_t count_jobs(const std::string& source, const std::string& digest) = 0;
  /// A few jobs, others each time: all of them in the end.
  virtual std::vector<JobUid> some_jobs() = 0;

  Changed changed;
};

}  // namespace cronce::embedded
