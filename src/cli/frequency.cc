#include "cli/frequency.h"

#include <fmt/format.h>

namespace cronce {
namespace {

constexpr std::size_t kMostWalked = 1'000;

/// `96`, `about 21.7`
std::string ratio(std::int64_t runs, std::int64_t parts) {
  if (runs % parts == 0) return std::to_string(runs / parts);
  const auto text = fmt::format("{:.1f}", static_cast<double>(runs) / static_cast<double>(parts));
  return "about " + (text.ends_with(".0") ? text.substr(0, text.size() - 2) : text);
}

/// A daily job that misses a day of the clocks is still a daily one.
std::string rate(std::int64_t runs, std::string_view year) {
  if (runs >= 363) return ratio(runs, 365) + " a day";
  if (runs >= 12) return ratio(runs, 12) + " a month";
  return runs == 0 ? fmt::format("none in {}", year) : fmt::format("{} in {}", runs, year);
}

std::int64_t runs_in_a_year(const ScheduleSpec& spec, const Schedule& schedule, Time start) {
  if (spec.elements.size() == 1) return schedule.count(start, start + kFrequencySpan);
  const auto slots = schedule.slots(start, start + kFrequencySpan, kMostWalked);
  const auto count = static_cast<std::int64_t>(slots.size());
  if (slots.size() < kMostWalked) return count;
  return count * Duration{kFrequencySpan}.count() / (slots.back() - start).count();
}

}  // namespace

std::string frequency(const ScheduleSpec& spec, const Schedule& schedule, Time from) {
  const bool begins_later = schedule.from() > from;
  const Time start = begins_later ? schedule.from() - Duration{1} : from;
  const std::int64_t runs = runs_in_a_year(spec, schedule, start);
  std::string text = schedule.first_after(start + kFrequencySpan)
                         ? rate(runs, begins_later ? "its first year" : "the coming year")
                         : fmt::format("{} left", runs);
  const auto most = spec.between->max_runs;
  if (most && *most < runs) text += fmt::format(", but at most {} in all", *most);
  return text;
}

}  // namespace cronce
