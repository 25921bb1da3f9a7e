#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/human.h"
#include "cli/schedule_args.h"

namespace cronce {
namespace {

Result<std::size_t, Refusal> read_count(const Args& args, std::size_t usual) {
  const auto text = args.get("--count");
  if (!text) return usual;
  const auto count = read_number("--count", *text, kMostTimes);
  if (!count) return count.error();
  return static_cast<std::size_t>(*count);
}

void print_json(const std::vector<Asked>& asked, Time from, std::size_t count, std::FILE* out) {
  for (const Asked& one : asked) {
    json::object line;
    if (!one.job.empty()) line["job"] = one.job;
    line["expr"] = one.expr;
    line["tz"] = one.spec.timezone;
    line["next"] = next_times(one, from, count);
    put(out, json::print(line) + "\n");
  }
}

struct Start {
  Time slot;
  const Asked* asked;
};

/// The next starts of all jobs together, in the order of time.
std::vector<Start> next_starts(const std::vector<Asked>& asked, Time from, std::size_t count) {
  std::vector<Start> starts;
  for (const Asked& one : asked) {
    for (const Time slot : one.schedule.slots(from, kMaxTime, count))
      starts.push_back({slot, &one});
  }
  // Equal times stay in the order of the file.
  std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    return std::tie(a.slot, a.asked) < std::tie(b.slot, b.asked);
  });
  if (starts.size() > count) starts.resize(count);
  return starts;
}

void print_times(const std::vector<Asked>& asked, const std::vector<Start>& starts,
                 std::optional<Time> relative_to, std::FILE* out) {
  // Zones mixed in one list: every line has both times, so that they stand below one another.
  const bool utc_only = std::all_of(asked.begin(), asked.end(),
                                    [](const Asked& one) { return one.spec.timezone == "UTC"; });
  for (const Start& start : starts) {
    const Zone& zone = start.asked->schedule.zone();
    std::string line =
        utc_only ? human_time(start.slot, zone) : human_time_in_full(start.slot, zone);
    if (relative_to) line += fmt::format("  {:<12}", human_distance(start.slot - *relative_to));
    if (!start.asked->job.empty()) line += "  " + start.asked->job;
    put(out, trim_right(line) + "\n");
  }
}

/// Only the store knows how many runs were made, so more starts than max_runs are just remarked.
void print_limits(const std::vector<Asked>& asked, const std::vector<Start>& starts,
                  std::FILE* out) {
  for (const Asked& one : asked) {
    const auto most = one.spec.between->max_runs;
    const auto shown = std::count_if(starts.begin(), starts.end(),
                                     [&](const Start& start) { return start.asked == &one; });
    if (!most || shown <= *most) continue;
    put(out, fmt::format("{}: at most {} in all, with those already made (max_runs)\n", one.job,
                         counted(static_cast<std::size_t>(*most), "run")));
  }
}

void print_without_times(const std::vector<Asked>& asked, Time from, std::FILE* out) {
  for (const Asked& one : asked) {
    if (one.schedule.first_after(from)) continue;
    const auto delay = one.schedule.delay_after_end();
    const std::string why = delay
                                ? fmt::format("{} after the end of its previous run", print(*delay))
                            : one.schedule.at_boot() ? "once after each boot"
                                                     : "no times left";
    put(out, fmt::format("{}{}{}\n", one.job, one.job.empty() ? "" : ": ", why));
  }
}

/// What else is said would not be heard: each line has its own zone, count and so on.
std::optional<Refusal> more_than_batch(const Args& args) {
  std::string extra = args.words.empty() ? "" : fmt::format("'{}'", args.words.front());
  for (const auto& [flag, value] : args.flags) {
    if (flag != "--batch" && flag != "--json") extra = flag;
  }
  if (extra.empty()) return std::nullopt;
  return Refusal{kExitUsage,
                 fmt::format("{} does not go with --batch: each line says what it wants", extra)};
}

}  // namespace

int run_next(const Args& args, const Console& console) {
  if (args.has("--batch")) {
    if (const auto refusal = more_than_batch(args)) return fail(console, *refusal);
    return run_batch(console);
  }
  const auto asked = read_asked(args, console);
  if (!asked) return fail(console, asked.error());
  const auto from = read_from(args, *asked, console);
  if (!from) return fail(console, from.error());
  const auto count = read_count(args, args.has("--file") ? 10 : 5);
  if (!count) return fail(console, count.error());
  if (asked->empty()) return say_no_jobs(args, console);
  if (args.has("--json")) {
    print_json(*asked, *from, *count, console.out);
    return kExitDone;
  }
  const auto starts = next_starts(*asked, *from, *count);
  print_times(*asked, starts, args.has("--from") ? std::nullopt : std::optional(*from),
              console.out);
  print_limits(*asked, starts, console.out);
  print_without_times(*asked, *from, console.out);
  return kExitDone;
}

}  // namespace cronce
