// What the jobs of a file would do: how often each would run, and when next.
//
// A wrong expression does what it says; who reads the times sees that it is not what was meant.
#pragma once

#include <functional>

#include "base/json.h"
#include "cli/command.h"
#include "model/job.h"
#include "schedule/zone.h"

namespace cronce {

/// After which the times of a job in that zone are meant.
using Begin = std::function<Time(const Zone&)>;

/// A line for each job, with at most five times and no more than its `max_runs`.
std::string times_table(const JobSet& set, const Begin& begin, const Console& console);

/// `{"job","runs":"96 a day","next":[...]}` for each job.
json::array times_json(const JobSet& set, const Begin& begin);

}  // namespace cronce
