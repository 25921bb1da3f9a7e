// The rows of the file as values, and back. Knows every column, and nothing of when to read which.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/embedded/tables.h"
#include "store/sqlite/database.h"
#include "store/sqlite/place.h"
#include "store/store.h"

namespace cronce::sqlite {

/// What there is one of.
struct Meta {
  StoreId id;
  Place place;
  Epoch epoch{1};
  Epoch greatest{1};
  bool closed = false;
  std::uint64_t position = 0;
  std::string trail;  // a word for each of the last writes, the newest last
  Time remembered = kMinTime;
  std::uint64_t clock_word = 0;
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
};

struct StoredJob {
  JobRow row;
  std::uint64_t changes = 0;
};

class Rows {
 public:
  explicit Rows(const Database& database);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  Meta meta();
  void insert(const Meta& meta);
  void update(const Meta& meta);

  static constexpr std::int64_t kEver = -1;  // a position before all others

  using FoundNode = std::function<void(embedded::NodeRow&&)>;
  void living_nodes(const FoundNode& found);
  void nodes_since(std::int64_t position, const FoundNode& found);
  void nodes_named(const std::string& name, const FoundNode& found);
  void node(const Incarnation& incarnation, const FoundNode& found);
  void sources(std::int64_t since,
               const std::function<void(std::string&&, embedded::SourceRow&&)>& found);

  /// Without the runs that have not ended.
  std::optional<StoredJob> job(JobUid uid);
  std::optional<JobUid> job_named(const std::string& name);
  std::vector<JobUid> all_jobs();
  std::vector<JobUid> jobs_since(std::int64_t position);
  /// Written after the position, and touched after that number of changes.
  std::vector<JobUid> news(std::int64_t position, std::uint64_t changes);
  std::vector<JobUid> members(JobUid whole);
  std::vector<JobUid> jobs_of(const std::string& source);
  std::size_t count_jobs(const std::string& source, const std::string& digest);
  /// The next few by their uids.
  std::vector<JobUid> jobs_after(JobUid uid, std::int64_t limit);

  using Found = std::function<void(StoredRun&&)>;
  /// Runs of the job that have not ended.
  void open_runs(JobUid job, const Found& found);
  void live_runs(const Found& found);
  /// Of jobs written after the position.
  void live_runs_since(std::int64_t position, const Found& found);
  void attempts(const RunId& any_attempt, const Found& found);
  void slots(JobUid job, Time from, Time to, const Found& found);
  /// Without their output and progress.
  void history(JobUid job, const Found& found);
  std::optional<Time> newest_slot(JobUid job);
  std::optional<Time> succeeded_before(JobUid job, Time slot);
  using FoundRange = std::function<void(JobUid, Time, const embedded::RangeRow&)>;
  void range_before(JobUid job, Time slot, const FoundRange& found);
  void ranges(JobUid job, const FoundRange& found);
  using FoundKey = std::function<void(std::string&&, embedded::KeyRow&&)>;
  void key(const std::string& key, const FoundKey& found);
  void keys_of(const Incarnation& owner, const FoundKey& found);
  void ended_keys(Time now, const FoundKey& found);
  /// The last sequence that was applied; none if the lane is new.
  std::optional<std::uint64_t> sequence(const embedded::LaneId& lane);
  embedded::Lane lane(const embedded::LaneId& lane);
  JobPast past(JobUid job);

  void write(const embedded::NodeRow& row, std::uint64_t position);
  void write(const std::string& source, const embedded::SourceRow& row, std::uint64_t position);
  void write(const JobRow& row, std::uint64_t changes, std::uint64_t position);
  void write_definition(const JobRow& row);
  void insert(const StoredRun& row);
  void update(const StoredRun& row);
  void remove(const RunId& run);
  void write(JobUid job, Time from, const embedded::RangeRow& row);
  void remove_range(JobUid job, Time from);
  void write(const std::string& key, const embedded::KeyRow& row);
  void remove_key(const std::string& key);
  void write(const embedded::LaneId& id, const embedded::Lane& lane);
  void add(JobUid job, const JobPast& past);
  void remove_past(JobUid job, Time before);

 private:
  static std::vector<JobUid> uids(Statement& statement);

  struct Statements;
  std::unique_ptr<Statements> sql_;
};

}  // namespace cronce::sqlite
