// The tables of a store that judges in this process, and the few steps from which every operation
// is made.
//
// move() is the only way in which a run's state changes: it asks model/moves.h, and it alone keeps
// the live and pending runs of jobs, groups and incarnations. Whatever an operation does, a row and
// its job cannot disagree. A copy of the tables is the store at that moment.
//
// Tables that mirror a file hold only some of its rows: whatever looks at jobs, runs, nodes, ranges
// and keys goes through the steps below, which fetch them. What is always there are the living
// nodes, the sources, and which runs are live (in a step that is compared: of jobs that are there).
// Whatever changes a row says so with note().
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/moves.h"
#include "model/operation.h"
#include "store/embedded/behind.h"

namespace cronce::embedded {

/// The operation under way: what each step of it needs to know.
struct Step {
  Time now;
  Incarnation incarnation;
  Mover by;
  Duration reading{};     // how far the asker's wall clock is from its boot-time clock
  bool disputed = false;  // nobody knows the time: nothing is due
  Time shown{};           // by the clock that a person accepts with this step
  Time store_time{};      // `now` is no later: the asker's course may be behind it

  Step as(Mover mover) const {
    Step same = *this;
    same.by = mover;
    return same;
  }
};

struct NodeRow {
  Shared<Node> node;
  bool ended = false;
  Time ended_at{};
  bool remembered = false;  // what it knows, in the epoch that is closed
};

/// The last write that was applied, and the last one with an outcome worth keeping.
struct Lane {
  std::uint64_t sequence = 0;
  Epoch epoch{1};  // in which that was
  Before last;
};

struct SourceRow {
  std::string digest;
  Generation generation;
  bool numbered = false;
  std::set<std::string> seen;  // every digest that was ever current
};

/// Many slots that were settled without a run; counts as attempt 1 of each of them.
struct RangeRow {
  Time to{};
  std::int64_t count = 0;
  Reason reason = Reason::missed;
  Decided decided;
};

/// A key of `once`.
struct KeyRow {
  KeyState state = KeyState::absent;
  Fence fence;
  Incarnation incarnation;
  std::string owner;
  std::string result;
  Time expires{};  // of a key that is done or has failed
};

/// What a range's `to` is: its last slot, or the time up to which somebody counted.
enum class RangeEnd { slot, time };

struct Tables {
  StoreId id;
  std::uint64_t server = 0;     // where it is now
  std::uint64_t opened_on = 0;  // where its epoch was opened: elsewhere means a fail-over
  std::uint64_t closed_on = 0;  // where it was closed, while it is
  Epoch epoch{1};
  Epoch greatest{1};  // of the epochs that anybody knows of
  bool closed = false;
  std::uint64_t position = 0;
  std::set<RunId> confirmed;   // closed: live runs that their nodes have named
  Time remembered = kMinTime;  // up to here anything may have run that is not recorded
  std::uint64_t clock_word = 0;
  Time clock_word_at{};              // what the clock showed then
  std::optional<Duration> accepted;  // the reading of clocks that a person called right

  std::map<Incarnation, NodeRow> nodes;
  std::map<LaneId, Lane> lanes;
  std::map<std::string, SourceRow> sources;
  std::map<JobUid, JobRow> jobs;
  std::map<std::string, JobUid> names;  // of all but members, which have their whole job's name
  std::map<JobUid, std::map<std::string, JobUid>> members;  // of a job that runs everywhere
  std::map<JobUid, JobPast> pasts;  // with a file behind them: what came in this step
  std::map<JobUid, std::uint64_t> changed_at;
  std::map<std::uint64_t, JobUid> by_change;  // the same, the other way round
  std::map<RunId, Run> runs;
  std::map<std::pair<JobUid, Time>, RangeRow> ranges;        // by job and first slot
  std::map<std::string, std::set<RunId>> groups;             // live runs of a concurrency group
  std::map<Incarnation, std::map<RunId, std::string>> held;  // live runs, and in which group
  std::map<RunId, Reason> stops;                             // live runs that should end
  std::map<std::string, KeyRow> keys;
  std::map<Incarnation, std::set<std::string>> held_keys;  // that are running
  std::set<std::pair<Time, std::string>> key_ends;         // keys that may be purged, and when
  std::set<JobUid> unpurged;                               // changed since they were purged last
  std::set<std::pair<Time, JobUid>> purges;                // something will be too old then
  std::uint64_t changes = 0;
  std::uint64_t last_uid = 0;
  std::uint64_t last_key_fence = 0;
  Behind* behind = nullptr;  // none: these tables are all there is

