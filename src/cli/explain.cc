#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/human.h"
#include "cli/schedule_args.h"
#include "model/words.h"
#include "schedule/clock_change.h"
#include "schedule/in_words.h"

namespace cronce {
namespace {

constexpr std::chrono::days kTwoYears{731};
constexpr std::size_t kTimesShown = 5;

struct CronElement {
  CronExpr expr;
  std::string text;
};

std::vector<CronElement> cron_elements(const ScheduleSpec& spec) {
  std::vector<CronElement> found;
  for (const ElementSpec& element : spec.elements) {
    const auto* cron = std::get_if<CronSpec>(&element);
    if (cron == nullptr) continue;
    auto expr = CronExpr::parse(cron->text);
    CHECK(expr.ok());  // the schedule was built from it
    found.push_back({*expr, cron->text});
  }
  return found;
}

std::string class_of(const CronExpr& expr, DstRule rule) {
  if (expr.wildcard_hour()) {
    return "wildcard-hour: a skipped time does not run, a repeated time runs both times";
  }
  const std::string_view gap = rule.gap == Gap::jump ? "a skipped time runs right after the gap"
                                                     : "a skipped time does not run";
  const std::string_view fold = rule.fold == Fold::first    ? "a repeated time runs the first time"
                                : rule.fold == Fold::second ? "a repeated time runs the second time"
                                                            : "a repeated time runs both times";
  return fmt::format("fixed-time: {}, {}", gap, fold);
}

/// `96`, `about 21.7`
std::string ratio(std::int64_t runs, std::int64_t parts) {
  if (runs % parts == 0) return std::to_string(runs / parts);
  const auto text = fmt::format("{:.1f}", static_cast<double>(runs) / static_cast<double>(parts));
  return "about " + (text.ends_with(".0") ? text.substr(0, text.size() - 2) : text);
}

/// How often over the coming year: `96 a day`, `about 21.7 a month`. A daily job that misses a day
/// of the clocks is still a daily one.
std::string frequency(const Schedule& schedule, Time from) {
  const std::int64_t runs = schedule.count(from, from + std::chrono::days{365});
  if (runs >= 363) return ratio(runs, 365) + " a day";
  if (runs >= 12) return ratio(runs, 12) + " a month";
  return runs == 0 ? "none in the coming year" : fmt::format("{} in the coming year", runs);
}

std::string clock_text(CivilTime time) {
  const std::string text = print(time);
  return text.ends_with(":00") ? text.substr(11, 5) : text.substr(11);
}

std::string local_clock(const ClockChange& change, std::chrono::sys_seconds slot) {
  const Seconds offset = slot < change.at ? change.before : change.after;
  const std::string text = print_at_offset(slot, offset);
  return text.substr(11);
}

/// `03:00:00-04:00`, or `01:00:00-04:00, 01:05:00-04:00, 01:10:00-04:00, ...`
std::string slot_times(const ClockChange& change) {
  std::string text;
  for (const auto slot : change.slots) {
    if (!text.empty()) text += ", ";
    text += local_clock(change, slot);
  }
  if (change.slot_count > static_cast<std::int64_t>(change.slots.size())) text += ", ...";
  return text;
}

std::string effect(const ClockChange& change) {
  if (change.matching == 0) return "not affected";
  std::string times = clock_text(*change.first_match);
  if (change.matching > 1) times += fmt::format(" and {} more", change.matching - 1);
  const bool several = change.matching > 1;
  if (change.skips()) {
    const auto missing = fmt::format("{} {} not exist: ", times, several ? "do" : "does");
    return missing +
           (change.slots.empty() ? "no run" : fmt::format("one run at {}", slot_times(change)));
  }
  const auto repeated = fmt::format("{} {} twice: ", times, several ? "come" : "comes");
  const auto runs = change.slot_count == 1 ? "one run" : fmt::format("{} runs", change.slot_count);
  return repeated + fmt::format("{} at {}", runs, slot_times(change));
}

json::object change_json(const CronElement& element, const ClockChange& change) {
  json::object out;
  out["expr"] = element.text;
  out["at"] = print(Time{change.at});
  out["kind"] = change.skips() ? "gap" : "fold";
  out["from"] = print(CivilTime{change.at.time_since_epoch() + change.before});
  out["to"] = print(CivilTime{change.at.time_since_epoch() + change.after});
  out["matching"] = change.matching;
  out["slots"] = change.slot_count;
  out["effect"] = effect(change);
  return out;
}

template <class Visit>
void each_change(const Asked& asked, Time from, Visit visit) {
  const auto start = std::chrono::floor<Seconds>(from);
  const auto end = std::min(start + kTwoYears, std::chrono::floor<Seconds>(kMaxTime));
  for (const CronElement& element : cron_elements(asked.spec)) {
    for (const ClockChange& change :
         clock_changes(element.expr, asked.schedule.zone(), asked.spec.dst, start, end)) {
      visit(element, change);
    }
  }
}

void print_json(const Asked& asked, Time from, std::FILE* out) {
  json::object line;
  if (!asked.job.empty()) line["job"] = asked.job;
  line["expr"] = asked.expr;
  line["tz"] = asked.spec.timezone;
  line["words"] = in_words(asked.spec);
  json::array classes;
  for (const CronElement& element : cron_elements(asked.spec)) {
    classes.push_back(json::value(element.expr.wildcard_hour() ? "wildcard-hour" : "fixed-time"));
  }
  line["class"] = classes;
  line["gap"] = word(asked.spec.dst.gap);
  line["fold"] = word(asked.spec.dst.fold);
  line["runs_next_365_days"] = asked.schedule.count(from, from + std::chrono::days{365});
  line["next"] = next_times(asked, from, kTimesShown);
  json::array changes;
  each_change(asked, from, [&](const CronElement& element, const ClockChange& change) {
    changes.push_back(change_json(element, change));
  });
  line["clock_changes"] = changes;
  fmt::print(out, "{}\n", json::print(line));
}

void print_row(const Console& console, std::string_view label, std::string_view text) {
  fmt::print(console.out, "  {} {}\n", paint(console, Colour::dim, fmt::format("{:<9}", label)),
             text);
}

void print_remarks(const Asked& asked, const Console& console) {
  for (const CronElement& element : cron_elements(asked.spec)) {
    for (const CronRemark& remark : cron_remarks(element.text)) {
      print_row(console, remark.warning ? "warning" : "note", remark.text);
    }
  }
}

/// `2026-03-08 02:00 -> 03:00`; with both dates where the clocks go back over midnight.
std::string change_text(const ClockChange& change) {
  const CivilTime was{change.at.time_since_epoch() + change.before};
  const CivilTime is{change.at.time_since_epoch() + change.after};
  const auto date = [](CivilTime time) { return print(time).substr(0, 10); };
  const std::string other_date = date(was) == date(is) ? "" : date(is) + " ";
  return fmt::format("{} {} -> {}{}", date(was), clock_text(was), other_date, clock_text(is));
}

/// The class decides what happens when the clocks change; each is said once.
void print_classes(const Asked& asked, const Console& console) {
  std::set<std::string> classes;
  for (const CronElement& element : cron_elements(asked.spec)) {
    classes.insert(class_of(element.expr, asked.spec.dst));
  }
  for (const ElementSpec& element : asked.spec.elements) {
    if (!std::holds_alternative<EverySpec>(element)) continue;
    classes.insert("interval: follows elapsed time, whatever the clocks do");
  }
  for (const std::string& text : classes) print_row(console, "class", text);
}

/// One line for each change. Of a list only the elements that it touches, or there would be no end.
void print_changes(const Asked& asked, Time from, const Console& console) {
  const std::size_t elements = cron_elements(asked.spec).size();
  std::multimap<std::chrono::sys_seconds, std::string> lines;
  each_change(asked, from, [&](const CronElement& element, const ClockChange& change) {
    if (elements > 1 && change.matching == 0) return;
    const std::string which = elements > 1 ? element.text + ": " : "";
    lines.emplace(change.at, fmt::format("{}  {}{}", change_text(change), which, effect(change)));
  });
  if (lines.empty() && elements > 0) {
    const std::string_view what = elements > 1 ? "no clock change that matters" : "no clock change";
    print_row(console, "clocks", fmt::format("{} in the coming two years", what));
  }
  std::string_view label = "clocks";
  for (const auto& [at, text] : lines) {
    print_row(console, label, text);
    label = "";
  }
}

void print_next(const Asked& asked, Time from, const Console& console) {
  const auto times = asked.schedule.slots(from, kMaxTime, kTimesShown);
  const bool timed = !asked.schedule.delay_after_end() && !asked.schedule.at_boot();
  if (times.empty() && timed) print_row(console, "next", "no times left");
  if (times.empty()) return;
  print_row(console, "runs", frequency(asked.schedule, from));
  std::string_view label = "next";
  for (const Time slot : times) {
    print_row(console, label, human_time(slot, asked.schedule.zone()));
    label = "";
  }
}

void print_human(const Asked& asked, Time from, const Console& console) {
  const std::string title = asked.job.empty() ? asked.expr : asked.job;
  fmt::print(console.out, "{}\n", paint(console, Colour::bold, title));
  if (!asked.job.empty()) print_row(console, "schedule", asked.expr);
  print_row(console, "words", in_words(asked.spec));
  print_row(console, "zone", asked.spec.timezone);
  print_classes(asked, console);
  print_remarks(asked, console);
  print_next(asked, from, console);
  print_changes(asked, from, console);
}

}  // namespace

int run_explain(const Args& args, const Console& console) {
  const auto asked = read_asked(args, console);
  if (!asked) return fail(console, asked.error());
  const auto from = read_from(args, console);
  if (!from) return fail(console, from.error());
  bool first = true;
  for (const Asked& one : *asked) {
    if (args.has("--json")) {
      print_json(one, *from, console.out);
      continue;
    }
    if (!first) fmt::print(console.out, "\n");
    first = false;
    print_human(one, *from, console);
  }
  return kExitDone;
}

}  // namespace cronce
