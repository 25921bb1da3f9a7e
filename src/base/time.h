// Times, and how they are written.
//
// A Time is a UTC instant in milliseconds, the unit of slot identity. A CivilTime is what a wall
// clock shows, in seconds; it becomes a Time only by a zone and a DST rule (schedule/civil.h), and
// the types do not mix. Nothing here reads a clock.
//
// Written form of a Time: RFC 3339 in UTC, without the fraction when it is zero:
// `2026-03-29T01:30:00Z`, `2026-03-29T01:30:00.250Z`. Times from year 1 to year 9999 can be
// written.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cronce {

using Duration = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Duration>;
using CivilTime = std::chrono::local_seconds;
using Seconds = std::chrono::seconds;

/// The first and the last instant that has a written form.
inline constexpr Time kMinTime{std::chrono::sys_days{std::chrono::year{1} / 1 / 1}};
inline constexpr Time kMaxTime{std::chrono::sys_days{std::chrono::year{10000} / 1 / 1} -
                               Duration{1}};

/// A time as a person wrote it. With an offset it is an instant; without one it is a civil time in
/// a zone that the context names. `2026-01-01` alone is the whole day.
struct WrittenTime {
  std::chrono::local_time<Duration> civil;
  std::optional<Seconds> offset;
  bool whole_day = false;

  /// The instant, if an offset was written.
  std::optional<Time> instant() const;
  bool operator==(const WrittenTime&) const = default;
};

/// `2026-12-24`, `2026-12-24T18:00`, `2026-12-24 18:00:30.5`, `2026-12-24T18:00:00Z`, `...+01:00`.
Result<WrittenTime> parse_written_time(std::string_view text);
std::string print(const WrittenTime& time);

/// An instant: parse_written_time() with an offset required.
Result<Time> parse_time(std::string_view text);
std::string print(Time time);

/// `2026-03-29T03:30:00`
std::string print(CivilTime time);

/// `2026-03-29T03:30:00+02:00`: an instant as a wall clock at that offset shows it.
std::string print_at_offset(Time time, Seconds offset);

/// `90s`, `15m`, `2h30m`, `1d`, `250ms`: whole numbers with units d h m s ms, each at most once and
/// from large to small.
Result<Duration> parse_duration(std::string_view text);

/// The shortest form that parse_duration() reads back: `2h30m`; zero is `0s`.
std::string print(Duration duration);

}  // namespace cronce
