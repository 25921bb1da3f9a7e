// `backfill`: slots of the past that did not run.
#include <algorithm>

#include <fmt/format.h>

#include "cli/human.h"
#include "cli/ledger.h"
#include "cli/past_slots.h"
#include "cli/steer.h"
#include "model/words.h"

namespace cronce {
namespace {

constexpr std::int64_t kUsualLimit = 100;
constexpr std::int64_t kGreatestLimit = 10'000;

Refusal not_settled(const JobRow& job, Time slot) {
  return {kExitTryLater,
          fmt::format("{}@{}: it is not settled yet, and may still run by the schedule; 'cronce "
                      "trigger {}' runs the job now",
                      shown_name(job), print(slot), shown_name(job))};
}

/// SLOT
Result<std::vector<PastSlot>, Refusal> read_one(const Args& args, const ReadStore& read,
                                                const JobRow& job) {
  const auto asked = read_slot(read, job, args.words[1]);
  if (!asked) return asked.error();
  if (asked->any_attempt.space != Space::slot) {
    return Refusal{kExitUsage, fmt::format("{}: a request is no slot: 'cronce trigger {}' makes "
                                           "another one",
                                           shown_slot(*asked), shown_name(job))};
  }
  const Time slot = asked->any_attempt.slot;
  if (slot > job.plan.cursor) return not_settled(job, slot);
  auto slots = read_past_slots(read, job, slot, slot);
  if (!slots || !slots->empty()) return slots;
  return Refusal{kExitNotFound, fmt::format("{}: not a slot: 'cronce why {} {}' says which are "
                                            "near",
                                            shown_slot(*asked), shown_name(job), print(slot))};
}

/// --from, --to
Result<std::vector<PastSlot>, Refusal> read_range(const Args& args, const ReadStore& read,
                                                  const JobRow& job) {
  const auto zone = load_zone(job.definition->schedule.timezone);
  if (!zone) return Refusal{kExitBadData, zone.error().message};
  const auto window = read_window(args, **zone, read.now);
  if (!window) return window.error();
  const Time to = std::min(window->to, read.now);
  auto slots = read_past_slots(read, job, window->from, to);
  if (!slots || !slots->empty()) return slots;
  return Refusal{kExitNotFound, fmt::format("{}: no slot that is settled lies between {} and {}",
                                            shown_name(job), print(window->from), print(to))};
}

Result<std::vector<PastSlot>, Refusal> read_meant(const Args& args, const ReadStore& read,
                                                  const JobRow& job) {
  const bool one = args.words.size() > 1;
  const bool range = args.has("--from") || args.has("--to");
  if (one && range) {
    return Refusal{kExitUsage, "backfill: a slot and --from or --to: which is meant?"};
  }
  if (!one && !args.has("--from")) {
    return Refusal{kExitUsage,
                   "which slots: try 'cronce backfill JOB SLOT', or 'cronce backfill "
                   "JOB --from TIME --to TIME'"};
  }
  if (job.retired()) return refusal_of(Refused::retired, shown_name(job));
  return one ? read_one(args, read, job) : read_range(args, read, job);
}

/// More than were meant would be a mistake that cannot be taken back.
std::optional<Refusal> too_many_to_run(const Args& args, std::size_t count) {
  std::int64_t limit = kUsualLimit;
  if (const auto text = args.get("--limit")) {
    const auto number = read_number("--limit", *text, kGreatestLimit);
    if (!number) return number.error();
    limit = *number;
  }
  if (count <= static_cast<std::size_t>(limit)) return std::nullopt;
  return Refusal{
      kExitUsage,
      fmt::format("backfill: {} slots would run, and at most {} may at once: nothing was "
                  "asked for: --dry-run lists them, --limit N allows more (at most {})",
                  count, limit, kGreatestLimit)};
}

std::string_view why_left_out(const PastSlot& slot) {
  switch (slot.fate) {
    case Fate::open:
      return "left out: it is not over";
    case Fate::ran:
      return "left out: it may have run (--again)";
    default:
      return "left out: it is older than the job, or its record was purged (--again)";
  }
}

json::object slot_json(const JobRow& job, const PastSlot& slot, bool would_run) {
  json::object out;
  out["job"] = shown_name(job);
  out["slot"] = print(slot.slot);
  out["state"] = slot.last ? json::value(word(slot.last->state)) : json::value();
  const bool reason = slot.last && slot.last->reason != Reason::none;
  out["reason"] = reason ? json::value(word(slot.last->reason)) : json::value();
  out["would_run"] = would_run;
  out["again"] = would_run && slot.fate != Fate::runs;
  return out;
}

int print_dry_run(const JobRow& job, const std::vector<PastSlot>& slots, const Args& args,
                  const Console& console) {
  const bool again = args.has("--again");
  Table table({{"SLOT"}, {"STATE"}, {"BACKFILL"}});
  std::size_t count = 0;
  for (const PastSlot& slot : slots) {
    const bool runs = slot.is_asked(again);
    count += static_cast<std::size_t>(runs);
    if (args.has("--json")) {
      put(console.out, json::print(slot_json(job, slot, runs)) + "\n");
    }
    table.add({print(slot.slot), shown_fate(slot),
               !runs                     ? std::string(why_left_out(slot))
               : slot.fate == Fate::runs ? std::string("would run")
                                         : std::string("would run again, with a new key")});
  }
  if (args.has("--json")) return kExitDone;
  put(console.out, table.print(console));
  put(console.out, fmt::format("{} of {} would run\n", count, counted(slots.size(), "slot")));
  return kExitDone;
}

Refusal not_backfilled(Refused refused, const std::string& name) {
  switch (refused) {
    case Refused::stale:
      return {kExitTryLater, name + ": it may have run: --again runs it all the same"};
    case Refused::busy:
      return {kExitTryLater, name + ": it waits or runs already"};
    case Refused::future:
      return {kExitTryLater, name + ": it is not settled yet, and may still run by the schedule"};
    default:
      return refusal_of(refused, name);
  }
}

std::string why_refused(const PastSlot& slot) {
  switch (slot.fate) {
    case Fate::open:
      return fmt::format("it is {}: it is not over", shown_fate(slot));
    case Fate::ran:
      return fmt::format("it may have run ({}): --again runs it all the same", shown_fate(slot));
    default:
      return "nothing is recorded of it: it is older than the job, or its record was purged: "
             "--again runs it all the same";
  }
}

/// What was left out of a single slot is the answer; of many it is a number.
int print_left_out(const JobRow& job, const std::vector<PastSlot>& left, std::size_t asked,
                   const Args& args, const Console& console) {
  if (left.empty()) return kExitDone;
  if (left.size() == 1 && asked == 0) {
    return fail(console, kExitTryLater,
                fmt::format("{}@{}: {}", shown_name(job), print(left.front().slot),
                            why_refused(left.front())));
  }
  const std::string text = fmt::format(
      "{} left out: what waits, runs, may have run or has no record; --dry-run lists all",
      counted(left.size(), "slot"));
  if (asked == 0) return fail(console, kExitTryLater, text);
  if (!args.has("--json")) put(console.err, fmt::format("cronce: {}\n", text));
  return kExitDone;
}

/// One after the other, oldest first: each is one step of the store.
int ask_all(Steer& steer, const JobRow& job, const std::vector<PastSlot>& slots, const Args& args,
            const Console& console) {
  const bool again = args.has("--again");
  std::vector<PastSlot> left;
  std::size_t asked = 0;
  int worst = kExitDone;
  for (const PastSlot& slot : slots) {
    if (!slot.is_asked(again)) {
      left.push_back(slot);
      continue;
    }
    const std::string name = fmt::format("{}@{}", shown_name(job), print(slot.slot));
    const auto answer = steer.steering->ask(BackfillSlot{job.uid, slot.slot, again, steer.by});
    if (!answer) return fail(console, unanswered(answer.error(), name));
    if (answer->refused != Refused::none) {
      worst = fail(console, not_backfilled(answer->refused, name));
      continue;
    }
    ++asked;
    if (args.has("--json")) {
      json::object out = slot_json(job, slot, true);
      out["attempt"] = answer->run->attempt.value;
      put(console.out, json::print(out) + "\n");
    } else {
      put(console.out, fmt::format("{}: asked for{}\n", shown_run(job, *answer->run),
                                   slot.fate == Fate::runs ? "" : ", again"));
    }
  }
  if (asked > 0 && job.paused()) {
    put(console.err, fmt::format("cronce: {} is paused: what was asked for waits for the end of "
                                 "that\n",
                                 shown_name(job)));
  }
  const int rest = print_left_out(job, left, asked, args, console);
  return worst != kExitDone ? worst : rest;
}

}  // namespace

int run_backfill(const Args& args, const Console& console) {
  if (args.words.empty()) {
    return fail(console, kExitUsage, "no job: try 'cronce backfill JOB SLOT'");
  }
  auto steer = open_steer(args, console);
  if (!steer) return fail(console, steer.error());
  const auto job = find_one_job(steer->read, args.words.front());
  if (!job) return fail(console, job.error());
  const auto slots = read_meant(args, steer->read, **job);
  if (!slots) return fail(console, slots.error());
  if (args.has("--dry-run")) return print_dry_run(**job, *slots, args, console);
  const bool again = args.has("--again");
  const auto count = std::count_if(slots->begin(), slots->end(),
                                   [&](const PastSlot& slot) { return slot.is_asked(again); });
  if (const auto refusal = too_many_to_run(args, static_cast<std::size_t>(count))) {
    return fail(console, *refusal);
  }
  return ask_all(*steer, **job, *slots, args, console);
}

}  // namespace cronce
