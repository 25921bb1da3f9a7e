#include "schedule/in_words.h"

#include <array>
#include <bit>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "model/describe.h"

namespace cronce {
namespace {

constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

constexpr std::uint64_t kAllSixty = (std::uint64_t{1} << 60) - 1;
constexpr std::uint32_t kAllHours = (std::uint32_t{1} << 24) - 1;
constexpr std::uint32_t kAllDays = 0xfffffffe;
constexpr std::uint16_t kAllMonths = 0x1ffe;
constexpr std::uint8_t kAllWeekdays = 0x7f;

/// More clock times than this are not listed one by one.
constexpr int kMostListed = 4;

/// From so many equal steps on, a pattern says more than a list.
constexpr std::size_t kLongSteps = 6;

using Namer = std::function<std::string(unsigned)>;

std::string number(unsigned n) { return std::to_string(n); }
std::string weekday_name(unsigned n) { return std::string(kWeekdays[n % 7]); }
std::string month_name(unsigned n) { return std::string(kMonths[n - 1]); }
std::string hour_name(unsigned n) { return fmt::format("{:02}", n); }

/// `a`, `a and b`, `a, b and c`
std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

/// The distance between neighbours if all are equally far apart, otherwise 0.
unsigned distance(const std::vector<unsigned>& values) {
  if (values.size() < 2) return 0;
  const unsigned step = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return 0;
  }
  return step;
}

/// The values of a set: three or more in a row become `a to c`, long steps `a, b, c, ... z`.
std::string list(std::uint64_t set, const Namer& name) {
  std::vector<unsigned> values;
  for (unsigned v = 0; v < 64; ++v) {
    if ((set >> v & 1) != 0) values.push_back(v);
  }
  if (values.size() >= kLongSteps && distance(values) > 1) {
    return fmt::format("{}, {}, {}, ... {}", name(values[0]), name(values[1]), name(values[2]),
                       name(values.back()));
  }
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < values.size();) {
    std::size_t end = at;
    while (end + 1 < values.size() && values[end + 1] == values[end] + 1) ++end;
    if (end - at >= 2) {
      parts.push_back(fmt::format("{} to {}", name(values[at]), name(values[end])));
    } else {
      for (std::size_t i = at; i <= end; ++i) parts.push_back(name(values[i]));
    }
    at = end + 1;
  }
  return join(parts);
}

unsigned lowest(std::uint64_t set) { return static_cast<unsigned>(std::countr_zero(set)); }
unsigned highest(std::uint64_t set) { return static_cast<unsigned>(std::bit_width(set)) - 1; }

/// All values between the lowest and the highest.
bool is_unbroken(std::uint64_t set) {
  return static_cast<unsigned>(std::popcount(set)) == highest(set) - lowest(set) + 1;
}

/// The n of `*/n` where n divides the size, otherwise 0.
unsigned even_step(std::uint64_t set, unsigned size) {
  const int count = std::popcount(set);
  if (count < 2 || size % static_cast<unsigned>(count) != 0) return 0;
  const unsigned step = size / static_cast<unsigned>(count);
  for (unsigned v = 0; v < size; v += step) {
    if ((set >> v & 1) == 0) return 0;
  }
  return step;
}

std::string every(unsigned step, std::string_view unit) {
  return step == 1 ? fmt::format("every {}", unit) : fmt::format("every {} {}s", step, unit);
}

std::string plural(int count, std::string_view noun) {
  return fmt::format("{}{}", noun, count == 1 ? "" : "s");
}

bool are_listed(const CronExpr& expr) {
  return std::popcount(expr.hours()) * std::popcount(expr.minutes()) <= kMostListed;
}

std::string clock(unsigned hour, unsigned minute) {
  return fmt::format("{:02}:{:02}", hour, minute);
}

/// `at 02:00 and 14:00`, with the second if it is one and not the first.
std::string listed_times(const CronExpr& expr) {
  const bool show_second = std::popcount(expr.seconds()) == 1 && expr.seconds() != 1;
  const std::string second = show_second ? fmt::format(":{:02}", lowest(expr.seconds())) : "";
  std::vector<std::string> times;
  for (unsigned h = 0; h < 24; ++h) {
    for (unsigned m = 0; m < 60; ++m) {
      if ((expr.hours() >> h & 1) == 0 || (expr.minutes() >> m & 1) == 0) continue;
      times.push_back(clock(h, m) + second);
    }
  }
  return "at " + join(times);
}

std::string hours_in_words(std::uint32_t hours) {
  const unsigned step = even_step(hours, 24);
  if (step == 1) return "of every hour";
  if (step > 0) {
    const std::string_view ordinal = step == 2 ? "nd" : step == 3 ? "rd" : "th";
    return fmt::format("of every {}{} hour", step, ordinal);
  }
  return fmt::format("of the {} {}", plural(std::popcount(hours), "hour"), list(hours, hour_name));
}

