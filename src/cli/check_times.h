// What the jobs of a file would do: how often each would run, and when next.
//
// A wrong expression does what it says; who reads the times sees that it is not what was meant.
#pragma once

#include "base/json.h"
#include "cli/command.h"
#include "model/job.h"

namespace cronce {

/// A line for each job.
std::string times_table(const JobSet& set, Time from, const Console& console);

/// `{"job","runs":"96 a day","next":[...]}` for each job.
json::array times_json(const JobSet& set, Time from);

}  // namespace cronce
