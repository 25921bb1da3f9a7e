#include <fmt/format.h>

#include "base/ascii.h"
#include "base/digest.h"
#include "jobfile/crontab.h"
#include "schedule/cron_expr.h"

namespace cronce::crontab {
namespace {

constexpr std::size_t kLongestSlug = 40;
constexpr std::size_t kHexDigits = 6;

/// `MODE=prod` and the like, which the shell reads before the program.
bool is_assignment(std::string_view word) {
  const std::size_t end = word.find('=');
  if (end == 0 || end == std::string_view::npos) return false;
  for (const char c : word.substr(0, end)) {
    if (!is_letter_or_digit(c) && c != '_') return false;
  }
  return true;
}

std::string_view program(std::string_view command) {
  std::size_t at = 0;
  while (at < command.size()) {
    const std::string_view word = command.substr(at, skip_word(command, at) - at);
    if (!is_assignment(word)) return word.substr(word.rfind('/') + 1);
    at = skip_blanks(command, at + word.size());
  }
  return {};
}

/// Letters, digits and single hyphens between them; `job` when nothing is left.
std::string slug(std::string_view command) {
  std::string result;
  for (const char c : program(command)) {
    if (result.size() == kLongestSlug) break;
    if (is_letter_or_digit(c)) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "job" : ascii_lower(result);
}

Digest digest(const NameSource& source) {
  return sha256(
      fmt::format("{}\n{}\n{}\n{}", source.user, source.command, source.schedule, source.rest));
}

std::string meaning(const CronExpr& expr) {
  constexpr std::uint32_t kAllDays = 0xfffffffe;
  constexpr std::uint8_t kAllWeekdays = 0x7f;
  std::uint32_t days = expr.days();
  std::uint8_t weekdays = expr.weekdays();
  bool either = expr.either_day();
  if (either && (days == kAllDays || weekdays == kAllWeekdays)) {
    days = kAllDays;
    weekdays = kAllWeekdays;
    either = false;
  }
  return fmt::format("cron {:x} {:x} {:x} {:x} {:x} {:x} {} {}", expr.seconds(), expr.minutes(),
                     expr.hours(), days, expr.months(), weekdays, either, expr.wildcard_hour());
}

}  // namespace

std::string meaning(const ElementSpec& element) {
  if (const auto* every = std::get_if<EverySpec>(&element)) {
    return fmt::format("every {}", every->interval.count());
  }
  const auto* cron = std::get_if<CronSpec>(&element);
  if (cron == nullptr) return "reboot";  // a crontab has no other kinds
  return meaning(CronExpr::parse(cron->text).value());
}

std::string describe(const Twin& twin) {
  return fmt::format("{} line {}: both are one job; remove one",
                     twin.same_schedule ? "the same as" : "runs at the same times as", twin.line);
}

std::optional<Twin> Namer::twin(const NameSource& source, std::size_t line) {
  const Digest key = digest({source.user, source.command, source.meaning, source.rest, {}});
  const auto [found, is_new] =
      firsts_.emplace(key.hex(), First{line, std::string(source.schedule)});
  if (is_new) return std::nullopt;
  return Twin{found->second.line, found->second.schedule == source.schedule};
}

std::optional<std::size_t> Namer::take(std::string_view name, std::size_t line) {
  const auto [found, added] = lines_.emplace(ascii_lower(name), line);
  if (added) return std::nullopt;
  return found->second;
}

std::string Namer::derive(const NameSource& source, std::size_t line) {
  const Digest command = sha256(fmt::format("{}\n{}", source.user, source.command));
  std::string first = fmt::format("{}-{}", slug(source.command), command.hex(kHexDigits));
  if (!take(first, line)) return first;

  std::string second = fmt::format("{}-{}", first, sha256(source.schedule).hex(kHexDigits));
  if (!take(second, line)) return second;

  const std::string third = fmt::format("{}-{}", first, digest(source).hex(kHexDigits));
  std::string name = third;
  // Name comments can take any name, so the last resort is to count.
  for (int number = 2; take(name, line); ++number) name = fmt::format("{}-{}", third, number);
  return name;
}

}  // namespace cronce::crontab
