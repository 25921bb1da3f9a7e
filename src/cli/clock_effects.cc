#include "cli/clock_effects.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/describe.h"

namespace cronce {
namespace {

using std::chrono::floor;
using std::chrono::sys_seconds;

constexpr std::chrono::days kTwoYears{731};
constexpr Seconds kSecond{1};
constexpr std::size_t kSlotsShown = 3;

/// How far from a change its slots can lie.
constexpr std::chrono::days kReach{2};

std::string clock_text(CivilTime time) {
  const std::string text = print(time);
  return text.ends_with(":00") ? text.substr(11, 5) : text.substr(11);
}

/// `03:00:00-04:00`, or `01:00:00-04:00, 01:05:00-04:00, 01:10:00-04:00, ...`
std::string slot_times(const ClockChange& change) {
  std::string text;
  for (const auto slot : change.slots) {
    if (!text.empty()) text += ", ";
    const Seconds offset = slot < change.at ? change.before : change.after;
    text += print_at_offset(slot, offset).substr(11);
  }
  if (change.slot_count > static_cast<std::int64_t>(change.slots.size())) text += ", ...";
  return text;
}

/// Asks the schedule again, because clock_changes() knows no bounds.
void keep_bounds(ClockChange& change, const Schedule& schedule) {
  if (change.slot_count == 0) return;
  const Seconds shift = change.skips() ? Seconds{0} : change.before - change.after;
  const Time before_first{change.at - shift - kSecond};
  const Time last{change.at + (change.skips() ? Seconds{0} : shift - kSecond)};
  change.slot_count = schedule.count(before_first, last);
  change.slots.clear();
  for (const Time slot : schedule.slots(before_first, last, kSlotsShown)) {
    change.slots.push_back(floor<Seconds>(slot));
  }
}

std::vector<ClockChange> changes_of(const CronExpr& expr, DstRule rule, const Schedule& schedule,
                                    Time from) {
  const Time start = std::max(from, std::max(schedule.from(), kMinTime + kReach) - kReach);
  const Time end = std::min({from + kTwoYears, kMaxTime, schedule.to() + kReach});
  if (end <= start) return {};
  auto changes =
      clock_changes(expr, schedule.zone(), rule, floor<Seconds>(start), floor<Seconds>(end));
  for (ClockChange& change : changes) keep_bounds(change, schedule);
  std::erase_if(changes, [&](const ClockChange& change) {
    const bool inside = change.at >= schedule.from() && change.at <= schedule.to();
    return !inside && change.slot_count == 0;
  });
  return changes;
}

ClockChange change_at(sys_seconds at, Seconds before, Seconds after) {
  ClockChange change;
  change.at = at;
  change.before = before;
  change.after = after;
  const CivilTime was{at.time_since_epoch() + before};
  const CivilTime is{at.time_since_epoch() + after};
  change.range = {std::min(was, is), std::max(was, is)};
  return change;
}

/// The change that skips or repeats one time, if there is such a change.
std::vector<ClockChange> changes_of(const AtSpec& at, const Schedule& schedule, Time from) {
  const auto slot = schedule.first_after(from);
  if (!slot) return {};
  const auto second = floor<Seconds>(*slot);
  const Stretch s = schedule.zone().at(second);
  std::vector<ClockChange> changes;
  if (s.before != s.offset) changes.push_back(change_at(s.begin, s.before, s.offset));
  if (s.after != s.offset) changes.push_back(change_at(s.end, s.offset, s.after));
  const auto time = floor<Seconds>(at.time.civil);
  std::erase_if(changes, [&](const ClockChange& change) {
    return time < change.range.from || time >= change.range.to;
  });
  for (ClockChange& change : changes) {
    change.matching = 1;
    change.first_match = time;
    change.slots = {second};
    change.slot_count = 1;
  }
  return changes;
}

}  // namespace

std::vector<CivilElement> civil_elements(const ScheduleSpec& spec) {
  std::vector<CivilElement> found;
  for (const ElementSpec& element : spec.elements) {
    const auto* cron = std::get_if<CronSpec>(&element);
    const auto* at = std::get_if<AtSpec>(&element);
    const bool again = std::any_of(found.begin(), found.end(),
                                   [&](const CivilElement& one) { return one.spec == element; });
    if (again) continue;
    if (cron != nullptr) {
      auto expr = CronExpr::parse(cron->text);
      CHECK(expr.ok());  // the schedule was built from it
      found.push_back({element, cron->text, *expr});
    } else if (at != nullptr && !at->time.offset) {
      found.push_back({element, describe(element), std::nullopt});
    }
  }
  return found;
}

std::vector<ClockEffect> clock_effects(const Asked& asked, Time from) {
  std::vector<ClockEffect> effects;
  for (const CivilElement& element : civil_elements(asked.spec)) {
    ScheduleSpec alone = asked.spec;
    alone.elements = {element.spec};
    const auto schedule = Schedule::build(alone);
    if (!schedule) continue;  // it has no time between the bounds
    const auto changes = element.cron ? changes_of(*element.cron, asked.spec.dst, *schedule, from)
                                      : changes_of(std::get<AtSpec>(element.spec), *schedule, from);
    for (const ClockChange& change : changes) effects.push_back({element.text, change});
  }
  return effects;
}

std::string change_text(const ClockChange& change) {
  const CivilTime was{change.at.time_since_epoch() + change.before};
  const CivilTime is{change.at.time_since_epoch() + change.after};
  const auto date = [](CivilTime time) { return print(time).substr(0, 10); };
  const std::string other_date = date(was) == date(is) ? "" : date(is) + " ";
  return fmt::format("{} {} -> {}{}", date(was), clock_text(was), other_date, clock_text(is));
}

std::string effect_text(const ClockChange& change) {
  if (change.matching == 0) return "not affected";
  const bool several = change.matching > 1;
  std::string text = clock_text(*change.first_match);
  if (several) text += fmt::format(" and {} more", change.matching - 1);
  if (change.skips()) {
    text += several ? " do not exist: " : " does not exist: ";
  } else {
    text += several ? " come twice: " : " comes twice: ";
  }
  if (change.slot_count == 0) return text + "no run";
  const auto runs = change.slot_count == 1 ? "one run" : fmt::format("{} runs", change.slot_count);
  return text + fmt::format("{} at {}", runs, slot_times(change));
}

json::object effect_json(const ClockEffect& effect) {
  const ClockChange& change = effect.change;
  json::object out;
  out["expr"] = effect.element;
  out["at"] = print(Time{change.at});
  out["kind"] = change.skips() ? "gap" : "fold";
  out["from"] = print(CivilTime{change.at.time_since_epoch() + change.before});
  out["to"] = print(CivilTime{change.at.time_since_epoch() + change.after});
  out["matching"] = change.matching;
  out["slots"] = change.slot_count;
  out["effect"] = effect_text(change);
  return out;
}

}  // namespace cronce
