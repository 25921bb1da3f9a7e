#include "schedule/cron_field.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"

namespace cronce {
namespace {

constexpr std::array<std::string_view, 12> kMonthNames{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdayNames{"sun", "mon", "tue", "wed",
                                                        "thu", "fri", "sat"};

/// A row per field. `top` is the largest number accepted, `last` where `*` and `N/step` end: they
/// differ for weekdays, where 7 is a second name of 0.
struct Field {
  FieldKind kind;
  std::string_view name;
  unsigned low, last, top;
  std::span<const std::string_view> names;
};
constexpr std::array<Field, 6> kFields{
    {{FieldKind::second, "second", 0, 59, 59, {}},
     {FieldKind::minute, "minute", 0, 59, 59, {}},
     {FieldKind::hour, "hour", 0, 23, 23, {}},
     {FieldKind::day, "day-of-month", 1, 31, 31, {}},
     {FieldKind::month, "month", 1, 12, 12, kMonthNames},
     {FieldKind::weekday, "day-of-week", 0, 6, 7, kWeekdayNames}}};

bool is_day_field(const Field& field) {
  return field.kind == FieldKind::day || field.kind == FieldKind::weekday;
}

/// What a later version will read, and the message until then.
struct Planned {
  char letter;
  std::string_view meaning;
};
constexpr std::array<Planned, 5> kPlanned{{{'l', "L (the last day)"},
                                           {'w', "W (the nearest weekday)"},
                                           {'#', "# (the n-th weekday of a month)"},
                                           {'~', "~ (a value drawn from a range)"},
                                           {'h', "H (a value drawn from the job's name)"}}};

class FieldReader {
 public:
  FieldReader(const Field& field, CronWord word) : field_(field), word_(word) {}

  Result<CronField, ParseError> read() {
    set_.star = word_.text.front() == '*' || word_.text.front() == '?';
    do {
      if (!read_item()) return error_;
    } while (take(','));
    if (!at_end()) {
      fail_here();
      return error_;
    }
    const bool one_item = word_.text.find(',') == std::string_view::npos;
    set_.wildcard = word_.text == "*" || (word_.text.starts_with("*/") && one_item);
    if (!set_.wildcard) set_.star_step = 0;
    return std::move(set_);
  }

 private:
  bool at_end() const { return at_ == word_.text.size(); }
  char peek() const { return at_end() ? '\0' : word_.text[at_]; }
  bool take(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    return true;
  }

  bool fail(std::size_t at, std::string message) {
    error_ = {word_.offset + at, fmt::format("{} field: {}", field_.name, message)};
    return false;
  }

  std::string wanted() const {
    auto numbers = fmt::format("{}-{}", field_.low, field_.top);
    if (field_.kind == FieldKind::month) return numbers + " or jan-dec";
    if (field_.kind == FieldKind::weekday) return numbers + " or sun-sat";
    return numbers;
  }

  bool fail_here() {
    if (at_end()) return fail(at_, fmt::format("a value is missing at the end: use {}", wanted()));
    for (const Planned& planned : kPlanned) {
      if (ascii_lower(peek()) == planned.letter) {
        return fail(at_, fmt::format("{} is not supported yet: use {}, ranges, lists and steps",
                                     planned.meaning, wanted()));
      }
    }
    if (peek() == '?') return fail(at_, "'?' has a meaning in the two day fields only: use *");
    return fail(at_,
                fmt::format("{} is not a value: use *, {}, or a range such as {}-{}",
                            show_character(word_.text, at_), wanted(), field_.low, field_.low + 2));
  }

  bool read_item() {
    const std::size_t start = at_;
    unsigned low = field_.low;
    unsigned high = field_.last;
    bool open = true;  // without a step it would be a single value
    if (peek() == '*' || (peek() == '?' && is_day_field(field_))) {
      if (!read_wildcard()) return false;
      open = false;
    } else {
      if (!read_value(&low)) return false;
      if (peek() == '-') {
        open = false;
        if (!read_range_end(start, low, &high)) return false;
      }
    }
    unsigned step = 1;
    if (peek() == '/') {
      if (!read_step(high < low ? 0 : high - low, &step)) return false;
    } else if (open) {
      high = low;
    }
    for (unsigned v = low; v <= high; v += step) {
      const unsigned value = field_.kind == FieldKind::weekday && v == 7 ? 0 : v;
      set_.values |= std::uint64_t{1} << value;
    }
    if (open && low > high) set_.values |= 1;  // `7/2` in the weekday field: Sunday alone
    return true;
  }

  bool read_wildcard() {
    const bool star = take('*');
    if (!star) ++at_;
    if (at_end() || peek() == ',' || (star && peek() == '/')) return true;
    if (star) return fail(at_, "after * only / or , can follow");
    return fail(at_, peek() == '/' ? "'?' takes no step: use * with a step, as in */2"
                                   : "after ? only , can follow");
  }

  bool read_range_end(std::size_t start, unsigned low, unsigned* high) {
    ++at_;
    const std::size_t end_start = at_;
    if (!read_value(high)) return false;
    const bool by_name = is_letter(word_.text[end_start]);
    if (field_.kind == FieldKind::weekday && by_name && *high == 0 && low > 0) *high = 7;
    if (*high >= low) return true;
    const std::string_view text = word_.text.substr(start, at_ - start);
    // 7 is Sunday at the end of a week; at its beginning it is written 0.
    const auto advice = low > field_.last ? fmt::format("write it as {}-{}", field_.low, *high)
                                          : fmt::format("write it as two, such as {}-{},{}-{}", low,
                                                        field_.last, field_.low, *high);
    return fail(start, fmt::format("the range {} runs backwards: {}", text, advice));
  }

  bool read_step(unsigned span, unsigned* step) {
    ++at_;
    const std::size_t start = at_;
    if (!is_digit(peek())) {
      return fail(at_, "a step must be a number, as in */15");
    }
    if (!read_number(step)) return fail(start, "the step is too large");
    set_.star_step = *step;
    if (*step == 0) return fail(start, "a step of 0 never moves on: use 1 or more");
    if (*step > span) {
      set_.remarks.push_back(
          {true, fmt::format("{} field: the step {} is larger than the range, so only "
                             "its first value matches",
                             field_.name, *step)});
    }
    return true;
  }

  /// Digits; false if the number does not fit.
  bool read_number(unsigned* value) {
    const char* begin = word_.text.data() + at_;
    const char* end = word_.text.data() + word_.text.size();
    const auto [stop, failed] = std::from_chars(begin, end, *value);
    at_ += static_cast<std::size_t>(stop - begin);
    return failed == std::errc{} && *value < 100'000;
  }

  bool read_value(unsigned* value) {
    const std::size_t start = at_;
    if (is_digit(peek())) {
      const bool fits = read_number(value);
      if (fits && *value >= field_.low && *value <= field_.top && !is_letter(peek())) return true;
      if (is_letter(peek()) || peek() == '#') return fail_here();
      const auto text = word_.text.substr(start, std::min<std::size_t>(at_ - start, 20));
      return fail(start, fmt::format("{} is out of range: use {}", text, wanted()));
    }
    return is_letter(peek()) ? read_name(value) : fail_here();
  }

  bool read_name(unsigned* value) {
    const std::size_t start = at_;
    while (is_letter(peek())) ++at_;
    const std::string_view text = word_.text.substr(start, at_ - start);
    for (unsigned i = 0; i < field_.names.size(); ++i) {
      if (same_letters(text, field_.names[i])) {
        *value = field_.low + i;
        return true;
      }
    }
    at_ = start;
    if (text.size() <= 2) return fail_here();
    const auto nearest = suggest(text, field_.names);
    return fail(start,
                nearest ? fmt::format("'{}' is not a name: did you mean {}?", text, *nearest)
                        : fmt::format("'{}' is not a value: use {}", text.substr(0, 20), wanted()));
  }

  const Field& field_;
  CronWord word_;
  std::size_t at_ = 0;
  CronField set_;
  ParseError error_;
};

}  // namespace

std::string show_character(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte > 0x20 && byte < 0x7f) return fmt::format("'{}'", text[at]);
  if (byte == '\n' || byte == '\r') return "a line break";
  if (byte < 0x80) return fmt::format("the control character 0x{:02x}", byte);
  const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
  if (length == 0 || at + length > text.size()) return fmt::format("the byte 0x{:02x}", byte);
  std::uint32_t point = byte & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if (next >> 6 != 2) return fmt::format("the byte 0x{:02x}", byte);
    point = point << 6 | (next & 0x3f);
  }
  return fmt::format("the character U+{:04X}", point);
}

Result<CronField, ParseError> parse_cron_field(FieldKind kind, CronWord word) {
  return FieldReader(kFields[static_cast<std::size_t>(kind)], word).read();
}

}  // namespace cronce
