#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/interventions.h"
#include "cli/ledger.h"
#include "cli/shown_job.h"
#include "cli/slot_story.h"
#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

void print_part(const Console& console, std::string_view label, std::string_view text) {
  constexpr std::size_t kLabel = 11;
  print_row(console, kLabel, label, text);
}

/// `2026-03-29T01:30:00.007Z, 7ms after it was due`
std::string after(Time time, Time since, std::string_view what) {
  const Duration span = time - since;
  if (span < Duration{0}) return print(time);
  return fmt::format("{}, {} {}", print(time), human_span(span), what);
}

/// `2026-03-29T01:30:00Z by web-1, by revision 3 of the job`
std::string shown_decision(const Decided& decided) {
  if (!decided.at) return "";
  return fmt::format("{} by {}, by revision {} of the job", print(*decided.at),
                     decided.by.empty() ? "a person" : decided.by, decided.revision);
}

/// What the title says of a slot that has no state.
std::string_view title_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::future:
      return "not due yet";
    case Verdict::owed:
      return "due, not decided yet";
    case Verdict::purged:
      return "settled, record purged";
    default:
      return "nothing recorded";
  }
}

void print_attempt(const Run& run, const Job& job, bool only, const Console& console) {
  const Cell state = state_cell(run);
  const std::string title = state.colour ? paint(console, *state.colour, state.text) : state.text;
  const std::string origin = fmt::format("{}, {}", word(run.kind), explain_kind(run));
  const std::string label = fmt::format("attempt {}", run.id.attempt.value);
  if (only) {
    print_part(console, label, origin);
  } else {
    print_part(console, label, fmt::format("{}: {}", title, explain_state(run, job)));
    print_part(console, "", origin);
  }
  print_part(console, "  decided", shown_decision(run.decided));
  print_part(console, "  due", print(run.due));
  if (run.claimed_at) {
    print_part(console, "  claimed",
               after(*run.claimed_at, run.due, "after it was due, by the store's clock"));
    print_part(console, "  by",
               fmt::format("{}, fence {}, incarnation {}", run.node, run.fence->value,
                           print(*run.incarnation).substr(0, 8)));
  }
  if (run.started_at) {
    print_part(console, "  started",
               after(*run.started_at, run.claimed_at.value_or(run.due), "after the claim"));
  }
  if (run.finished_at) {
    print_part(console, "  finished",
               after(*run.finished_at, run.started_at.value_or(run.due), "after the start"));
  }
  print_part(console, "  progress", run.progress);
  print_part(console, "  output", as_utf8(last_line(run.output_tail)));
}

void print_for_people(const SlotStory& story, const ReadStore& read, const Console& console) {
  const JobRow& job = *story.asked.job;
  const bool recorded = story.verdict == Verdict::recorded;
  const Cell state = recorded      ? state_cell(story.attempts.back())
                     : story.range ? state_cell(*story.range)
                                   : Cell(std::string(title_of(story.verdict)));
  put(console.out,
      fmt::format("{}  {}\n", paint(console, Colour::bold, shown_slot(story.asked)),
                  state.colour ? paint(console, *state.colour, state.text) : state.text));
  if (story.is_slot()) print_part(console, "slot", shown_time(story.slot(), job, read.now));
  print_part(console, "why", explain_story(story, read));
  if (story.in_the_way) {
    print_part(console, "in the way",
               fmt::format("{} on {}", shown_id(*story.in_the_way), story.in_the_way->node));
  }
  if (!recorded && story.range) {
    print_part(console, "decided", shown_decision(story.range->decided));
  }
  if (recorded && story.range) {
    print_part(console, "before", "skipped with others: " + shown_id(*story.range));
  }
  for (const Intervention& one : story.interventions) {
    print_part(console, word(one.what), shown_intervention(one));
  }
  const bool only = story.attempts.size() == 1;
  for (const Run& run : story.attempts) print_attempt(run, *job.definition, only, console);
  if (recorded) print_part(console, "key", story.attempts.back().key);
  print_part(console, "definition",
             fmt::format("revision {} now: {}", job.revision, describe(job.definition->schedule)));
  const std::string by = job.moved_by->empty() ? "" : ", last moved by " + *job.moved_by;
  print_part(
      console, "plan",
      fmt::format("settled to {}, turn {}{}", print(job.plan.cursor), job.plan.turn.value, by));
}

