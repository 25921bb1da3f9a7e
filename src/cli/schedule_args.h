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

/// Its elements as a person would write them; the zone has a place of its own in what we print.
std::string written(const ScheduleSpec& schedule);

/// The one way of reading expressions that exists so far, and the answer to every other.
inline constexpr std::string_view kDialect = "cronce";
std::string wrong_dialect(std::string_view name);

/// The most times that `next` prints for one schedule.
inline constexpr std::int64_t kMostTimes = 100'000;

/// The expression, or the jobs of --file (one, if a job is named).
Result<std::vector<Asked>, Refusal> read_asked(const Args& args, const Console& console);

/// How the user calls the two parts of a DST rule: `--gap` or `gap`.
struct DstNames {
  std::string_view gap;
  std::string_view fold;
};

/// A rule from its words, where given.
Result<DstRule, Refusal> read_dst(const DstNames& names, const std::optional<std::string>& gap,
                                  const std::optional<std::string>& fold);

/// An expression with the value of --tz, where given, and a rule; also for --batch.
Result<Asked, Refusal> build_asked(const std::string& expr, const std::optional<std::string>& tz,
                                   DstRule rule);

/// The next times as texts.
json::array next_times(const Asked& asked, Time from, std::size_t count);

/// `next --batch`
int run_batch(const Console& console);

/// A written time; one without an offset is what the clocks of that zone show, and if they show it
/// twice the first.
Result<Time> read_time(std::string_view text, const Zone& zone);

/// --from, or now. Without an offset it is in the zone of all that was asked about, if that is one.
Result<Time, Refusal> read_from(const Args& args, const std::vector<Asked>& asked,
                                const Console& console);

/// For a --file that is right and empty; silence would look like a mistake.
int say_no_jobs(const Args& args, const Console& console);

}  // namespace cronce
