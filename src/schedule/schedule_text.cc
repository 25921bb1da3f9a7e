#include "schedule/schedule_text.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "schedule/cron_expr.h"

namespace cronce {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::array<std::string_view, 2> kZonePrefixes{"TZ=", "CRON_TZ="};

bool is_macro(std::string_view text, std::string_view macro) {
  if (!same_letters(text.substr(0, macro.size()), macro)) return false;
  return text.size() == macro.size() || kBlanks.find(text[macro.size()]) != std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// `TZ=Zone rest` -> the zone; `text` then starts at the rest.
std::optional<std::string> take_zone(std::string_view& text) {
  for (const std::string_view prefix : kZonePrefixes) {
    if (!text.starts_with(prefix)) continue;
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    std::string zone(text.substr(prefix.size(), end - prefix.size()));
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks, end), text.size()));
    return zone;
  }
  return std::nullopt;
}

Result<ElementSpec, ParseError> parse_element(std::string_view text) {
  constexpr std::string_view kEvery = "@every";
  if (is_macro(text.substr(0, kEvery.size()), kEvery)) {
    if (!is_macro(text, kEvery) || trim(text.substr(kEvery.size())).empty()) {
      return ParseError{kEvery.size(), "@every needs a blank and a duration, as in @every 15m"};
    }
    const std::size_t start = std::min(text.find_first_not_of(kBlanks, kEvery.size()), text.size());
    const auto interval = parse_duration(trim(text.substr(start)));
    if (!interval) return ParseError{start, interval.error().message};
    return ElementSpec{EverySpec{*interval, std::nullopt}};
  }
  if (is_macro(text, "@reboot") && text.size() == std::string_view("@reboot").size()) {
    return ElementSpec{RebootSpec{}};
  }
  const auto expr = CronExpr::parse(text);
  if (!expr) return expr.error();
  return ElementSpec{CronSpec{std::string(text)}};
}

}  // namespace

Result<ScheduleText, ParseError> parse_schedule_text(std::string_view text) {
  std::string_view rest = trim(text);
  ScheduleText result;
  result.timezone = take_zone(rest);
  auto element = parse_element(rest);
  if (!element) {
    const std::size_t skipped =
        rest.empty() ? text.size() : static_cast<std::size_t>(rest.data() - text.data());
    return ParseError{skipped + element.error().offset, element.error().message};
  }
  result.element = *std::move(element);
  return result;
}

}  // namespace cronce