  // A row has changed.
  void note(const JobRow& job) const;
  void note_definition(const JobRow& job) const;  // definition, sources, pause, who it belongs to
  void note(const Run& run, bool is_new = false) const;
  void note_range(JobUid job, Time from) const;
  void note_node(const Incarnation& incarnation) const;
  void note_source(const std::string& source) const;
  void note_key(const std::string& key) const;
  void note_lane(const WriteId& write) const;

  bool lives(const Incarnation& incarnation) const;
  /// Why this asker is granted nothing at all, if so.
  Refused admits(const Step& step) const;
  /// Both are empty for one that never beat: a person.
  std::string name_of(const Incarnation& incarnation) const;
  Knowledge knowledge_of(const Incarnation& incarnation) const;
  /// Greater than every such number of an earlier epoch.
  std::uint64_t in_epoch(std::uint64_t count) const { return make_fence(epoch, count).value; }

  Lane& lane_of(const WriteId& write);

  const NodeRow* find_node(const Incarnation& incarnation) const;
  NodeRow* find_node(const Incarnation& incarnation);
  NodeRow& add_node(const Node& node);
  /// All that ever had this name.
  std::vector<const NodeRow*> nodes_named(const std::string& name) const;

  /// What a step will look at is brought along at once, and not one by one.
  template <class Things, class JobOf>
  void foresee(const Things& things, JobOf job_of) {
    if (behind == nullptr) return;
    std::set<JobUid> jobs_of_them;
    for (const auto& thing : things) jobs_of_them.insert(job_of(thing));
    behind->fetch_jobs(jobs_of_them);
  }

  JobRow* find_job(JobUid uid);
  JobRow* find_job(const std::string& name);
  /// They will be asked for by these names.
  void fetch_jobs(const std::vector<std::string>& wanted) const;
  std::vector<JobRow*> all_jobs();
  /// Members left out.
  std::vector<JobRow*> jobs_of(const std::string& source);
  /// Whether so many jobs are what this source defines with this digest.
  bool are_enrolled(const std::string& source, const std::string& digest, std::size_t count) const;
  /// Rows that were touched since that number of changes, in the order of their uids.
  std::vector<JobRow> changed_since(std::uint64_t known) const;
  /// A new row under a uid of its own; a member is not known by its name.
  JobRow& add_job(const Shared<Job>& definition, std::optional<JobUid> whole = std::nullopt);
  /// From now on, or from its cursor on if that is later.
  void define(JobRow& job, const Shared<Job>& definition, const Step& step);
  /// Its definition is not in force any more.
  void end_definition(const JobRow& job, const Step& step);
  /// A person did this; to a node's share is to the whole.
  void record(const JobRow& job, Intervention what);
  JobPast past_of(JobUid job) const;
  /// Of a job's past what was over before that.
  void forget_past(JobUid job, Time before);
  /// By the names of their nodes; retired ones too.
  const std::map<std::string, JobUid>& members_of(const JobRow& whole);
  /// The job itself and, if it runs everywhere, its members that are not retired.
  std::vector<JobRow*> with_members(JobRow& job);
  /// The row whose fences the runs of this one carry.
  JobRow& whole_of(JobRow& job);

