#include "schedule/cron_expr.h"

#include <array>
#include <bit>

namespace cronce {
namespace {

using std::chrono::local_days;
using std::chrono::month;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month;
using std::chrono::year_month_day;

/// One more at each end: the first and the last written instant have civil times there in some
/// zones.
constexpr year kFirstYear{0};
constexpr year kLastYear{10000};

/// The bits of `set` from `low` upwards.
template <class Set>
Set from_bit(Set set, unsigned low) {
  return low >= 8 * sizeof(Set) ? Set{0} : static_cast<Set>(set & (~Set{0} << low));
}

/// The bits of `set` below `high`.
template <class Set>
Set below_bit(Set set, unsigned high) {
  return high >= 8 * sizeof(Set) ? set : static_cast<Set>(set & ~(~Set{0} << high));
}

template <class Set>
bool has(Set set, unsigned bit) {
  return bit < 8 * sizeof(Set) && (set >> bit & 1) != 0;
}

template <class Set>
unsigned lowest(Set set) {
  return static_cast<unsigned>(std::countr_zero(set));
}

template <class Set>
unsigned highest(Set set) {
  return static_cast<unsigned>(std::bit_width(set)) - 1;
}

struct Clock {
  unsigned hour, minute, second;
};

Clock split(Seconds since_midnight) {
  const auto s = static_cast<unsigned>(since_midnight.count());
  return {s / 3600, s / 60 % 60, s % 60};
}

Seconds join(unsigned hour, unsigned minute, unsigned second) {
  return Seconds{(hour * 60 + minute) * 60 + second};
}

constexpr local_days new_year(year y) { return local_days{y / 1 / 1}; }

/// Of years there are only fourteen kinds: leap or not, and the weekday of the first of January.
/// How many of each there are before a year is known for one cycle of 400 years, and so for all.
class YearKinds {
 public:
  constexpr YearKinds() {
    for (int i = 0; i < kCycle; ++i) {
      before_[static_cast<std::size_t>(i) + 1] = before_[static_cast<std::size_t>(i)];
      const year y{i + 1};
      const std::size_t kind = weekday{new_year(y)}.c_encoding() + (y.is_leap() ? 7U : 0U);
      ++before_[static_cast<std::size_t>(i) + 1][kind];
      samples_[kind] = y;
    }
  }

  static constexpr std::size_t size() { return 14; }
  constexpr year sample(std::size_t kind) const { return samples_[kind]; }

  /// Years of this kind from year 1 up to, but without, y.
  constexpr std::int64_t before(year y, std::size_t kind) const {
    const int elapsed = static_cast<int>(y) - 1;
    const auto cycles = static_cast<std::int64_t>(elapsed / kCycle);
    return cycles * before_[kCycle][kind] +
           before_[static_cast<std::size_t>(elapsed % kCycle)][kind];
  }

