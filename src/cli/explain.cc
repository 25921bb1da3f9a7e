#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/clock_effects.h"
#include "cli/frequency.h"
#include "cli/human.h"
#include "cli/schedule_args.h"
#include "model/words.h"
#include "schedule/in_words.h"

namespace cronce {
namespace {

constexpr std::size_t kTimesShown = 5;

std::string class_of(const CivilElement& element, DstRule rule) {
  if (element.wildcard_hour()) {
    return "wildcard-hour: a skipped time does not run, a repeated time runs both times";
  }
  // One time is one slot, whatever the rule.
  if (!element.cron && rule.fold == Fold::both) rule.fold = Fold::first;
  const std::string_view gap = rule.gap == Gap::jump ? "a skipped time runs right after the gap"
                                                     : "a skipped time does not run";
  const std::string_view fold = rule.fold == Fold::first    ? "a repeated time runs the first time"
                                : rule.fold == Fold::second ? "a repeated time runs the second time"
                                                            : "a repeated time runs both times";
  return fmt::format("fixed-time: {}, {}", gap, fold);
}

void print_json(const Asked& asked, Time from, std::FILE* out) {
  json::object line;
  if (!asked.job.empty()) line["job"] = asked.job;
  line["expr"] = asked.expr;
  line["tz"] = asked.spec.timezone;
  line["words"] = in_words(asked.spec);
  json::array classes;
  for (const CivilElement& element : civil_elements(asked.spec)) {
    classes.push_back(json::value(element.wildcard_hour() ? "wildcard-hour" : "fixed-time"));
  }
  line["class"] = classes;
  line["gap"] = word(asked.spec.dst.gap);
  line["fold"] = word(asked.spec.dst.fold);
  line["runs_next_365_days"] = asked.schedule.count(from, from + kFrequencySpan);
  line["next"] = next_times(asked, from, kTimesShown);
  json::array changes;
  for (const ClockEffect& effect : clock_effects(asked, from)) {
    changes.push_back(effect_json(effect));
  }
  line["clock_changes"] = changes;
  put(out, json::print(line) + "\n");
}

void print_point(const Console& console, std::string_view label, std::string_view text) {
  constexpr std::size_t kLabel = 9;
  print_row(console, kLabel, label, text);
}

void print_remarks(const Asked& asked, const Console& console) {
  for (const CivilElement& element : civil_elements(asked.spec)) {
    if (!element.cron) continue;
    for (const CronRemark& remark : cron_remarks(element.text)) {
      print_point(console, remark.warning ? "warning" : "note", remark.text);
    }
  }
}

/// The class decides what happens when the clocks change; each is said once.
void print_classes(const Asked& asked, const Console& console) {
  std::set<std::string> classes;
  for (const CivilElement& element : civil_elements(asked.spec)) {
    classes.insert(class_of(element, asked.spec.dst));
  }
  for (const ElementSpec& element : asked.spec.elements) {
    if (!std::holds_alternative<EverySpec>(element)) continue;
    classes.insert("interval: follows elapsed time, whatever the clocks do");
  }
  for (const std::string& text : classes) print_point(console, "class", text);
}

/// Where no change is to be told, that is said too; one time has nothing to do with most changes.
void print_no_changes(const Asked& asked, std::size_t elements, const Console& console) {
  const auto all = civil_elements(asked.spec);
  const bool cron = std::any_of(
      all.begin(), all.end(), [](const CivilElement& element) { return element.cron.has_value(); });
  if (!cron) return;
  const std::string_view what = elements > 1 ? "no clock change that matters" : "no clock change";
  const bool bounded = asked.spec.between->from || asked.spec.between->to;
  print_point(
      console, "clocks",
      fmt::format("{} in the coming two years{}", what, bounded ? " between its bounds" : ""));
}

/// One line for each change. Of a list only the elements that it touches, or there would be no end.
void print_changes(const Asked& asked, Time from, const Console& console) {
  if (!asked.schedule.first_after(from)) return;
  const std::size_t elements = civil_elements(asked.spec).size();
  std::multimap<std::chrono::sys_seconds, std::string> lines;
  for (const auto& [element, change] : clock_effects(asked, from)) {
    if (elements > 1 && change.matching == 0) continue;
    const std::string which = elements > 1 ? element + ": " : "";
    lines.emplace(change.at,
                  fmt::format("{}  {}{}", change_text(change), which, effect_text(change)));
  }
  if (lines.empty()) print_no_changes(asked, elements, console);
  std::string_view label = "clocks";
  for (const auto& [at, text] : lines) {
    print_point(console, label, text);
    label = "";
  }
}

void print_next(const Asked& asked, Time from, const Console& console) {
  const auto times = asked.schedule.slots(from, kMaxTime, kTimesShown);
  const bool timed = !asked.schedule.delay_after_end() && !asked.schedule.at_boot();
  if (times.empty() && timed) print_point(console, "next", "no times left");
  if (times.empty()) return;
  print_point(console, "runs", frequency(asked.spec, asked.schedule, from));
  std::string_view label = "next";
  for (const Time slot : times) {
    print_point(console, label, human_time(slot, asked.schedule.zone()));
    label = "";
  }
}

void print_human(const Asked& asked, Time from, const Console& console) {
  const std::string title = asked.job.empty() ? asked.expr : asked.job;
  put(console.out, paint(console, Colour::bold, title) + "\n");
  if (!asked.job.empty()) print_point(console, "schedule", asked.expr);
  print_point(console, "words", in_words(asked.spec));
  print_point(console, "zone", asked.spec.timezone);
  print_classes(asked, console);
  print_remarks(asked, console);
  print_next(asked, from, console);
  print_changes(asked, from, console);
}

}  // namespace

int run_explain(const Args& args, const Console& console) {
  const auto asked = read_asked(args, console);
  if (!asked) return fail(console, asked.error());
  const auto from = read_from(args, *asked, console);
  if (!from) return fail(console, from.error());
  if (asked->empty()) return say_no_jobs(args, console);
  bool first = true;
  for (const Asked& one : *asked) {
    if (args.has("--json")) {
      print_json(one, *from, console.out);
      continue;
    }
    if (!first) put(console.out, "\n");
    first = false;
    print_human(one, *from, console);
  }
  return kExitDone;
}

}  // namespace cronce
