#include "base/time.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/quote.h"

namespace cronce {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::local_days;
using std::chrono::local_time;

/// Reads a written time from the left; every take_ moves past what it accepted.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

  /// Exactly `width` digits with a value in [low, high]; a number outside has a reason.
  bool take_number(std::size_t width, int low, int high, int* value, std::string_view reason) {
    if (rest_.size() < width) return false;
    const char* end = rest_.data() + width;
    const auto [stop, error] = std::from_chars(rest_.data(), end, *value);
    if (error != std::errc{} || stop != end || rest_.front() == '-') return false;
    if (*value < low || *value > high) return fail(reason);
    rest_.remove_prefix(width);
    return true;
  }

  /// One to nine digits after the point, cut to milliseconds.
  bool take_fraction(int* millis) {
    constexpr int kMostDigits = 9;
    int scale = 100;
    int digits = 0;
    *millis = 0;
    for (; at_digit() && digits < kMostDigits; ++digits) {
      *millis += (rest_.front() - '0') * scale;
      scale /= 10;
      rest_.remove_prefix(1);
    }
    return at_digit() ? fail("a second has at most nine decimals") : digits > 0;
  }

  bool fail(std::string_view reason) {
    reason_ = reason;
    return false;
  }

  /// Why a time in the right form is none; empty where the form is wrong.
  std::string_view reason() const { return reason_; }

 private:
  std::string_view rest_;
  std::string_view reason_;
};

constexpr std::string_view kYears = "years go from 0001 to 9999";
constexpr std::string_view kDays = "that month has no such day";
constexpr std::string_view kHours = "hours go from 00 to 23";
constexpr std::string_view kMinutes = "minutes go from 00 to 59";
constexpr std::string_view kSeconds = "seconds go from 00 to 59";

bool read_date(Reader& in, WrittenTime* out) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!in.take_number(4, 1, 9999, &year, kYears)) return false;
  if (in.at_digit()) return in.fail(kYears);
  if (!in.take('-') || !in.take_number(2, 1, 12, &month, "months go from 01 to 12") ||
      !in.take('-') || !in.take_number(2, 1, 31, &day, kDays)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return in.fail(kDays);
  out->civil = local_days{date};
  return true;
}

bool read_clock(Reader& in, WrittenTime* out) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millis = 0;
  if (!in.take_number(2, 0, 23, &hour, kHours) || !in.take(':') ||
      !in.take_number(2, 0, 59, &minute, kMinutes)) {
    return false;
  }
  if (in.take(':')) {
    if (!in.take_number(2, 0, 59, &second, kSeconds)) return false;
    if (in.take('.') && !in.take_fraction(&millis)) return false;
  }
  out->civil +=
      std::chrono::hours{hour} + std::chrono::minutes{minute} + Seconds{second} + Duration{millis};
  return true;
}

bool read_offset(Reader& in, WrittenTime* out) {
  if (in.take('Z') || in.take('z')) {
    out->offset = Seconds{0};
    return true;
  }
  const bool west = in.take('-');
  if (!west && !in.take('+')) return true;
  int hour = 0;
  int minute = 0;
  constexpr std::string_view kOffsets = "an offset goes from -23:59 to +23:59";
  if (!in.take_number(2, 0, 23, &hour, kOffsets) || !in.take(':') ||
      !in.take_number(2, 0, 59, &minute, kOffsets)) {
    return false;
  }
  const Seconds offset = std::chrono::hours{hour} + std::chrono::minutes{minute};
  out->offset = west ? -offset : offset;
  return true;
}

bool read_written_time(Reader& in, WrittenTime* out) {
  if (!read_date(in, out)) return false;
  if (in.at_end()) {
    out->whole_day = true;
    return true;
  }
  if (!in.take('T') && !in.take('t') && !in.take(' ')) return false;
  if (!read_clock(in, out) || !read_offset(in, out) || !in.at_end()) return false;
  // An offset can move the first and the last day of all years out of them.
  const auto instant = out->instant();
  if (!instant || (*instant >= kMinTime && *instant <= kMaxTime)) return true;
  return in.fail(kYears);
}

