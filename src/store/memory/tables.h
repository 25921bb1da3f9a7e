// The tables of the memory store, and the few steps from which every operation is made.
//
// move() is the only way in which a run's state changes: it asks model/moves.h, and it alone keeps
// the live and pending runs of jobs and groups. Whatever an operation does, a row and its job
// cannot disagree.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/moves.h"
#include "model/operation.h"

namespace cronce::memory {

/// The operation under way: what each step of it needs to know.
struct Step {
  Time now;
  Incarnation incarnation;
  Mover by;
};

struct NodeRow {
  Shared<Node> node;
  bool ended = false;
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
};

struct Tables {
  StoreId id;
  Epoch epoch{1};
  std::map<Incarnation, NodeRow> nodes;
  std::map<std::string, SourceRow> sources;
  std::map<JobUid, JobRow> jobs;
  std::map<JobUid, std::uint64_t> changed_at;
  std::map<RunId, Run> runs;
  std::map<std::pair<JobUid, Time>, RangeRow> ranges;  // by job and first slot
  std::map<std::string, std::set<RunId>> groups;       // live runs of a concurrency group
  std::map<RunId, Reason> stops;                       // live runs that somebody wants to end
  std::uint64_t changes = 0;
  std::uint64_t last_uid = 0;

  bool lives(const Incarnation& incarnation) const;
  JobRow* find_job(JobUid uid);
  JobRow* find_job(const std::string& name);
  Run* find_run(const RunId& run);

  /// Tells every node with its next beat.
  void touch(const JobRow& job);
  /// A change of the plan.
  void turn(JobRow& job);

  /// A row comes into being; its id is new for ever.
  void create(JobRow& job, Run run, RunState state, Reason reason, const Step& step);
  void move(JobRow& job, Run& run, RunState to, Reason reason, const Step& step);
  /// Both, into `running`: the fence is drawn here and nowhere else.
  Claim create_running(JobRow& job, Run run, const Step& step);
  Claim move_to_running(JobRow& job, Run& run, const Step& step);
  void remove(JobRow& job, const RunId& id);

  /// The last attempt of a slot, a manual request or a boot; none if nothing is recorded.
  const Run* last_attempt(const RunId& any_attempt) const;
  const RangeRow* range_of(JobUid job, Time slot) const;
  /// An attempt with the same key has succeeded: nobody may want this one any more.
  bool is_superseded(const Run& run) const;
  /// No attempt of it can have run: all were skipped, cancelled before their start, or given back.
  bool never_ran(const RunId& any_attempt) const;

  /// Why a run of this job may not start now, if so.
  Refused may_start(const JobRow& job, Time now) const;

 private:
  Claim grant(JobRow& job, Run& run, const Step& step);
  void settle(JobRow& job, Run& run, std::optional<RunState> from, RunState to, Reason reason,
              const Step& step);
};

/// A node's word that `next` is the first slot after `settled` holds only if it looked far enough:
/// there is no slot in (base, next).
bool is_next(Time base, std::optional<Time> next, Time settled);

/// Attempt 1, with the key that every later attempt keeps: `JOB@SLOT`.
Run first_attempt(const JobRow& job, Space space, Time slot, std::string request, RunKind kind,
                  Time due);

}  // namespace cronce::memory
