// A cron expression as sets of numbers, and the civil times that match it.
//
// Five fields (minute hour day-of-month month day-of-week), six with seconds first, or a macro. No
// zone and no DST here: civil times form one straight line, and schedule/civil.h says what becomes
// of them. Immutable after parse(); 32 bytes; safe from every thread.
//
// Day rule (Vixie): when both day fields are restricted a day matches if either does; a field that
// starts with `*` counts as unrestricted, and then both must match: `0 12 */2 * MON` is Mondays on
// odd days. The Gregorian calendar repeats after 400 years, so a search that finds nothing in 400
// years finds nothing ever; parse() refuses such expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "schedule/parse_error.h"

namespace cronce {

/// What one search may cost: each month, year or stretch of a zone that it looks at is a step.
/// Running out is our mistake, never the user's: the calendar repeats, so every search has an end.
class Steps {
 public:
  static constexpr int kMost = 10'000;

  void take() { CHECK(left_-- > 0); }

 private:
  int left_ = kMost;
};

class CronExpr {
 public:
  static Result<CronExpr, ParseError> parse(std::string_view text);

  /// The first matching civil time at or after `from`; none beyond year 10000.
  std::optional<CivilTime> at_or_after(CivilTime from, Steps& steps) const;

  /// The last matching civil time at or before `from`; none before year 0.
  std::optional<CivilTime> at_or_before(CivilTime from, Steps& steps) const;

  /// The same as searches of their own.
  std::optional<CivilTime> at_or_after(CivilTime from) const;
  std::optional<CivilTime> at_or_before(CivilTime from) const;

  bool matches(CivilTime time) const;

  /// How many civil times in [from, to) match. The cost does not grow with the span.
  std::int64_t count(CivilTime from, CivilTime to) const;

  /// The hour field is `*`, `*/n` or a set of all 24 hours: the schedule follows elapsed time over
  /// a clock change. Every other schedule is fixed-time.
  bool wildcard_hour() const { return wildcard_hour_; }

  /// The fields as sets; bit n stands for the value n (weekdays: 0 is Sunday).
  std::uint64_t seconds() const { return seconds_; }
  std::uint64_t minutes() const { return minutes_; }
  std::uint32_t hours() const { return hours_; }
  std::uint32_t days() const { return days_; }
  std::uint16_t months() const { return months_; }
  std::uint8_t weekdays() const { return weekdays_; }

  /// Both day fields restrict the day and either may match.
  bool either_day() const { return !days_star_ && !weekdays_star_; }

 private:
  friend class CronReader;

  CronExpr() = default;

  std::uint32_t matching_days(std::chrono::year_month month) const;
  bool day_matches(std::chrono::local_days day) const;
  std::optional<std::chrono::local_days> day_at_or_after(std::chrono::local_days day,
                                                         Steps& steps) const;
  std::optional<std::chrono::local_days> day_at_or_before(std::chrono::local_days day,
                                                          Steps& steps) const;
  std::optional<Seconds> clock_at_or_after(Seconds since_midnight) const;
  std::optional<Seconds> clock_at_or_before(Seconds since_midnight) const;
  std::int64_t count_months(std::chrono::local_days from, std::chrono::local_days to) const;
  std::int64_t count_days(std::chrono::local_days from, std::chrono::local_days to) const;
  std::int64_t count_clock(Seconds before) const;

  std::uint64_t seconds_ = 0;
  std::uint64_t minutes_ = 0;
  std::uint32_t hours_ = 0;
  std::uint32_t days_ = 0;     // bits 1 to 31
  std::uint16_t months_ = 0;   // bits 1 to 12
  std::uint8_t weekdays_ = 0;  // bits 0 to 6
  bool days_star_ : 1 = false;
  bool weekdays_star_ : 1 = false;
  bool wildcard_hour_ : 1 = false;
};

/// What is legal but perhaps not what was meant.
struct CronRemark {
  bool warning = false;  // probably a mistake; otherwise worth knowing
  std::string text;      // a sentence for a person
};

/// Remarks on a text that parse() accepts: `*/7` starts over at each full hour.
std::vector<CronRemark> cron_remarks(std::string_view text);

}  // namespace cronce
