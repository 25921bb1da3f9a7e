// A job's row in the store as `jobs` and `show` print it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/store_args.h"
#include "cli/table.h"

namespace cronce {

/// The newest record of a job that does not wait, of a range its last slot; without output. None if
/// nothing is recorded.
Result<std::optional<Run>, Refusal> newest_run(const ReadStore& read, const JobRow& job);

/// The same of many jobs at once: those that ran lately are found in one look at the newest rows of
/// all, and only the others are asked for one by one. By the job's uid.
Result<std::map<JobUid, Run>, Refusal> newest_runs(const ReadStore& read,
                                                   const std::vector<const JobRow*>& jobs);

/// `in 3h12m`, or why there is none: `paused`, `retired`, ...
Cell next_cell(const JobRow& job, Time now);

/// In the job's zone and in UTC, and how far it is.
std::string shown_time(Time time, const JobRow& job, Time now);

/// `by alice@web-1 until 2026-01-01T00:00:00Z: release freeze`; empty if it is not. `who` is the
/// person, if one paused it.
std::string shown_pause(const JobRow& job, const std::string& who);

/// A key of the job file and its value in words; empty if it is not set.
struct JobKey {
  std::string_view name;
  std::string text;
  bool telling = true;  // not what every job has
};
/// All but the schedule. Of the environment only the names: values may be secrets.
std::vector<JobKey> definition_of(const Job& job);
json::object definition_json(const Job& job);

/// What is known of the job, but for its definition and its runs.
json::object job_json(const JobRow& job);

}  // namespace cronce
