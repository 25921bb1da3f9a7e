// The rows behind a mirror as values, and back: what a database does, and nothing of when to read
// which. Reading throws what its database throws.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/embedded/tables.h"

namespace cronce::embedded {

/// What there is one of.
struct Meta {
  StoreId id;
  bool is_here = true;  // where its epoch was opened or closed last; to write: this is the place
  Epoch epoch{1};
  Epoch greatest{1};
  bool closed = false;
  std::uint64_t position = 0;
  std::string trail;  // a word for each of the last writes, the newest last
  Time remembered = kMinTime;
  std::uint64_t clock_word = 0;
  Time clock_word_at{};
  std::optional<Duration> accepted;
  std::uint64_t changes = 0;
  std::uint64_t last_uid = 0;
  std::uint64_t last_key_fence = 0;
  bool operator==(const Meta&) const = default;
};

/// A run, and what is kept of it while it has not ended.
struct StoredRun {
  Run run;
  std::optional<std::string> group;  // in which it started
  std::optional<Reason> stop;
  bool deferred = false;
  bool confirmed = false;
  bool is_only = false;  // of a job's open runs: its slot, request or boot has no other attempt
};

struct StoredJob {
  JobRow row;  // without its live and pending runs
  std::uint64_t changes = 0;
  std::vector<StoredRun> open;  // those
  std::optional<Time> newest;   // of the slots that have a row
};

/// What a step has looked at, if it was judged without having read it: it holds if it is compared
/// with what is stored.
struct Compared {
  Meta known;                // there may have been other writes since
  std::vector<JobUid> jobs;  // not to these, in the order of their uids
  bool alone = false;        // there may not
};

class Rows {
 public:
  virtual ~Rows() = default;

  virtual Meta meta() = 0;
  virtual void update(const Meta& meta) = 0;

  static constexpr std::int64_t kEver = -1;  // a position before all others

  using FoundNode = std::function<void(NodeRow&&)>;
  virtual void living_nodes(const FoundNode& found) = 0;
  virtual void nodes_since(std::int64_t position, const FoundNode& found) = 0;
  virtual void nodes_named(const std::string& name, const FoundNode& found) = 0;
  virtual void node(const Incarnation& incarnation, const FoundNode& found) = 0;
  using FoundSource = std::function<void(std::string&&, SourceRow&&)>;
  virtual void sources(std::int64_t since, const FoundSource& found) = 0;

  /// Those of them that there are, in any order.
  virtual void jobs(const std::vector<JobUid>& uids,
                    const std::function<void(StoredJob&&)>& found) = 0;
  /// Those that are no members.
  virtual std::vector<JobUid> jobs_named(const std::vector<std::string>& names) = 0;
  virtual std::vector<JobUid> all_jobs() = 0;
  virtual std::vector<JobUid> jobs_since(std::int64_t position) = 0;
  /// Written after the position, and touched after that number of changes.
  virtual std::vector<JobUid> news(std::int64_t position, std::uint64_t changes) = 0;
  virtual std::vector<JobUid> members(JobUid whole) = 0;
  virtual std::vector<JobUid> jobs_of(const std::string& source) = 0;
  virtual std::size_t count_jobs(const std::string& source, const std::string& digest) = 0;
  /// The next few by their uids.
  virtual std::vector<JobUid> jobs_after(JobUid uid, std::int64_t limit) = 0;

  using FoundRun = std::function<void(StoredRun&&)>;
  /// Which they are, who holds them, their groups, whether they are to stop and are confirmed.
  virtual void live_runs(const FoundRun& found) = 0;
  /// Of those that a mirror has not read, as it says it in this transaction.
  virtual void live_runs(const std::set<JobUid>& unread, const FoundRun& found) = 0;
  virtual void attempts(const RunId& any_attempt, const FoundRun& found) = 0;
  virtual void slots(JobUid job, Time from, Time to, const FoundRun& found) = 0;
  /// What purge looks at: which they are, their states and when they were due.
  virtual void history(const std::vector<JobUid>& jobs, const FoundRun& found) = 0;
  virtual std::optional<Time> newest_slot(JobUid job) = 0;
  virtual std::optional<Time> succeeded_before(JobUid job, Time slot) = 0;
  using FoundRange = std::function<void(JobUid, Time, const RangeRow&)>;
  virtual void range_before(JobUid job, Time slot, const FoundRange& found) = 0;
  virtual void ranges(const std::vector<JobUid>& jobs, const FoundRange& found) = 0;
  using FoundKey = std::function<void(std::string&&, KeyRow&&)>;
  virtual void key(const std::string& key, const FoundKey& found) = 0;
  virtual void keys_of(const Incarnation& owner, const FoundKey& found) = 0;
  virtual void ended_keys(Time now, const FoundKey& found) = 0;
  /// The last sequence that was applied; none if the lane is new.
  virtual std::optional<std::uint64_t> sequence(const LaneId& lane) = 0;
  virtual Lane lane(const LaneId& lane) = 0;
  virtual JobPast past(JobUid job) = 0;

  virtual void write(const NodeRow& row, std::uint64_t position) = 0;
  virtual void write(const std::string& source, const SourceRow& row, std::uint64_t position) = 0;
  /// With the runs of the job that have not ended, for who cannot find them otherwise.
  virtual void write(const JobRow& row, const std::vector<RunId>& open, std::uint64_t changes,
                     std::uint64_t position) = 0;
  virtual void write_definition(const JobRow& row) = 0;
  virtual void insert(const StoredRun& row) = 0;
  virtual void update(const StoredRun& row) = 0;
  virtual void remove(const RunId& run) = 0;
  virtual void write(JobUid job, Time from, const RangeRow& row) = 0;
  virtual void remove_range(JobUid job, Time from) = 0;
  virtual void write(const std::string& key, const KeyRow& row) = 0;
  virtual void remove_key(const std::string& key) = 0;
  virtual void write(const LaneId& id, const Lane& lane) = 0;
  virtual void add(JobUid job, const JobPast& past) = 0;
  virtual void remove_past(JobUid job, Time before) = 0;
};

}  // namespace cronce::embedded
