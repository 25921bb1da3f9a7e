// The operations of a store: what a node asks and what it is answered.
//
// Plain values on both sides of the seam, so that the engine can ask without knowing any store.
// Every operation is one atomic step, judged by the store's clock. Losing a race is an answer
// (Refused), not an error; an error of a whole call means that its outcome is unknown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/shared.h"
#include "base/time.h"
#include "model/job.h"
#include "model/node.h"
#include "model/past.h"
#include "model/plan.h"
#include "model/run.h"

namespace cronce {

/// Why the store did not do what it was asked.
enum class Refused : std::uint8_t {
  none,
  ended,    // this incarnation was ended: come back as a new one
  closed,   // the store has forgotten something: only beat, remember and open_epoch
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
  clock,    // the asker's clock is too far from the store's
};

/// Which write this is. A lane is one connection of an incarnation; it has one write in flight, and
/// the store applies a write only if its sequence is greater than the lane's last.
struct WriteId {
  Incarnation incarnation;
  std::uint32_t lane = 0;
  std::uint64_t sequence = 0;
  std::uint64_t answered = 0;  // the lane's last that was answered: a store behind it has forgotten
  std::optional<Time> course;  // this write is judged by no later a time: the asker has not seen,
                               // or doubts, that the store's clock is farther
};

/// The store's grant of a run to an incarnation. Nothing is started without one.
struct Claim {
  RunId run;
  Incarnation incarnation;
  Fence fence;
  std::string key;
  Time due{};
  Time claimed_at{};
  std::optional<Time> previous = {};                    // the newest earlier slot that succeeded
  Shared<std::map<std::string, std::string>> env = {};  // what whoever triggered it has added
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
  std::string winner;             // refused as `moved`: the node that was first
  bool operator==(const DecideAnswer&) const = default;
};

/// A pending run that will not start any more: `overlap` when the run that a deferred one waited
/// for is alive after all, `expired` or `no_node` when it is older than its window.
struct Lapse {
  RunId run;
  Reason reason = Reason::expired;
  bool operator==(const Lapse&) const = default;
};

/// The end of a pause. `next` is the first slot after store time, with no slot in (base, next).
struct ResumeJob {
  JobUid job;
  Time base{};
  std::optional<Time> next;
  std::int64_t covered = 0;  // how many slots the pause covered, from `next` on
  std::optional<Turn> turn;  // by a node because `until` is over: only if nothing moved meanwhile
  By by = {};                // a person, otherwise
  bool operator==(const ResumeJob&) const = default;
};

/// A node that knows more than the one that computed `next` computes another one.
struct Repoint {
  JobUid job;
  Turn turn;
  Time base{};
  std::optional<Time> next;
  bool operator==(const Repoint&) const = default;
};

/// The asker's share of a job that runs everywhere begins, at store time.
struct JoinMember {
  JobUid whole;
  Time base{};
  std::optional<Time> next;
  bool operator==(const JoinMember&) const = default;
};

/// A node's share of such a job ends: the node leaves, or was gone for a day.
struct EndMember {
  JobUid job;
  Turn turn;
  std::int64_t covered = 0;  // slots that are owed
  std::optional<Time> next;  // the first that was not counted
  bool operator==(const EndMember&) const = default;
};

/// The asker's machine has started: its share of a job that runs at boot gets a run.
struct StartAtBoot {
  JobUid job;
  std::string boot;  // which start that was: it gets one run, whoever asks how often
  bool operator==(const StartAtBoot&) const = default;
};

/// What changes a plan without deciding a slot.
using PlanChange = std::variant<ResumeJob, Repoint, JoinMember, EndMember, StartAtBoot>;

struct DecideAsk {
  std::vector<DecideEntry> entries;  // at most one per job
  std::vector<Lapse> lapses;
  std::vector<PlanChange> changes;

