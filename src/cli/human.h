// Text for people: times with their weekday and zone, distances, colours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/command.h"
#include "schedule/zone.h"

namespace cronce {

/// `Sun 2026-03-29 03:30:00 +02:00  2026-03-29T01:30:00Z`
std::string human_time_in_full(Time time, const Zone& zone);

/// The same, and in UTC, where both parts would say it twice, `Sun 2026-03-29T01:30:00Z`.
std::string human_time(Time time, const Zone& zone);

/// Several on one line, each without what the one before it has said: `Mon 2026-06-01 08:00, 08:15,
/// Tue 06-02 08:00`. With offsets where the clocks change between them.
std::string human_times(const std::vector<Time>& times, const Zone& zone);

/// `in 3h12m`, `in 2d`: the two largest units.
std::string human_distance(Duration distance);

/// `340ms`, `1.2s`, `3h12m`: how long something took.
std::string human_span(Duration span);

/// `in 3h12m`, `now`, `4m10s ago`
std::string human_relative(Time time, Time now);

std::string trim_right(std::string text);

/// `count` and the noun in its right form: `1 job`, `2 jobs`.
std::string counted(std::size_t count, std::string_view noun);

/// `200-299`, `204` where both are the same.
std::string human_range(std::int64_t low, std::int64_t high);

enum class Colour : std::uint8_t { bold, dim, red, yellow, green };
/// The text in that colour where the console has colours.
std::string paint(const Console& console, Colour colour, std::string_view text);

/// `  next          in 3h`: a label of that width, and what is to be said; nothing if it is
/// nothing.
void print_row(const Console& console, std::size_t width, std::string_view label,
               std::string_view text);

}  // namespace cronce