  /// A living node says that it runs this one, in a closed epoch.
  void confirm(const RunId& run);
  /// A live run should end. The first reason stays, unless a person gives another.
  void stop(const RunId& run, Reason reason);
  /// A pending run waits for a suspicion to end.
  void defer(JobRow& job, const RunId& run);

  /// Tells every node with its next beat.
  void touch(const JobRow& job);
  /// A change of the plan.
  void turn(JobRow& job, const Step& step);
  /// The asker has computed another next slot.
  void point(JobRow& job, std::optional<Time> next, const Step& step);
  /// Settles slots without a run; one that has a row already stands for itself. Its `from` is a
  /// slot.
  void settle_range(const JobRow& job, SkippedRange range, RangeEnd end, const Step& step);

  /// How many of these slots have a row.
  std::int64_t count_slots(JobUid job, Time from, Time to) const;

  Run* find_run(const RunId& run);
  /// A row comes into being; its id is new for ever.
  void create(JobRow& job, Run run, RunState state, Reason reason, const Step& step);
  void move(JobRow& job, Run& run, RunState to, Reason reason, const Step& step);
  /// Both, into `running`: the fence is drawn here and nowhere else.
  Claim create_running(JobRow& job, Run run, const Step& step);
  Claim move_to_running(JobRow& job, Run& run, const Step& step);
  /// Every pending run of the job.
  void end_pending(JobRow& job, RunState to, Reason reason, const Step& step);
  void remove(JobRow& job, const RunId& id);

  /// The last attempt of a slot, a manual request or a boot; none if nothing is recorded.
  const Run* last_attempt(const RunId& any_attempt) const;
  /// The last attempt of the newest slot that has a row.
  const Run* newest_run(JobUid job) const;
  /// The newest slot before this one that succeeded and is still recorded.
  std::optional<Time> succeeded_before(const JobRow& job, Time slot) const;
  /// The newest slot of which anything is or was recorded.
  Time newest_record(const JobRow& job) const;
  const RangeRow* range_of(JobUid job, Time slot) const;
  KeyRow* find_key(const std::string& key);
  /// An attempt with the same key has succeeded: nobody may want this one any more.
  bool is_superseded(const Run& run) const;
  /// No attempt of it can have run: all were skipped by a store that knew its past, cancelled
  /// before their start, or given back.
  bool never_ran(const RunId& any_attempt) const;

  /// Why a run of this job may not start now, if so.
  Refused may_start(const JobRow& job, Time now) const;

 private:
  Claim grant(JobRow& job, Run& run, const Step& step);
  Decided decided(const JobRow& job, const Step& step) const;
  void settle(JobRow& job, Run& run, std::optional<RunState> from, RunState to, Reason reason,
              const Step& step);
  void add_live(JobRow& job, const Run& run);
  void erase_live(JobRow& job, const Run& run);
};

/// A node's word that `next` is the first slot after `settled` holds only if it looked far enough:
/// there is no slot in (base, next).
bool is_next(Time base, std::optional<Time> next, Time settled);

/// Whether the row has a schedule to follow: not where only members do, nor where no file says so.
bool has_slots(const JobRow& job);

/// A slot of the job is due and not decided.
bool is_owing(const JobRow& job, Time now);

/// Attempt 1, with the key that every later attempt keeps: `JOB@SLOT`.
Run first_attempt(const JobRow& job, Space space, Time slot, std::string request, RunKind kind,
                  Time due);

/// A range as a row of the ledger.
Run row_of(JobUid job, Time from, const RangeRow& range);

/// By what rows are put in order: the slot, the last one of a range, the due time where there is no
/// slot.
Time ledger_time(const Run& run);
/// Whether `a` comes before `b` in what a query answers.
bool is_newer(const Run& a, const Run& b);

/// What comes before all attempts of the same slot, request or boot.
RunId attempt_zero(RunId id);

/// Every row of a job, in all spaces.
struct RunBounds {
  RunId first, beyond;
};
RunBounds bounds_of(JobUid job);

}  // namespace cronce::embedded
