#include <fmt/format.h>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/ledger.h"
#include "model/words.h"

namespace cronce {
namespace {

constexpr std::size_t kUsual = 100;
constexpr std::int64_t kMost = 1'000'000;

Result<std::size_t, Refusal> read_limit(const Args& args) {
  const auto text = args.get("--limit");
  if (!text) return kUsual;
  const auto limit = read_number("--limit", *text, kMost);
  if (!limit) return limit.error();
  return static_cast<std::size_t>(*limit);
}

Refusal no_such_state(std::string_view text) {
  const auto& words = Words<RunState>::kList;
  const auto nearest = suggest(text, words);
  return {kExitUsage,
          nearest
              ? fmt::format("--state: no state '{}': did you mean '{}'?", text, *nearest)
              : fmt::format("--state: no state '{}': there are {}", text, fmt::join(words, ", "))};
}

/// `failed,lost`
Result<std::vector<RunState>, Refusal> read_states(const Args& args) {
  std::vector<RunState> states;
  for (const std::string& word : split(args.get("--state").value_or(""), ',')) {
    const auto state = from_word<RunState>(word);
    if (!state) return no_such_state(word);
    states.push_back(*state);
  }
  return states;
}

/// The zone in which times without an offset are meant: the job's.
ZoneResult zone_of(const LedgerAsk& ask) {
  return load_zone(ask.jobs.empty() ? "UTC" : ask.jobs.front()->definition->schedule.timezone);
}

std::optional<Refusal> read_times(const Args& args, Time now, LedgerAsk& ask) {
  const auto zone = zone_of(ask);
  if (!zone) return Refusal{kExitBadData, zone.error().message};
  const auto window = read_window(args, **zone, now);
  if (!window) return window.error();
  ask.from = window->from;
  ask.to = window->to;
  return std::nullopt;
}

Result<LedgerAsk, Refusal> read_ask(const Args& args, const ReadStore& read) {
  LedgerAsk ask;
  ask.attempts = args.has("--attempts");
  ask.ranges = args.has("--ranges");
  if (!args.words.empty()) {
    auto jobs = find_jobs(read, args.words.front());
    if (!jobs) return jobs.error();
    ask.jobs = *std::move(jobs);
  }
  const auto limit = read_limit(args);
  if (!limit) return limit.error();
  ask.limit = *limit;
  auto states = read_states(args);
  if (!states) return states.error();
  ask.states = *std::move(states);
  if (const auto refusal = read_times(args, read.now, ask)) return *refusal;
  return ask;
}

void print_for_people(const LedgerLines& found, const LedgerAsk& ask, const ReadStore& read,
                      const Console& console) {
  if (found.lines.empty()) {
    const bool narrowed = ask.from != kMinTime || ask.to != kMaxTime || !ask.states.empty();
    put(console.out, narrowed ? "nothing recorded that fits\n" : "nothing recorded yet\n");
    return;
  }
  const bool with_jobs = ask.jobs.size() != 1;
  put(console.out, ledger_table(found.lines, read.now, with_jobs).print(console));
  if (!found.more) return;
  put(console.out,
      paint(console, Colour::dim, fmt::format("the newest {}; --limit shows more", ask.limit)) +
          "\n");
}

}  // namespace

int run_history(const Args& args, const Console& console) {
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto ask = read_ask(args, *read);
  if (!ask) return fail(console, ask.error());
  const auto found = read_ledger(*read, *ask);
  if (!found) return fail(console, found.error());
  if (!args.has("--json")) {
    print_for_people(*found, *ask, *read, console);
    return kExitDone;
  }
  for (const LedgerLine& line : found->lines) {
    put(console.out, json::print(ledger_json(line)) + "\n");
  }
  return kExitDone;
}

}  // namespace cronce