  /// Asks nothing: it settles an unknown write.
  bool empty() const { return entries.empty() && lapses.empty() && changes.empty(); }
};

struct DecideAnswers {
  std::vector<DecideAnswer> entries;
  std::vector<Refused> lapses;
  std::vector<Refused> changes;
  bool operator==(const DecideAnswers&) const = default;
};

// ---- take, finish, sweep -----------------------------------------------------------------------

struct TakeAnswer {
  Refused refused = Refused::none;
  std::optional<Claim> claim;
  std::string winner;  // the node that has it, or whose run is in the way
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

/// How far a node has seen a store's history: what the store may not have forgotten. Kept in
/// memory and on the node's disk, outside the store.
struct Mark {
  StoreId store;
  Epoch epoch;
  std::uint64_t position = 0;
  Time time{};
  bool operator==(const Mark&) const = default;
};

struct StartedRun {
  RunId run;
  Time started_at{};
};

/// What a run says of itself while it lives.
struct RunProgress {
  RunId run;
  std::string text;
};

struct BeatAsk {
  Node node;  // its beat is the number of this one: greater than any that it sent before, from 1 on
  std::vector<StartedRun> started;
  std::uint64_t known_changes = 0;  // job rows changed since then are answered
  std::optional<Mark> mark;
  Beat granted;  // this incarnation's last that was granted
  std::vector<RunProgress> progress = {};
  Beat granted_closed = {};  // the last that was granted in an epoch that is closed, if it is
};

struct StopOrder {
  RunId run;
  Reason reason = Reason::by_operator;
  bool operator==(const StopOrder&) const = default;
};

struct BeatAnswer {
  Refused refused = Refused::none;
  Incarnation self;
  Beat beat;  // the stored one: this one's, unless a later one was here first
  Time store_time{};
  StoreId store;
  Epoch epoch;
  bool closed = false;           // the store has forgotten something: remember, then open the next
  bool remembered = false;       // closed: this incarnation has
  std::uint64_t position = 0;    // grows with every write
  std::uint64_t clock_word = 0;  // how often a person has accepted the store's clock
  Time clock_word_at{};          // what it showed when they did so last
  bool disputed = false;  // the nodes' clocks are all it has, and this one must not go by its own
  std::vector<Shared<Node>> nodes;  // the living, this one included
  std::vector<JobRow> changed;
  std::uint64_t changes = 0;  // for the next beat's known_changes
  std::vector<StopOrder> stops;
  std::vector<Claim> held;  // every claim that the store holds for this incarnation
};

// ---- register ----------------------------------------------------------------------------------

/// A job with its first slot. There is no slot in (base, next), which lets the store set cursor and
/// next by its own clock although it cannot compute a schedule.
struct JobToRegister {
  Shared<Job> job;
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
  By by = {};
};
struct TriggerJob {
  JobUid job;
  std::string request;  // never seen before: one run; seen: nothing
  Shared<std::map<std::string, std::string>> env = {};
  By by = {};
};
struct CancelRun {
  RunId run;
  By by = {};
};
struct ReleaseRun {
  RunId run;
  By by = {};
};
struct BackfillSlot {
  JobUid job;
  Time slot{};
  bool again = false;
  By by = {};
};
struct RetireJob {
  JobUid job;
  std::int64_t covered = 0;  // slots that are owed: they are settled as one range
  std::optional<Time> next;  // the first that was not counted
  By by = {};
};
struct RecedeJob {
  JobUid job;
  Time base{};
  std::optional<Time> next;
  By by = {};
};
/// One slot, claimed by a process that runs it itself: its node, its job if nobody has defined it,
/// and the row are made in one step. Where its clock and the store's are farther apart than its
/// budget, one of them is wrong, and nothing is claimed.
struct ExecSlot {
  Node node;
  Job job;
  Time slot{};
  Time wall{};  // its clock as it started, gone on as its boot clock did
  Duration budget{};
};
/// In a closed epoch, what a node knows of the history that the store has forgotten: no slot up to
/// the mark's time runs again, what it runs is put back, what has ended is `lost` until its end is
/// told again, late, and what a former process began is `lost` unless the store knows it as alive.
struct Remember {
  Mark mark;
  std::vector<Claim> running;
  std::vector<Claim> ended;            // in the last hour
  std::vector<Claim> begun = {};       // the same, and no more is known of them
  std::vector<Incarnation> gone = {};  // that were ended, as this node saw: they stay so
};
/// Ends a closed epoch after one lease, when every living node has remembered.
struct OpenEpoch {
  Epoch closed;
  Beat beat = {};  // the asker's last that was granted in it; a store without it has forgotten it
};
/// A person takes over a copy or a restored store as it is: a new epoch, nothing of the past runs.
struct Adopt {
  By by = {};
};
/// A person says that the store's clock is right.
struct AcceptClock {
  By by = {};
};
using ControlAsk =
    std::variant<PauseJob, ResumeJob, TriggerJob, CancelRun, ReleaseRun, BackfillSlot, RetireJob,
                 RecedeJob, ExecSlot, Remember, OpenEpoch, Adopt, AcceptClock>;

struct ControlAnswer {
  Refused refused = Refused::none;
  std::optional<RunId> run;            // the row that was made or moved
  std::optional<Claim> claim;          // of `exec`: granted
  std::optional<SlotOutcome> settled;  // of `exec`: the slot has a record already
  std::vector<RunId> unknown;          // of `remember`: claims that could not be put back
  bool operator==(const ControlAnswer&) const = default;
};

// ---- once --------------------------------------------------------------------------------------

/// A key that is done at most once: not a slot, but with the same fence and end of its owner.
enum class KeyState : std::uint8_t { absent, running, done, failed, lost };

struct BeginKey {
  std::string key;
  bool rerun_lost = false;  // a key whose owner vanished may have been done
};
struct CompleteKey {
  std::string key;
  Fence fence;
  std::string result;
  Duration keep{};  // how long it stays done, from now on
};
struct FailKey {
  std::string key;
  Fence fence;
};
using OnceAsk = std::variant<BeginKey, CompleteKey, FailKey>;

struct OnceAnswer {
  Refused refused = Refused::none;
  KeyState state = KeyState::absent;  // after this step
  std::optional<Fence> fence;         // of a begin that was granted
  std::string result;                 // of a key that is done
  std::string owner;                  // the node that has it
  bool operator==(const OnceAnswer&) const = default;
};

// ---- what a lane remembers ---------------------------------------------------------------------

/// The outcome of a write, as the lane keeps it.
using Outcome =
    std::variant<std::monostate, DecideAnswers, std::vector<TakeAnswer>, std::vector<FinishAnswer>,
                 std::vector<SweepAnswer>, RegisterAnswer, ControlAnswer, OnceAnswer>;

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