 private:
  static constexpr int kCycle = 400;
  std::array<std::array<std::uint16_t, 14>, kCycle + 1> before_{};
  std::array<year, 14> samples_{};
};
constexpr YearKinds kYearKinds;

unsigned days_in(year_month m) { return static_cast<unsigned>((m / std::chrono::last).day()); }

}  // namespace

/// The days of a month that match, bit d for day d: the weekday set is laid out over the month as a
/// repeating pattern, so a month costs a few operations and no loop over its days.
std::uint32_t CronExpr::matching_days(year_month m) const {
  const std::uint32_t valid = ((std::uint32_t{1} << days_in(m)) - 1) << 1;
  if (weekdays_star_ && weekdays_ == 0x7f) return days_ & valid;
  const unsigned first = weekday{local_days{m / 1}}.c_encoding();
  const std::uint64_t two_weeks = static_cast<std::uint64_t>(weekdays_) | std::uint64_t{weekdays_}
                                                                              << 7;
  const std::uint64_t week = two_weeks >> first & 0x7f;  // bit 0: the weekday of the first
  const std::uint64_t repeated = week | week << 7 | week << 14 | week << 21 | week << 28;
  const auto by_weekday = static_cast<std::uint32_t>(repeated << 1);
  return (either_day() ? days_ | by_weekday : days_ & by_weekday) & valid;
}

bool CronExpr::day_matches(local_days day) const {
  const year_month_day date{day};
  return has(months_, static_cast<unsigned>(date.month())) &&
         has(matching_days(date.year() / date.month()), static_cast<unsigned>(date.day()));
}

std::optional<local_days> CronExpr::day_at_or_after(local_days day, Steps& steps) const {
  const year_month_day start{day};
  year y = start.year();
  unsigned m = static_cast<unsigned>(start.month());
  unsigned d = static_cast<unsigned>(start.day());
  while (y <= kLastYear) {
    steps.take();
    const std::uint16_t ahead = from_bit(months_, m);
    if (ahead == 0) {
      ++y;
      m = 1;
      d = 1;
      continue;
    }
    if (lowest(ahead) != m) d = 1;
    m = lowest(ahead);
    const std::uint32_t found = from_bit(matching_days(y / month{m}), d);
    if (found != 0) return local_days{y / month{m} / std::chrono::day{lowest(found)}};
    ++m;
    d = 1;
  }
  return std::nullopt;
}

std::optional<local_days> CronExpr::day_at_or_before(local_days day, Steps& steps) const {
  const year_month_day start{day};
  year y = start.year();
  unsigned m = static_cast<unsigned>(start.month());
  unsigned d = static_cast<unsigned>(start.day());
  while (y >= kFirstYear) {
    steps.take();
    const std::uint16_t behind = below_bit(months_, m + 1);
    if (behind == 0) {
      --y;
      m = 12;
      d = 31;
      continue;
    }
    if (highest(behind) != m) d = 31;
    m = highest(behind);
    const std::uint32_t found = below_bit(matching_days(y / month{m}), d + 1);
    if (found != 0) return local_days{y / month{m} / std::chrono::day{highest(found)}};
    --m;
    d = 31;
  }
  return std::nullopt;
}

/// The first matching clock time of a day, at or after the given one.
std::optional<Seconds> CronExpr::clock_at_or_after(Seconds since_midnight) const {
  const Clock c = split(since_midnight);
  if (has(hours_, c.hour)) {
    const auto second = has(minutes_, c.minute) ? from_bit(seconds_, c.second) : 0;
    if (second != 0) return join(c.hour, c.minute, lowest(second));
    const auto minute = from_bit(minutes_, c.minute + 1);
    if (minute != 0) return join(c.hour, lowest(minute), lowest(seconds_));
  }
  const auto hour = from_bit(hours_, c.hour + 1);
  if (hour == 0) return std::nullopt;
  return join(lowest(hour), lowest(minutes_), lowest(seconds_));
}

/// The last matching clock time of a day, at or before the given one.
std::optional<Seconds> CronExpr::clock_at_or_before(Seconds since_midnight) const {
  const Clock c = split(since_midnight);
  if (has(hours_, c.hour)) {
    const auto second = has(minutes_, c.minute) ? below_bit(seconds_, c.second + 1) : 0;
    if (second != 0) return join(c.hour, c.minute, highest(second));
    const auto minute = below_bit(minutes_, c.minute);
    if (minute != 0) return join(c.hour, highest(minute), highest(seconds_));
  }
  const auto hour = below_bit(hours_, c.hour);
  if (hour == 0) return std::nullopt;
  return join(highest(hour), highest(minutes_), highest(seconds_));
}

std::optional<CivilTime> CronExpr::at_or_after(CivilTime from, Steps& steps) const {
  const local_days today = std::chrono::floor<std::chrono::days>(from);
  if (day_matches(today)) {
    if (const auto clock = clock_at_or_after(from - today)) return today + *clock;
  }
  const auto day = day_at_or_after(today + std::chrono::days{1}, steps);
  if (!day) return std::nullopt;
  return *day + join(lowest(hours_), lowest(minutes_), lowest(seconds_));
}

std::optional<CivilTime> CronExpr::at_or_before(CivilTime from, Steps& steps) const {
  const local_days today = std::chrono::floor<std::chrono::days>(from);
  if (day_matches(today)) {
    if (const auto clock = clock_at_or_before(from - today)) return today + *clock;
  }
  const auto day = day_at_or_before(today - std::chrono::days{1}, steps);
  if (!day) return std::nullopt;
  return *day + join(highest(hours_), highest(minutes_), highest(seconds_));
}

std::optional<CivilTime> CronExpr::at_or_after(CivilTime from) const {
  Steps steps;
  return at_or_after(from, steps);
}

std::optional<CivilTime> CronExpr::at_or_before(CivilTime from) const {
  Steps steps;
  return at_or_before(from, steps);
}

bool CronExpr::matches(CivilTime time) const {
  const local_days day = std::chrono::floor<std::chrono::days>(time);
  const Clock c = split(time - day);
  return has(hours_, c.hour) && has(minutes_, c.minute) && has(seconds_, c.second) &&
         day_matches(day);
}

/// Matching days in [from, to), month by month.
std::int64_t CronExpr::count_months(local_days from, local_days to) const {
  std::int64_t total = 0;
  const year_month_day stop{to};
  const year_month last = stop.year() / stop.month();
  year_month_day at{from};
  while (at.year() / at.month() <= last) {
    const year_month m = at.year() / at.month();
    std::uint32_t found = has(months_, static_cast<unsigned>(m.month())) ? matching_days(m) : 0;
    found = from_bit(found, static_cast<unsigned>(at.day()));
    if (m == last) found = below_bit(found, static_cast<unsigned>(stop.day()));
    total += std::popcount(found);
    at = (m + std::chrono::months{1}) / 1;
  }
  return total;
}

/// Whole years are counted by their kind, so that the cost does not grow with their number.
std::int64_t CronExpr::count_days(local_days from, local_days to) const {
  const year_month_day start{from};
  const bool whole = new_year(start.year()) == from;
  const year first = whole ? start.year() : start.year() + std::chrono::years{1};
  const year last = year_month_day{to}.year();
  if (first >= last) return count_months(from, to);
  std::int64_t total = count_months(from, new_year(first)) + count_months(new_year(last), to);
  for (std::size_t kind = 0; kind < kYearKinds.size(); ++kind) {
    const std::int64_t years = kYearKinds.before(last, kind) - kYearKinds.before(first, kind);
    const year sample = kYearKinds.sample(kind);
    if (years > 0)
      total += years * count_months(new_year(sample), new_year(sample + std::chrono::years{1}));
  }
  return total;
}

/// Matching clock times of one day that are earlier than `before`.
std::int64_t CronExpr::count_clock(Seconds before) const {
  const std::int64_t per_minute = std::popcount(seconds_);
  const std::int64_t per_hour = std::popcount(minutes_) * per_minute;
  const Clock c = split(before);
  std::int64_t total = std::popcount(below_bit(hours_, c.hour)) * per_hour;
  if (!has(hours_, c.hour)) return total;
  total += std::popcount(below_bit(minutes_, c.minute)) * per_minute;
  if (!has(minutes_, c.minute)) return total;
  return total + std::popcount(below_bit(seconds_, c.second));
}

std::int64_t CronExpr::count(CivilTime from, CivilTime to) const {
  if (from >= to) return 0;
  const local_days first = std::chrono::floor<std::chrono::days>(from);
  const local_days last = std::chrono::floor<std::chrono::days>(to);
  const std::int64_t per_day = count_clock(std::chrono::hours{24});
  std::int64_t total = count_days(first, last) * per_day;
  if (day_matches(first)) total -= count_clock(from - first);
  if (day_matches(last)) total += count_clock(to - last);
  return total;
}

}  // namespace cronce