/// Every claim has a time in its key: this is done without a format.
std::string print_civil(local_time<Duration> civil) {
  const auto day = floor<days>(civil);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss<Duration> clock{civil - day};
  std::string text;
  const auto put = [&](std::string_view before, auto number, std::size_t width) {
    text += before;
    text.resize(text.size() + width);
    for (std::size_t i = 0; i < width; ++i, number /= 10) {
      text[text.size() - 1 - i] = static_cast<char>('0' + number % 10);
    }
  };
  const int year{date.year()};
  put("", year, year > 9999 ? 5 : 4);
  put("-", static_cast<unsigned>(date.month()), 2);
  put("-", static_cast<unsigned>(date.day()), 2);
  put("T", clock.hours().count(), 2);
  put(":", clock.minutes().count(), 2);
  put(":", clock.seconds().count(), 2);
  if (clock.subseconds().count() != 0) put(".", clock.subseconds().count(), 3);
  return text;
}

std::string print_offset(Seconds offset) {
  const auto minutes = floor<std::chrono::minutes>(std::chrono::abs(offset)).count();
  return fmt::format("{}{:02}:{:02}", offset.count() < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

struct Unit {
  std::string_view name;
  std::int64_t millis;
};
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

Error bad_duration(std::string_view text) {
  return {Code::invalid,
          fmt::format("{} is not a duration: write it like 90s, 15m, 2h30m or 1d", quote(text))};
}

}  // namespace

std::optional<Time> WrittenTime::instant() const {
  if (!offset) return std::nullopt;
  return Time{civil.time_since_epoch() - *offset};
}

Result<WrittenTime> parse_written_time(std::string_view text) {
  WrittenTime time;
  Reader in(text);
  if (read_written_time(in, &time)) return time;
  const std::string_view why =
      in.reason().empty() ? "write it like 2026-12-24T18:00:00Z" : in.reason();
  return Error{Code::invalid, fmt::format("{} is not a time: {}", quote(text), why)};
}

std::string print(const WrittenTime& time) {
  std::string text = print_civil(time.civil);
  if (time.whole_day) return text.substr(0, text.find('T'));
  if (!time.offset) return text;
  return text + (time.offset->count() == 0 ? "Z" : print_offset(*time.offset));
}

Result<Time> parse_time(std::string_view text) {
  const auto written = parse_written_time(text);
  if (!written) return written.error();
  if (const auto instant = written->instant()) return *instant;
  return Error{
      Code::invalid,
      fmt::format("{} has no UTC offset: end it with Z or with one like +01:00", quote(text))};
}

std::string print(Time time) {
  return print_civil(local_time<Duration>{time.time_since_epoch()}) + "Z";
}

std::string print(CivilTime time) { return print_civil(time); }

std::string print_at_offset(Time time, Seconds offset) {
  return print_civil(local_time<Duration>{time.time_since_epoch() + offset}) + print_offset(offset);
}

Result<Duration> parse_duration(std::string_view text) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max() / 4;
  std::int64_t total = 0;
  std::string_view rest = text;
  auto unit = kUnits.begin();
  while (!rest.empty()) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{} || rest.front() == '-') return bad_duration(text);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
    while (unit != kUnits.end() && unit->name != name) ++unit;
    if (unit == kUnits.end() || number > (kLimit - total) / unit->millis) return bad_duration(text);
    total += number * unit->millis;
    rest.remove_prefix(name.size());
    ++unit;
  }
  if (text.empty()) return bad_duration(text);
  return Duration{total};
}

std::string print(Duration duration) {
  if (duration.count() == 0) return "0s";
  std::string text = duration.count() < 0 ? "-" : "";
  std::int64_t rest = std::chrono::abs(duration).count();
  for (const Unit& unit : kUnits) {
    if (rest >= unit.millis) text += fmt::format("{}{}", rest / unit.millis, unit.name);
    rest %= unit.millis;
  }
  return text;
}

}  // namespace cronce
