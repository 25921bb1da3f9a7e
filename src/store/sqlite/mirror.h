// The tables of this process, kept equal to the file.
//
// They hold what every step needs: nodes, sources, jobs, and runs that have not ended. The past is
// fetched when it is asked for and dropped after the step. Everything here happens inside a
// transaction; whoever meets an error calls forget(), and the next step reads the file anew.
#pragma once

#include <set>
#include <vector>

#include "store/embedded/tables.h"
#include "store/sqlite/rows.h"

namespace cronce::sqlite {

class Mirror final : public embedded::Behind {
 public:
  explicit Mirror(const Database& database) : rows_(database) { tables_.behind = this; }

  /// Reads what others have written since the last step. `actual` is where the file lies now.
  void refresh(const Place& actual);
  /// Writes what the step has changed. False if there was nothing.
  bool write();
  /// The step has been committed, or changed nothing: what it fetched is dropped.
  void settle();
  /// Something went wrong: nothing that is held here can be relied on.
  void forget();

  embedded::Tables& tables() { return tables_; }
  Rows& rows() { return rows_; }

  void fetch_lane(const embedded::LaneId& lane) override;
  void fetch_attempts(const RunId& any_attempt) override;
  void fetch_slots(JobUid job, Time from, Time to) override;
  void fetch_range(JobUid job, Time slot) override;
  void fetch_newest(JobUid job) override;
  void fetch_history(JobUid job) override;
  void fetch_key(const std::string& key) override;
  void fetch_keys_of(const Incarnation& owner) override;
  void fetch_ended_keys(Time now) override;

 private:
  Meta meta() const;
  void take(const Meta& meta);
  void load(std::int64_t since);
  void load_job(StoredJob&& found);
  void unload_runs(JobUid job);
  void add_open(StoredRun&& found);
  void visit(StoredRun&& found);
  void visit_range(JobUid job, Time from, const embedded::RangeRow& row);
  void visit_key(std::string&& key, embedded::KeyRow&& row);
  StoredRun stored(const Run& run) const;
  void write_runs();
  void write_jobs();
  void write_rest();

  Rows rows_;
  embedded::Tables tables_;
  bool known_ = false;  // the tables are those of the file at their position
  Meta read_;           // as it was when this step began
  Place actual_;
  std::set<RunId> fetched_;  // slots, by attempt 0
  std::set<JobUid> fetched_jobs_;
  std::vector<RunId> visiting_;
};

}  // namespace cronce::sqlite
