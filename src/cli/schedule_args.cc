#include "cli/schedule_args.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.h"
#include "cli/files.h"
#include "model/describe.h"
#include "model/words.h"
#include "schedule/civil.h"
#include "schedule/schedule_text.h"

namespace cronce {
namespace {

/// The expression with a caret under the character where it goes wrong.
std::string point_at(std::string_view expr, std::size_t offset) {
  constexpr std::size_t kLongestShown = 100;
  const bool shown =
      expr.size() <= kLongestShown &&
      std::all_of(expr.begin(), expr.end(), [](char c) { return c >= ' ' && c < 127; });
  if (expr.find_first_not_of(' ') == std::string_view::npos) return "";
  if (!shown) return fmt::format(" (at byte {})", offset + 1);
  return fmt::format("\n  {}\n  {:>{}}", expr, '^', offset + 1);
}

Refusal bad_expression(std::string_view expr, const ParseError& error) {
  return {kExitBadData,
          fmt::format("bad expression: {}{}", error.message, point_at(expr, error.offset))};
}

/// `first, second or both`
template <class E>
std::string choices() {
  std::string text;
  for (const std::string_view word : Words<E>::kList) {
    if (!text.empty()) text += word == Words<E>::kList.back() ? " or " : ", ";
    text += word;
  }
  return text;
}

template <class E>
std::optional<Refusal> read_word(std::string_view flag, const std::optional<std::string>& text,
                                 E* out) {
  if (!text) return std::nullopt;
  const auto value = from_word<E>(*text);
  if (!value) {
    return Refusal{kExitUsage, fmt::format("{}: '{}' is not one of {}", flag, *text, choices<E>())};
  }
  *out = *value;
  return std::nullopt;
}

Refusal no_such_job(const std::string& name, const std::vector<Asked>& known) {
  std::vector<std::string_view> names;
  for (const Asked& asked : known) names.push_back(asked.job);
  const auto nearest = suggest(name, names);
  return {kExitNotFound, nearest ? fmt::format("no job '{}': did you mean '{}'?", name, *nearest)
                                 : fmt::format("no job '{}' in that file", name)};
}

Result<std::vector<Asked>, Refusal> read_jobs(const Args& args, const Console& console) {
  auto read = read_files({*args.get("--file")}, args.get("--format"), console);
  if (!read) return read.error();
  std::vector<Asked> found;
  for (const ReadFile& file : read->files) {
    if (!file.unreadable.empty()) {
      return Refusal{kExitNotFound, fmt::format("cannot read {}: {}", file.path, file.unreadable)};
    }
    if (!file.content.usable()) {
      return Refusal{kExitBadData,
                     fmt::format("{} has errors: run 'cronce check {}'", file.path, file.path)};
    }
    for (const Job& job : file.content.set.jobs) {
      auto schedule = Schedule::build(job.schedule);
      CHECK(schedule.ok());  // a usable file holds only jobs that build
      found.push_back({job.name.text(), written(job.schedule), job.schedule, *std::move(schedule)});
    }
  }
  if (args.words.empty()) return found;
  for (Asked& asked : found) {
    if (asked.job == args.words.front()) return std::vector<Asked>{std::move(asked)};
  }
  return no_such_job(args.words.front(), found);
}

/// A flag that would not be heard.
std::optional<Refusal> misplaced_flag(const Args& args) {
  if (!args.has("--file")) {
    if (!args.has("--format")) return std::nullopt;
    return Refusal{kExitUsage, "--format goes with --file only: an expression has no format"};
  }
  for (const std::string_view flag : {"--tz", "--gap", "--fold"}) {
    if (!args.has(flag)) continue;
    return Refusal{kExitUsage, fmt::format("{} does not go with --file: the file decides", flag)};
  }
  if (!args.has("--job")) return std::nullopt;
  return Refusal{kExitUsage,
                 "--job does not go with --file: to choose a job write its name without a flag"};
}

}  // namespace

std::string written(const ScheduleSpec& schedule) {
  std::string text;
  for (const ElementSpec& element : schedule.elements) {
    text += (text.empty() ? "" : " + ") + describe(element);
  }
  return text;
}

std::string wrong_dialect(std::string_view name) {
  return fmt::format("dialect '{}' is not supported yet: use {}", name, kDialect);
}

Result<DstRule, Refusal> read_dst(const DstNames& names, const std::optional<std::string>& gap,
                                  const std::optional<std::string>& fold) {
  DstRule rule;
  if (auto refusal = read_word(names.gap, gap, &rule.gap)) return *refusal;
  if (auto refusal = read_word(names.fold, fold, &rule.fold)) return *refusal;
  return rule;
}

Result<Asked, Refusal> build_asked(const std::string& expr, const std::optional<std::string>& tz,
                                   DstRule rule) {
  ScheduleSpec spec;
  spec.dst = rule;
  auto text = parse_schedule_text(expr);
  if (!text) return bad_expression(expr, text.error());
  if (std::holds_alternative<RebootSpec>(text->element)) {
    return Refusal{kExitBadData, "@reboot has no times: it runs once after each boot of a node"};
  }
  if (tz && text->timezone && *tz != *text->timezone) {
    return Refusal{kExitBadData, fmt::format("two zones: {} in the expression, {} as tz: drop one",
                                             *text->timezone, *tz)};
  }
  spec.timezone = tz.value_or(text->timezone.value_or("UTC"));
  spec.elements.push_back(std::move(text->element));
  auto schedule = Schedule::build(spec);
  if (!schedule) {
    const bool zone = schedule.error().part == ScheduleError::Part::timezone;
    return Refusal{kExitBadData, (zone ? "" : "bad expression: ") + schedule.error().message};
  }
  return Asked{"", expr, std::move(spec), *std::move(schedule)};
}

Result<std::vector<Asked>, Refusal> read_asked(const Args& args, const Console& console) {
  const std::string dialect = args.get("--dialect").value_or(std::string(kDialect));
  if (dialect != kDialect) return Refusal{kExitUsage, wrong_dialect(dialect)};
  if (const auto refusal = misplaced_flag(args)) return *refusal;
  if (args.has("--file")) return read_jobs(args, console);
  if (args.words.empty()) {
    return Refusal{kExitUsage,
                   "no expression: give one in quotes, as in '0 2 * * *', or --file FILE"};
  }
  const auto rule = read_dst({"--gap", "--fold"}, args.get("--gap"), args.get("--fold"));
  if (!rule) return rule.error();
  auto asked = build_asked(args.words.front(), args.get("--tz"), *rule);
  if (!asked) return asked.error();
  std::vector<Asked> one;
  one.push_back(*std::move(asked));
  return one;
}

json::array next_times(const Asked& asked, Time from, std::size_t count) {
  json::array times;
  for (const Time slot : asked.schedule.slots(from, kMaxTime, count)) {
    times.push_back(json::value(print(slot)));
  }
  return times;
}

Result<Time> read_time(std::string_view text, const Zone& zone) {
  const auto written = parse_written_time(text);
  if (!written) return written.error();
  if (const auto instant = written->instant()) return *instant;
  const auto second = std::chrono::floor<Seconds>(written->civil);
  const auto found = resolve(zone, second, DstRule{});
  CHECK(found.has_value());  // a skipped time jumps
  return Time{*found} + (written->civil - second);
}

Result<Time, Refusal> read_from(const Args& args, const std::vector<Asked>& asked,
                                const Console& console) {
  const auto text = args.get("--from");
  if (!text) return console.clock.wall();
  const auto written = parse_written_time(*text);
  if (!written) return Refusal{kExitUsage, "--from: " + written.error().message};
  if (const auto instant = written->instant()) return *instant;
  const bool one_zone = std::all_of(asked.begin(), asked.end(), [&](const Asked& one) {
    return one.spec.timezone == asked.front().spec.timezone;
  });
  if (!one_zone) {
    return Refusal{kExitUsage, fmt::format("--from: '{}' has no UTC offset, and the jobs are in "
                                           "several zones: end it with Z or with one like +01:00",
                                           *text)};
  }
  if (asked.empty()) return console.clock.wall();  // nobody will use it
  const auto time = read_time(*text, asked.front().schedule.zone());
  CHECK(time.ok());  // it was read above
  return *time;
}

int say_no_jobs(const Args& args, const Console& console) {
  const std::string file = args.get("--file").value_or("");
  if (!args.has("--json")) {
    put(console.out, fmt::format("no jobs in {}\n", file == "-" ? "<stdin>" : file));
  }
  return kExitDone;
}

}  // namespace cronce
