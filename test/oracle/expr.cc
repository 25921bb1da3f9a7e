#include "test/oracle/expr.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "test/oracle/zone.h"

namespace oracle {
namespace {

struct Field {
  int low;
  int high;                // of `*` and of `N/step`
  int top;                 // highest number that may be written: 7 is another Sunday
  std::string_view names;  // three letters each, the first has the number `low`
};

constexpr Field kSecond{0, 59, 59, ""};
constexpr Field kMinute{0, 59, 59, ""};
constexpr Field kHour{0, 23, 23, ""};
constexpr Field kDayOfMonth{1, 31, 31, ""};
constexpr Field kMonth{1, 12, 12, "janfebmaraprmayjunjulaugsepoctnovdec"};
constexpr Field kDayOfWeek{0, 6, 7, "sunmontuewedthufrisat"};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

int number(const std::string& text, const Field& field) {
  std::string lower;
  for (const char c : text) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (std::size_t i = 0; i + 3 <= field.names.size(); i += 3) {
    if (field.names.substr(i, 3) == lower) return field.low + static_cast<int>(i / 3);
  }
  const int value = std::stoi(text);
  if (value < field.low || value > field.top) throw std::invalid_argument("out of range: " + text);
  return value;
}

// The right end of a range of weekdays: `SAT-SUN` is 6-7.
int range_end(const std::string& text, const Field& field) {
  const int value = number(text, field);
  const bool is_name = std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  return is_name && field.top == 7 && value == 0 ? 7 : value;
}

// One element of a list: `*`, `?`, N, N-M, each perhaps with /step.
template <typename Set>
void add_element(const std::string& element, const Field& field, Set& set) {
  const std::vector<std::string> parts = split(element, '/');
  const int step = parts.size() > 1 ? std::stoi(parts[1]) : 1;
  if (step < 1) throw std::invalid_argument("step of 0");
  int first = field.low;
  int last = field.high;
  if (parts[0] != "*" && parts[0] != "?") {
    const std::vector<std::string> ends = split(parts[0], '-');
    first = number(ends[0], field);
    if (ends.size() > 1) last = range_end(ends[1], field);
    if (ends.size() == 1 && parts.size() == 1) last = first;
  }
  if (first > last) throw std::invalid_argument("reversed: " + element);
  for (int value = first; value <= last; value += step) set[static_cast<std::size_t>(value)] = true;
}

template <typename Set>
void read_field(const std::string& text, const Field& field, Set& set) {
  for (const std::string& element : split(text, ',')) add_element(element, field, set);
  if (field.top == 7 && set[7]) set[0] = true;
}

bool starts_with_star(const std::string& field) { return field[0] == '*' || field[0] == '?'; }

// Exactly `*` or `*/n`: a list that begins with a star is not.
bool is_star_or_star_step(const std::string& field) {
  return field[0] == '*' && field.find(',') == std::string::npos;
}

struct Date {
  std::int8_t day_of_month;
  std::int8_t month;
  std::int8_t day_of_week;
};

constexpr std::int64_t kFirstDay = kFirstInstant / kDay - 2;
constexpr std::int64_t kLastDay = kLastInstant / kDay + 2;

// glibc is the judge of the calendar, too; asked once per day, because sparse expressions walk
// through decades of days.
std::vector<Date> ask_for_all_dates() {
  std::vector<Date> dates;
  for (std::int64_t day = kFirstDay; day <= kLastDay; ++day) {
    const std::time_t noon = day * kDay + kDay / 2;
    std::tm fields{};
    gmtime_r(&noon, &fields);
    dates.push_back({static_cast<std::int8_t>(fields.tm_mday),
                     static_cast<std::int8_t>(fields.tm_mon + 1),
                     static_cast<std::int8_t>(fields.tm_wday)});
  }
  return dates;
}

const Date& date_of(std::int64_t day) {
  static const std::vector<Date> dates = ask_for_all_dates();
  return dates.at(static_cast<std::size_t>(day - kFirstDay));
}

}  // namespace

Expr::Expr(std::string text) : text_(std::move(text)) {
  std::vector<std::string> fields = split(text_, ' ');
  if (fields.size() == 5) fields.insert(fields.begin(), "0");
  if (fields.size() != 6) throw std::invalid_argument("five or six fields: " + text_);
  read_field(fields[0], kSecond, seconds_);
  read_field(fields[1], kMinute, minutes_);
  read_field(fields[2], kHour, hours_);
  read_field(fields[3], kDayOfMonth, days_of_month_);
  read_field(fields[4], kMonth, months_);
  read_field(fields[5], kDayOfWeek, days_of_week_);
  day_pair_is_and_ = starts_with_star(fields[3]) || starts_with_star(fields[5]);
  wildcard_hour_ =
      is_star_or_star_step(fields[2]) || std::count(hours_.begin(), hours_.end(), true) == 24;
}

bool Expr::day_matches(std::int64_t day) const {
  const Date& date = date_of(day);
  if (!months_[static_cast<std::size_t>(date.month)]) return false;
  const bool by_month = days_of_month_[static_cast<std::size_t>(date.day_of_month)];
  const bool by_week = days_of_week_[static_cast<std::size_t>(date.day_of_week)];
  return day_pair_is_and_ ? by_month && by_week : by_month || by_week;
}

bool Expr::minute_matches(int hour, int minute) const {
  return hours_[static_cast<std::size_t>(hour)] && minutes_[static_cast<std::size_t>(minute)];
}

bool Expr::second_matches(int second) const { return seconds_[static_cast<std::size_t>(second)]; }

bool Expr::ever_matches() const {
  for (std::int64_t day = kFirstDay; day <= kLastDay; ++day) {
    if (day_matches(day)) return true;
  }
  return false;
}

}  // namespace oracle
