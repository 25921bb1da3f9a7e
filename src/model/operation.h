// The operations of a store: what a node asks and what it is answered.
//
// Plain values on both sides of the seam, so that the engine can ask without knowing any store.
// Every operation is one atomic step, judged by the store's clock. Losing a race is an answer
// (Refused), not an error; an error of a whole call means that its outcome is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job.h"
#include "model/node.h"
#include "model/plan.h"
#include "model/run.h"

namespace cronce {

/// Why the store did not do what it was asked.
enum class Refused : std::uint8_t {
  none,
  ended,    // this incarnation was ended: come back as a new one
  closed,   // the epoch is closed: only beat and remember
  gone,     // no such job or row
  moved,    // turn or next is not the job's any more: somebody was first
  future,   // not due by the store's clock
  too_old,  // older than the window in which it may still run
  paused,
  retired,
  busy,     // another run is alive, or the job rests
  full,     // the group has no free place
  stale,    // an older fence or another incarnation
  invalid,  // cannot be right, whoever asks
};

/// Which write this is. A lane is one connection of an incarnation; it has one write in flight, and
/// the store applies a write only if its sequence is greater than the lane's last.
struct WriteId {
  Incarnation incarnation;
  std::uint32_t lane = 0;
  std::uint64_t sequence = 0;
};

/// The store's grant of a run to an incarnation. Nothing is started without one.
struct Claim {
  RunId run;
  Incarnation incarnation;
  Fence fence;
  std::string key;
  Time due{};
  Time claimed_at{};
  bool operator==(const Claim&) const = default;
};

// ---- decide ------------------------------------------------------------------------------------

/// Slots that are settled without a run, as one row.
struct SkippedRange {
  Time from{};
  Time to{};
  std::int64_t count = 0;
  Reason reason = Reason::missed;
  bool operator==(const SkippedRange&) const = default;
};

struct SlotToRun {
  enum class How : std::uint8_t {
    run,      // start it here, as far as overlap and group allow
    enqueue,  // let another node take it
    defer,    // wait until it is known whether the live run's node is dead
  };
  Time slot{};
  Time due{};
  How how = How::run;
  bool operator==(const SlotToRun&) const = default;
};

/// All that is owed of one job from its `next` through an instant, settled in one step.
struct DecideEntry {
  JobUid job;
  Turn turn;
  Time from{};     // the job's next, as the asker knows it
  Time through{};  // not after store time
  std::vector<SkippedRange> skipped;
  std::vector<SlotToRun> runs;     // oldest first
  std::optional<Time> next;        // the first slot after `through`
  std::optional<CivilTime> label;  // of the newest slot settled here
  bool operator==(const DecideEntry&) const = default;
};

/// What became of one slot of a granted entry.
struct SlotOutcome {
  RunState state = RunState::skipped;
  Reason reason = Reason::none;
  std::optional<Claim> claim;  // when it is running, and ours
  bool operator==(const SlotOutcome&) const = default;
};

struct DecideAnswer {
  Refused refused = Refused::none;
  Plan plan;                      // the job's, after this step
  std::vector<SlotOutcome> runs;  // one for each of the entry's runs, if granted
  bool operator==(const DecideAnswer&) const = default;
};

/// A pending run that will not start any more: `overlap` when the run that a deferred one waited
/// for is alive after all, `expired` or `no_node` when it is older than its window.
struct Lapse {
  RunId run;
  Reason reason = Reason::expired;
  bool operator==(const Lapse&) const = default;
};

struct DecideAsk {
  std::vector<DecideEntry> entries;  // at most one per job
  std::vector<Lapse> lapses;
};

struct DecideAnswers {
  std::vector<DecideAnswer> entries;
  std::vector<Refused> lapses;
  bool operator==(const DecideAnswers&) const = default;
};

// ---- take, finish, sweep -----------------------------------------------------------------------

struct TakeAnswer {
  Refused refused = Refused::none;
  std::optional<Claim> claim;
  bool operator==(const TakeAnswer&) const = default;
};

/// How a run ended. `state` is one that a run can move to out of `running`.
struct FinishEntry {
  RunId run;
  Fence fence;
  Incarnation incarnation;
  RunState state = RunState::succeeded;
  Reason reason = Reason::none;
  std::optional<Time> started_at;
  std::optional<Time> finished_at;
  std::optional<std::int64_t> exit_code;
  std::string output_tail;
  std::string progress;
  bool operator==(const FinishEntry&) const = default;
};

struct FinishAnswer {
  Refused refused = Refused::none;
  RunState state = RunState::running;  // the row's, after this step
  bool operator==(const FinishAnswer&) const = default;
};

/// Ends an incarnation if its beat is still that one.
struct SweepEntry {
  Incarnation incarnation;
  Beat beat;
};

struct SweepAnswer {
  bool ended = false;
  std::int64_t lost = 0;  // runs that it held
  bool operator==(const SweepAnswer&) const = default;
};

// ---- beat --------------------------------------------------------------------------------------

struct StartedRun {
  RunId run;
  Time started_at{};
};

struct BeatAsk {
  Node node;  // its beat is the number of this one: greater than any that it sent before, from 1 on
  std::vector<StartedRun> started;
  std::uint64_t known_changes = 0;  // job rows changed since then are answered
};

struct StopOrder {
  RunId run;
  Reason reason = Reason::by_operator;
  bool operator==(const StopOrder&) const = default;
};

struct BeatAnswer {
  Refused refused = Refused::none;
  Beat beat;  // the stored one: this one's, unless a later one was here first
  Time store_time{};
  Epoch epoch;
  std::vector<Node> nodes;  // the living, this one included
  std::vector<JobRow> changed;
  std::uint64_t changes = 0;  // for the next beat's known_changes
  std::vector<StopOrder> stops;
  std::vector<Claim> held;  // every claim that the store holds for this incarnation
};

// ---- register ----------------------------------------------------------------------------------

/// A job with its first slot. There is no slot in (base, next), which lets the store set cursor and
/// next by its own clock although it cannot compute a schedule.
struct JobToRegister {
  Job job;
  Time base{};
  std::optional<Time> next;
  std::optional<Time> past;  // an `at` that is over: recorded as skipped when the job is new
};

struct RegisterAsk {
  std::string source;
  std::string digest;
  std::optional<Generation> generation;
  std::vector<JobToRegister> jobs;
  std::vector<DecideEntry>
      settle;  // decided first, in the same step: what is owed by the old schedule
};

enum class Registered : std::uint8_t {
  current,     // this digest is now the source's, or was already
  superseded,  // a newer one is offered by a living node
  conflict,  // the same number with another digest, or a job that another source defines otherwise
  numbered,  // a number is needed, greater than the current one
  owing,     // a job whose schedule changes still owes slots: settle them with this
  early,     // a `base` is too old by the store's clock: ask again with a newer one
};

struct RegisterAnswer {
  Refused refused = Refused::none;
  Registered registered = Registered::current;
  Generation generation;          // the source's current one
  std::vector<std::string> jobs;  // the names that `conflict`, `owing` or `early` are about
  std::vector<DecideAnswer> settled;
  bool operator==(const RegisterAnswer&) const = default;
};

// ---- control -----------------------------------------------------------------------------------

struct PauseJob {
  JobUid job;
  Pause pause;
};
/// `next` is the first slot after store time, with no slot in (base, next).
struct ResumeJob {
  JobUid job;
  Time base{};
  std::optional<Time> next;
  std::int64_t covered = 0;  // how many slots the pause covered, from `next` on
};
struct TriggerJob {
  JobUid job;
  std::string request;  // never seen before: one run; seen: nothing
};
struct CancelRun {
  RunId run;
};
struct ReleaseRun {
  RunId run;
};
struct BackfillSlot {
  JobUid job;
  Time slot{};
  bool again = false;
};
struct RetireJob {
  JobUid job;
};
struct RecedeJob {
  JobUid job;
  Time base{};
  std::optional<Time> next;
};
using ControlAsk = std::variant<PauseJob, ResumeJob, TriggerJob, CancelRun, ReleaseRun,
                                BackfillSlot, RetireJob, RecedeJob>;

struct ControlAnswer {
  Refused refused = Refused::none;
  std::optional<RunId> run;  // the row that was made or moved
  bool operator==(const ControlAnswer&) const = default;
};

// ---- what a lane remembers ---------------------------------------------------------------------

/// The outcome of a write, as the lane keeps it.
using Outcome =
    std::variant<std::monostate, DecideAnswers, std::vector<TakeAnswer>, std::vector<FinishAnswer>,
                 std::vector<SweepAnswer>, RegisterAnswer, ControlAnswer>;

/// The last write with an outcome that a lane applied before this one. A write whose answer never
/// came is settled by an empty decide, the next write of its lane: if `sequence` is its own,
/// `outcome` is its answer; otherwise it was not applied, and because the lane has moved on it
/// never will be. An empty decide has no outcome itself: when its answer is lost too, another one
/// reads the same.
struct Before {
  std::uint64_t sequence = 0;
  Outcome outcome;
};

template <class T>
struct Written {
  T answer;
  Time store_time{};
  Before before;
};

}  // namespace cronce
