// The tables of this process, kept equal to what is stored.
//
// They always hold what is small: the living nodes, the sources, and which runs are live (of jobs
// that others wrote: after the next refresh()). Jobs with their open runs are read when a step asks
// for them and kept for the next ones, as many as there is room for. The past is fetched and
// dropped after the step. Everything here happens inside a transaction; whoever meets an error
// calls forget(), and the next step reads everything anew.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "store/embedded/rows.h"
#include "store/embedded/tables.h"

namespace cronce::embedded {

class Mirror final : public Behind {
 public:
  /// The rows outlive it.
  explicit Mirror(Rows& rows) : rows_(rows) { tables_.behind = this; }

  /// Reads what others have written since the last step.
  void refresh();
  /// Writes what the step has changed. False if there was nothing.
  bool write();
  /// The step has been committed, or changed nothing: what need not be kept is dropped.
  void settle();
  /// Whether the last step was about so many jobs that no later one needs what was kept of it.
  bool was_large() const { return was_large_; }
  /// The step is not to be: what it has changed here is read again with the next refresh().
  void undo();
  /// Something went wrong: nothing that is held here can be relied on.
  void forget();

  // A step without refresh(): judged by what is known here, and compared when it is written.

  /// Whether what is known here can be relied on, once it is compared.
  bool can_assume() const { return known_ && !tables_.closed && stale_.empty(); }
  /// None if the step has looked at what cannot be compared.
  std::optional<Compared> compared() const;
  /// It has been committed after writes of others, which the rows bring along; `before` is how it
  /// was then.
  void catch_up(const Meta& before);

  /// Of the last write that is known here; kEver if nothing is.
  std::int64_t position() const {
    return known_ ? static_cast<std::int64_t>(tables_.position) : Rows::kEver;
  }

  /// Jobs whose live runs the next refresh() asks for, besides those that are written until then.
  const std::set<JobUid>& unread() const { return unread_; }

  Tables& tables() { return tables_; }

  void fetch_lane(const LaneId& lane) override;
  void fetch_node(const Incarnation& incarnation) override;
  void fetch_nodes(const std::string& name) override;
  void fetch_job(JobUid job) override;
  void fetch_jobs(const std::set<JobUid>& jobs) override;
  void fetch_jobs(const std::vector<std::string>& names) override;
  void fetch_members(JobUid whole) override;
  void fetch_jobs_of(const std::string& source) override;
  void fetch_all_jobs() override;
  void fetch_attempts(const RunId& any_attempt) override;
  void fetch_slots(JobUid job, Time from, Time to) override;
  void fetch_range(JobUid job, Time slot) override;
  void fetch_newest(JobUid job) override;
  void fetch_succeeded_before(JobUid job, Time slot) override;
  void fetch_history(const std::vector<JobUid>& jobs) override;
  void fetch_key(const std::string& key) override;
  void fetch_keys_of(const Incarnation& owner) override;
  void fetch_ended_keys(Time now) override;

  std::vector<JobRow> changed_since(std::uint64_t changes) override;
  JobPast past_of(JobUid job) override { return rows_.past(job); }
  std::size_t count_jobs(const std::string& source, const std::string& digest) override;
  std::vector<JobUid> some_jobs() override;

 private:
  static constexpr std::size_t kMostJobs = 4'096;  // about 5 MB

  /// What is known of a job that is held, besides its row and its open runs.
  struct Kept {
    bool used = true;            // some step asked for it lately
    std::optional<Time> newest;  // no slot after this one has a row
    std::set<RunId> only;        // open ones, by attempt 0, that have no other attempt
  };

  /// What a number of changes was at a position: what was touched later was written later.
  struct News {
    std::uint64_t changes = 0;
    std::int64_t position = Rows::kEver;
  };

  Meta meta() const;
  void take(const Meta& meta);
  void load_all();
  void load_since(std::int64_t position);
  void load_sources(std::int64_t since);
  void load_stale();
  void load_unread();
  void add_live(const StoredRun& found);
  void drop_live(JobUid job);
  void fetch_these(const std::vector<JobUid>& jobs);
  void add_job(StoredJob&& found);
  void drop_job(JobUid job);
  void make_room();

  void visit(NodeRow&& row);
  void visit(StoredRun&& found);
  void visit_range(JobUid job, Time from, const RangeRow& row);
  void visit_key(std::string&& key, KeyRow&& row);
  /// Nothing is stored of this slot, request or boot that is not held.
  bool knows_attempts(const RunId& any) const;
  bool knows_slots_after(JobUid job, Time slot) const;
  void note_attempt(const RunId& id, bool is_new);
  StoredRun stored(const Run& run) const;
  void write_runs();
  std::vector<RunId> open_runs(JobUid job) const;
  void write_jobs();
  void write_rest();

  Rows& rows_;
  Tables tables_;
  bool known_ = false;           // the tables are what is stored at their position
  Meta read_;                    // as it was read or written last
  std::map<JobUid, Kept> kept_;  // jobs that are held
  News news_;                    // as of the last step that asked for changed jobs
  bool asked_news_ = false;
  std::set<JobUid> stale_;   // jobs of a step that was undone
  std::set<JobUid> unread_;  // others wrote them: which of their runs are live is not known here
  bool was_large_ = false;
  JobUid looked_at_;  // the last of some_jobs()

  // Of this step.
  std::optional<Meta> written_;
  std::set<RunId> fetched_;  // slots, by attempt 0
  std::set<JobUid> asked_jobs_;
  std::set<JobUid> fetched_jobs_;
  std::set<std::string> fetched_names_;
  std::vector<RunId> visiting_;
  std::vector<Incarnation> visiting_nodes_;
  bool is_large_ = false;
};

/// Puts a run that has not ended where its job's row has it.
void add_open(JobRow& job, const StoredRun& found);

}  // namespace cronce::embedded
