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

/// The elements alone: the zone has its own place in what we print.
std::string written(const ScheduleSpec& schedule) {
  std::string text;
  for (const ElementSpec& element : schedule.elements) {
    text += (text.empty() ? "" : " + ") + describe(element);
  }
  return text;
}

Result<std::vector<Asked>, Refusal> read_jobs(const Args& args, const Console& console) {
  auto files = read_files({*args.get("--file")}, args.get("--format"), console);
  if (!files) return files.error();
  std::vector<Asked> found;
  for (const ReadFile& file : *files) {
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

}  // namespace

std::string wrong_dialect(std::string_view name) {
  return fmt::format("dialect '{}' is not supported yet: use {}", name, kDialect);
}

Result<Asked, Refusal> build_asked(const std::string& expr, const std::optional<std::string>& tz,
                                   const std::optional<std::string>& gap,
                                   const std::optional<std::string>& fold) {
  ScheduleSpec spec;
  if (auto refusal = read_word("gap", gap, &spec.dst.gap)) return *refusal;
  if (auto refusal = read_word("fold", fold, &spec.dst.fold)) return *refusal;
  auto text = parse_schedule_text(expr);
  if (!text) return bad_expression(expr, text.error());
  if (std::holds_alternative<RebootSpec>(text->element)) {
    return Refusal{kExitBadData, "@reboot has no times: it runs once after each boot of a node"};
  }
  if (tz && text->timezone && *tz != *text->timezone) {
    return Refusal{kExitUsage, fmt::format("two zones: {} in the expression, {} as tz: drop one",
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
  if (args.has("--file")) {
    for (const std::string_view flag : {"--tz", "--gap", "--fold"}) {
      if (args.has(flag)) {
        return Refusal{kExitUsage,
                       fmt::format("{} does not go with --file: the file decides", flag)};
      }
    }
    return read_jobs(args, console);
  }
  if (args.words.empty()) {
    return Refusal{kExitUsage,
                   "no expression: give one in quotes, as in '0 2 * * *', or --file FILE"};
  }
  auto asked =
      build_asked(args.words.front(), args.get("--tz"), args.get("--gap"), args.get("--fold"));
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

Result<Time, Refusal> read_from(const Args& args, const Console& console) {
  const auto text = args.get("--from");
  if (!text) return console.clock.wall();
  const auto written = parse_written_time(*text);
  if (!written) return Refusal{kExitUsage, "--from: " + written.error().message};
  if (const auto instant = written->instant()) return *instant;
  const auto zone = load_zone(args.get("--tz").value_or("UTC"));
  if (!zone) return Refusal{kExitBadData, zone.error().message};
  const auto second = std::chrono::floor<Seconds>(written->civil);
  const auto found = resolve(**zone, second, DstRule{});
  CHECK(found.has_value());  // a skipped time jumps
  return Time{*found} + (written->civil - second);
}

}  // namespace cronce
