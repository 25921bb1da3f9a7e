#include "cli/human.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

namespace cronce {

namespace {

std::string_view weekday(Time time, Seconds offset) {
  constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const auto day = std::chrono::floor<std::chrono::days>(time + offset);
  return kDays[std::chrono::weekday{day}.c_encoding()];
}

/// `3h12m`, `2d`: the two largest units, if they are neighbours.
std::string two_units(Duration distance) {
  constexpr std::array<std::int64_t, 4> kUnits{86'400'000, 3'600'000, 60'000, 1'000};
  std::int64_t rest = distance.count();
  int shown = 0;
  std::int64_t kept = 0;
  for (const std::int64_t unit : kUnits) {
    if (rest < unit || shown == 2) {
      if (shown > 0) break;
      continue;
    }
    kept += rest / unit * unit;
    rest %= unit;
    ++shown;
  }
  return print(Duration{kept});
}

}  // namespace

std::string human_time_in_full(Time time, const Zone& zone) {
  const Seconds offset = zone.at(std::chrono::floor<Seconds>(time)).offset;
  std::string local = print_at_offset(time, offset);  // 2026-03-29T03:30:00+02:00
  local[10] = ' ';
  local.insert(local.size() - 6, " ");
  return fmt::format("{} {}  {}", weekday(time, offset), local, print(time));
}

std::string human_time(Time time, const Zone& zone) {
  if (zone.name() != "UTC") return human_time_in_full(time, zone);
  return fmt::format("{} {}", weekday(time, Seconds{0}), print(time));
}

std::string human_times(const std::vector<Time>& times, const Zone& zone) {
  std::vector<Seconds> offsets;
  for (const Time time : times)
    offsets.push_back(zone.at(std::chrono::floor<Seconds>(time)).offset);
  const auto is_full_minute = [](Time time) {
    return std::chrono::floor<std::chrono::minutes>(time) == time;
  };
  const bool minutes = std::all_of(times.begin(), times.end(), is_full_minute);
  const bool one_offset =
      std::adjacent_find(offsets.begin(), offsets.end(), std::not_equal_to<>()) == offsets.end();
  std::string out;
  std::string date;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string local = print_at_offset(times[i], offsets[i]);  // 2026-03-29T03:30:00+02:00
    const std::string day = local.substr(0, 10);
    const std::string clock = minutes ? local.substr(11, 5) : local.substr(11, local.size() - 17);
    if (i > 0) out += ", ";
    if (day != date) {
      const bool same_year = day.substr(0, 4) == date.substr(0, 4);
      out += fmt::format("{} {} ", weekday(times[i], offsets[i]), same_year ? day.substr(5) : day);
    }
    out += clock + (one_offset ? "" : local.substr(local.size() - 6));
    date = day;
  }
  return out;
}

std::string human_distance(Duration distance) { return "in " + two_units(distance); }

std::string human_span(Duration span) {
  const std::int64_t ms = span.count();
  if (ms >= 60'000) return two_units(span);
  if (ms >= 10'000) return fmt::format("{}s", ms / 1'000);
  if (ms >= 1'000) return fmt::format("{}.{}s", ms / 1'000, ms % 1'000 / 100);
  return fmt::format("{}ms", ms);
}

std::string human_relative(Time time, Time now) {
  if (std::chrono::abs(time - now) < Seconds{1}) return "now";
  return time > now ? human_distance(time - now) : two_units(now - time) + " ago";
}

std::string trim_right(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string human_range(std::int64_t low, std::int64_t high) {
  return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
}

std::string paint(const Console& console, Colour colour, std::string_view text) {
  constexpr std::array<int, 5> kCodes{1, 2, 31, 33, 32};
  if (!console.colour) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", kCodes[static_cast<std::size_t>(colour)], text);
}

void print_row(const Console& console, std::size_t width, std::string_view label,
               std::string_view text) {
  if (text.empty()) return;
  const std::string shown = fmt::format("{:<{}}", label, width);
  put(console.out, fmt::format("  {} {}\n", paint(console, Colour::dim, shown), text));
}

}  // namespace cronce
