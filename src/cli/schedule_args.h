// What `next` and `explain` are asked about: one expression with its flags, or jobs of a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/command.h"
#include "model/schedule_spec.h"
#include "schedule/schedule.h"

namespace cronce {

/// A schedule that is known to be right, and how the user named it.
struct Asked {
  std::string job;   // empty for an expression
  std::string expr;  // as written
  ScheduleSpec spec;
  Schedule schedule;
};

/// The one way of reading expressions that exists so far, and the answer to every other.
inline constexpr std::string_view kDialect = "cronce";
std::string wrong_dialect(std::string_view name);

/// The most times that `next` prints for one schedule.
inline constexpr std::int64_t kMostTimes = 100'000;

/// The expression, or the jobs of --file (one, if a job is named).
Result<std::vector<Asked>, Refusal> read_asked(const Args& args, const Console& console);

/// An expression with the values of --tz, --gap and --fold, where given; also for --batch.
Result<Asked, Refusal> build_asked(const std::string& expr, const std::optional<std::string>& tz,
                                   const std::optional<std::string>& gap,
                                   const std::optional<std::string>& fold);

/// The next times as texts.
json::array next_times(const Asked& asked, Time from, std::size_t count);

/// `next --batch`
int run_batch(const Console& console);

/// --from, or now.
Result<Time, Refusal> read_from(const Args& args, const Console& console);

}  // namespace cronce