std::string minutes_in_words(const CronExpr& expr) {
  const std::uint64_t minutes = expr.minutes();
  const std::uint32_t hours = expr.hours();
  const unsigned step = even_step(minutes, 60);
  const unsigned hour_step = even_step(hours, 24);
  if (step > 0 && hour_step == 1) return every(step, "minute");
  if (minutes == 1 && hour_step > 0) return every(hour_step, "hour");
  const int count = std::popcount(minutes);
  if (is_unbroken(hours) && hour_step == 0 && (step > 0 || count == 1)) {
    return fmt::format("{} from {} to {}", step > 0 ? every(step, "minute") : "every hour",
                       clock(lowest(hours), lowest(minutes)),
                       clock(highest(hours), highest(minutes)));
  }
  if (step > 0) return fmt::format("{} {}", every(step, "minute"), hours_in_words(hours));
  return fmt::format("at {} {} {}", plural(count, "minute"), list(minutes, number),
                     hours_in_words(hours));
}

std::string clock_in_words(const CronExpr& expr) {
  const int count = std::popcount(expr.seconds());
  if (are_listed(expr) && count == 1) return listed_times(expr);
  std::string minutes = are_listed(expr) ? listed_times(expr) : minutes_in_words(expr);
  if (expr.seconds() == 1) return minutes;
  const bool every_minute = expr.minutes() == kAllSixty && expr.hours() == kAllHours;
  const unsigned step = even_step(expr.seconds(), 60);
  if (step > 0 && every_minute) return every(step, "second");
  const std::string seconds =
      step > 0 ? every(step, "second")
               : fmt::format("at {} {}", plural(count, "second"), list(expr.seconds(), number));
  return seconds + (every_minute ? " of every minute" : " of the minute, " + minutes);
}

/// `Monday to Friday`, but `on Mondays and Fridays`. Sunday stands last where that keeps a weekend
/// together.
std::string weekdays_in_words(std::uint8_t set) {
  const bool sunday_last = (set & 1) != 0 && (set & 0x40) != 0 && (set & 2) == 0;
  const std::uint64_t shown = sunday_last ? (set & 0x7eU) | 0x80U : set;
  std::string days = list(shown, weekday_name);
  if (days.find(" to ") != std::string::npos) return days;
  return "on " + list(shown, [](unsigned n) { return weekday_name(n) + "s"; });
}

std::string months_in_words(std::uint16_t set) {
  const bool is_range = is_unbroken(set) && std::popcount(set) > 2;
  return fmt::format("{} {}", is_range ? "from" : "in", list(set, month_name));
}

/// `on days 1 and 15 of the month`, or of the months themselves.
std::string dates_in_words(const CronExpr& expr, bool with_months) {
  const std::string dates = fmt::format("on {} {} of ", plural(std::popcount(expr.days()), "day"),
                                        list(expr.days(), number));
  if (!with_months) return dates + "the month";
  const std::string months = months_in_words(expr.months());
  return dates + (months.starts_with("from ") ? "each month " + months : months.substr(3));
}

/// What follows the clock times, with its comma or blank.
std::string days_in_words(const CronExpr& expr) {
  const bool all_dates = expr.days() == kAllDays;
  const bool all_weekdays = expr.weekdays() == kAllWeekdays;
  const bool all_months = expr.months() == kAllMonths;
  const bool every_day = expr.either_day() ? all_dates || all_weekdays : all_dates && all_weekdays;
  const std::string months = all_months ? "" : ", " + months_in_words(expr.months());
  if (every_day) {
    const bool whole_day = even_step(expr.hours(), 24) > 0 && !are_listed(expr);
    return (whole_day ? "" : " every day") + months;
  }
  if (all_weekdays) return ", " + dates_in_words(expr, !all_months);
  const std::string weekdays = weekdays_in_words(expr.weekdays());
  if (all_dates) return (weekdays.starts_with("on ") ? " " : ", ") + weekdays + months;
  const std::string dates = dates_in_words(expr, false);
  if (expr.either_day()) return fmt::format(", {} and {}{}", dates, weekdays, months);
  return fmt::format(", {}, but only {}{}", weekdays, dates, months);
}

/// `; only from 2026-01-01 to 2026-12-31; at most 100 runs`
std::string bounds_in_words(const Between& between) {
  std::string text;
  if (between.from) text += "; only from " + print(*between.from);
  if (between.to) text += (between.from ? " to " : "; only until ") + print(*between.to);
  if (between.max_runs) {
    const bool one = *between.max_runs == 1;
    text += fmt::format("; at most {} run{} in all", *between.max_runs, one ? "" : "s");
  }
  return text;
}

struct ElementWords {
  std::string operator()(const CronSpec& cron) const {
    const auto expr = CronExpr::parse(cron.text);
    return expr ? in_words(*expr) : cron.text;
  }
  std::string operator()(const EverySpec& e) const {
    const std::string anchor = e.anchor ? print(*e.anchor) : "1970-01-01T00:00:00Z";
    return fmt::format("every {}, counted from {}", print(e.interval), anchor);
  }
  std::string operator()(const AtSpec& at) const { return "once, at " + print(at.time); }
  std::string operator()(const AfterSpec& after) const {
    return fmt::format("{} after the previous run has ended", print(after.delay));
  }
  std::string operator()(const RebootSpec&) const { return "once after each boot of a node"; }
};

}  // namespace

std::string in_words(const CronExpr& expr) { return clock_in_words(expr) + days_in_words(expr); }

std::string in_words(const ScheduleSpec& schedule) {
  std::string text;
  for (const ElementSpec& element : schedule.elements) {
    if (!text.empty()) text += "; and ";
    text += std::visit(ElementWords{}, element);
  }
  return text + bounds_in_words(schedule.between);
}

}  // namespace cronce
