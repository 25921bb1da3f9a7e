// The operations of a store that judges in this process, each one atomic step on the tables.
//
// One file each: beat; decide and take; the changes of a plan; finish and sweep; purge; register;
// control; exec; once; and what happens when the store has forgotten.
#pragma once

#include <span>
#include <vector>

#include "store/embedded/tables.h"

namespace cronce::embedded {

BeatAnswer beat(Tables& tables, const BeatAsk& ask, Time now);
DecideAnswers decide(Tables& tables, const DecideAsk& ask, const Step& step);
std::vector<TakeAnswer> take(Tables& tables, std::span<const RunId> runs, const Step& step);
std::vector<FinishAnswer> finish(Tables& tables, std::span<const FinishEntry> ends,
                                 const Step& step);
std::vector<SweepAnswer> sweep(Tables& tables, std::span<const SweepEntry> nodes, const Step& step);
RegisterAnswer enroll(Tables& tables, const RegisterAsk& ask, const Step& step);
ControlAnswer control(Tables& tables, const ControlAsk& ask, const Step& step);
OnceAnswer once(Tables& tables, const OnceAsk& ask, const Step& step);

// ---- parts of `decide` and `control` -----------------------------------------------------------

Refused resume(Tables& tables, const ResumeJob& ask, const Step& step);
Refused change_plan(Tables& tables, const PlanChange& change, const Step& step);
ControlAnswer exec(Tables& tables, const ExecSlot& ask, const Step& step);

/// No plan any more: what is owed becomes one range, and what waits ends, both for that reason.
void retire(Tables& tables, JobRow& job, std::int64_t covered, Reason reason, const Step& step);

// ---- when the store has forgotten --------------------------------------------------------------

/// Closes the epoch if the store is not where it was: something may have been forgotten.
void notice(Tables& tables);
/// The same if this beat shows it.
void notice(Tables& tables, const BeatAsk& ask);
/// The same of a write: the lane is behind what the asker was answered.
void notice(Tables& tables, const WriteId& id, const Lane& lane);
ControlAnswer remember(Tables& tables, const Remember& ask, const Step& step);
ControlAnswer open_epoch(Tables& tables, const OpenEpoch& ask, const Step& step);
ControlAnswer adopt(Tables& tables, const Step& step);

// ---- ends --------------------------------------------------------------------------------------

/// Ends an incarnation: its runs and keys are lost. Answers how many runs.
std::int64_t end_node(Tables& tables, NodeRow& node, Reason reason, const Step& step);
void lose_keys(Tables& tables, const Incarnation& incarnation);

/// What follows the end of a run: a retry, a rerun, a held attempt, the next slot of `after`.
void follow_up(Tables& tables, JobRow& job, const Run& ended, const Step& step);

/// An `after` schedule counts on from now, if nothing of it is under way.
void rearm_after(Tables& tables, JobRow& job, const Step& step);

/// Forgets what is beyond the history limits of each job, and keys whose time is over.
void purge(Tables& tables, const Step& step);
void purge_keys(Tables& tables, Time now);

}  // namespace cronce::embedded
