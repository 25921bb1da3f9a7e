// The rows of the file. Knows every column.
#pragma once

#include <memory>

#include "store/embedded/rows.h"
#include "store/sqlite/database.h"
#include "store/sqlite/place.h"

namespace cronce::sqlite {

using embedded::Meta;
using embedded::StoredJob;
using embedded::StoredRun;

class Rows final : public embedded::Rows {
 public:
  explicit Rows(const Database& database);
  ~Rows() override;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// Where the file lies now.
  void lie_at(const Place& actual) { actual_ = actual; }
  /// Where it lay when its epoch was opened or closed last, as meta() has read it.
  const Place& stored_place() const { return stored_; }

  Meta meta() override;
  void insert(const Meta& meta);
  void update(const Meta& meta) override;

  void living_nodes(const FoundNode& found) override;
  void nodes_since(std::int64_t position, const FoundNode& found) override;
  void nodes_named(const std::string& name, const FoundNode& found) override;
  void node(const Incarnation& incarnation, const FoundNode& found) override;
  void sources(std::int64_t since, const FoundSource& found) override;

  void jobs(const std::vector<JobUid>& uids,
            const std::function<void(StoredJob&&)>& found) override;
  std::vector<JobUid> jobs_named(const std::vector<std::string>& names) override;
  std::vector<JobUid> all_jobs() override;
  std::vector<JobUid> jobs_since(std::int64_t position) override;
  std::vector<JobUid> news(std::int64_t position, std::uint64_t changes) override;
  std::vector<JobUid> members(JobUid whole) override;
  std::vector<JobUid> jobs_of(const std::string& source) override;
  std::size_t count_jobs(const std::string& source, const std::string& digest) override;
  std::vector<JobUid> jobs_after(JobUid uid, std::int64_t limit) override;

  void live_runs(const FoundRun& found) override;
  void live_runs(const std::set<JobUid>& unread, const FoundRun& found) override;
  void attempts(const RunId& any_attempt, const FoundRun& found) override;
  void slots(JobUid job, Time from, Time to, const FoundRun& found) override;
  void history(const std::vector<JobUid>& jobs, const FoundRun& found) override;
  std::optional<Time> newest_slot(JobUid job) override;
  std::optional<Time> succeeded_before(JobUid job, Time slot) override;
  void range_before(JobUid job, Time slot, const FoundRange& found) override;
  void ranges(const std::vector<JobUid>& jobs, const FoundRange& found) override;
  void key(const std::string& key, const FoundKey& found) override;
  void keys_of(const Incarnation& owner, const FoundKey& found) override;
  void ended_keys(Time now, const FoundKey& found) override;
  std::optional<std::uint64_t> sequence(const embedded::LaneId& lane) override;
  embedded::Lane lane(const embedded::LaneId& lane) override;
  JobPast past(JobUid job) override;

  void write(const embedded::NodeRow& row, std::uint64_t position) override;
  void write(const std::string& source, const embedded::SourceRow& row,
             std::uint64_t position) override;
  void write(const JobRow& row, const std::vector<RunId>& open, std::uint64_t changes,
             std::uint64_t position) override;
  void write_definition(const JobRow& row) override;
  void insert(const StoredRun& row) override;
  void update(const StoredRun& row) override;
  void remove(const RunId& run) override;
  void write(JobUid job, Time from, const embedded::RangeRow& row) override;
  void remove_range(JobUid job, Time from) override;
  void write(const std::string& key, const embedded::KeyRow& row) override;
  void remove_key(const std::string& key) override;
  void write(const embedded::LaneId& id, const embedded::Lane& lane) override;
  void add(JobUid job, const JobPast& past) override;
  void remove_past(JobUid job, Time before) override;

 private:
  static std::vector<JobUid> uids(Statement& statement);
  std::optional<StoredJob> job(JobUid uid);

  struct Statements;
  std::unique_ptr<Statements> sql_;
  Place actual_, stored_;
};

}  // namespace cronce::sqlite
