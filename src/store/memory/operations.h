// The operations of the memory store, each one atomic step on the tables.
#pragma once

#include <span>
#include <vector>

#include "store/memory/tables.h"

namespace cronce::memory {

BeatAnswer beat(Tables& tables, const BeatAsk& ask, Time now);
DecideAnswers decide(Tables& tables, const DecideAsk& ask, const Step& step);
std::vector<TakeAnswer> take(Tables& tables, std::span<const RunId> runs, const Step& step);
std::vector<FinishAnswer> finish(Tables& tables, std::span<const FinishEntry> ends,
                                 const Step& step);
std::vector<SweepAnswer> sweep(Tables& tables, std::span<const SweepEntry> nodes, const Step& step);
RegisterAnswer enroll(Tables& tables, const RegisterAsk& ask, const Step& step);
ControlAnswer control(Tables& tables, const ControlAsk& ask, const Step& step);

/// What follows the end of a run: a retry, a rerun, a held attempt, the next slot of `after`.
void follow_up(Tables& tables, JobRow& job, const Run& ended, const Step& step);

/// An `after` schedule counts on from now, if nothing of it is under way.
void rearm_after(Tables& tables, JobRow& job, const Step& step);

/// Forgets what is beyond the job's history limits, never above the cursor.
void purge(Tables& tables, JobRow& job, Time now);

}  // namespace cronce::memory
