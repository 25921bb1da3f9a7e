// What is owed of a job at a time, as the entry that settles it.
//
// Pure arithmetic on the plan, the definition and the schedule: of the owed slots the newest runs
// if it is young enough, the others are skipped as one range, or enqueued under catch_up `all`: the
// newest too, unless it is within `grace`. The store judges the same things again; this only asks.
#pragma once

#include <optional>

#include "model/operation.h"
#include "model/plan.h"
#include "schedule/schedule.h"

namespace cronce {

/// A job as a node knows it: the store's row and the schedule built from it.
struct KnownJob {
  JobRow row;
  Shared<Schedule> schedule;
};

/// The first slot of a plan that begins at a time.
std::optional<Time> first_slot(const Schedule& schedule, Time after);

/// When a slot is due: its instant plus the job's jitter.
Time due_time(const Job& job, Time slot);

/// When the job's next slot is due; none if it has none.
std::optional<Time> next_due(const KnownJob& job);

/// The entry that settles all that is due by `now`; none if nothing is.
std::optional<DecideEntry> owed(const KnownJob& job, Time now, SlotToRun::How how);

}  // namespace cronce