json::object attempt_json(const Run& run, const JobRow& job) {
  json::object out = ledger_json({&job, run});
  out["due"] = print(run.due);
  out["why"] = explain_state(run, *job.definition);
  out["origin"] = explain_kind(run);
  out["decided_by"] = run.decided.by.empty() ? json::value() : json::value(run.decided.by);
  out["decided_at"] = time_json(run.decided.at);
  out["revision"] = run.decided.revision;
  out["incarnation"] = run.incarnation ? json::value(print(*run.incarnation)) : json::value();
  return out;
}

json::value line_json(const std::optional<Run>& run, const JobRow& job) {
  return run ? json::value(attempt_json(*run, job)) : json::value();
}

json::object story_json(const SlotStory& story, const ReadStore& read) {
  const JobRow& job = *story.asked.job;
  json::object out;
  out["job"] = shown_name(job);
  out["slot"] = time_json(story.is_slot() ? std::optional(story.slot()) : std::nullopt);
  if (!story.is_slot()) out["request"] = story.asked.any_attempt.request;
  out["verdict"] = json::value(word_of(story.verdict));
  const Run* last = !story.attempts.empty() ? &story.attempts.back()
                    : story.range           ? &*story.range
                                            : nullptr;
  out["state"] = last != nullptr ? json::value(word(last->state)) : json::value();
  out["reason"] = last != nullptr && last->reason != Reason::none ? json::value(word(last->reason))
                                                                  : json::value();
  out["why"] = explain_story(story, read);
  json::array attempts;
  for (const Run& run : story.attempts) attempts.push_back(attempt_json(run, job));
  out["attempts"] = attempts;
  out["range"] = line_json(story.range, job);
  out["in_the_way"] = line_json(story.in_the_way, job);
  out["interventions"] = interventions_json(story.interventions);
  out["slot_before"] = time_json(story.before == story.slot() ? std::nullopt : story.before);
  out["slot_after"] = time_json(story.after);
  out["home"] = story.home.empty() ? json::value() : json::value(story.home);
  out["revision"] = job.revision;
  out["cursor"] = print(job.plan.cursor);
  out["turn"] = job.plan.turn.value;
  out["moved_by"] = job.moved_by->empty() ? json::value() : json::value(*job.moved_by);
  return out;
}

}  // namespace

int run_why(const Args& args, const Console& console) {
  if (args.words.size() < 2) {
    return fail(console, kExitUsage,
                "which slot: try 'cronce why JOB SLOT', or 'cronce why JOB last'");
  }
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto job = find_one_job(*read, args.words[0]);
  if (!job) return fail(console, job.error());
  const auto asked = read_slot(*read, **job, args.words[1]);
  if (!asked) return fail(console, asked.error());
  auto story = read_story(*read, *asked, console);
  if (!story) return fail(console, story.error());
  const auto interventions = read_interventions(*read, **job);
  if (!interventions) return fail(console, interventions.error());
  story->interventions = concerning(*story, *interventions);
  if (args.has("--json")) {
    put(console.out, json::print(story_json(*story, *read)) + "\n");
  } else if (story->verdict == Verdict::not_a_slot) {
    put(console.err, fmt::format("cronce: {}: not a slot: {}\n", shown_slot(*asked),
                                 explain_story(*story, *read)));
  } else {
    print_for_people(*story, *read, console);
  }
  return story->verdict == Verdict::not_a_slot ? kExitNotFound : kExitDone;
}

}  // namespace cronce
