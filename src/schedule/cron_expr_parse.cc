// A whole cron expression: macros, the number of fields, and what they mean together.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "schedule/cron_expr.h"
#include "schedule/cron_field.h"

namespace cronce {
namespace {

constexpr std::size_t kLongestText = 1'000;

struct Macro {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Macro, 7> kMacros{{{"@yearly", "0 0 1 1 *"},
                                        {"@annually", "0 0 1 1 *"},
                                        {"@monthly", "0 0 1 * *"},
                                        {"@weekly", "0 0 * * 0"},
                                        {"@daily", "0 0 * * *"},
                                        {"@midnight", "0 0 * * *"},
                                        {"@hourly", "0 * * * *"}}};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::vector<CronWord> split_words(std::string_view text) {
  std::vector<CronWord> words;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at == text.size()) return words;
    const std::size_t start = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    words.push_back({start, text.substr(start, at - start)});
  }
}

std::optional<ParseError> find_foreign_character(std::string_view text) {
  if (text.size() > kLongestText) {
    return ParseError{kLongestText, fmt::format("longer than {} characters", kLongestText)};
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte < 0x20 && byte != '\t') || byte >= 0x7f) {
      return ParseError{at,
                        fmt::format("{} has no place in an expression: use plain letters, digits "
                                    "and blanks",
                                    show_character(text, at))};
    }
  }
  return std::nullopt;
}

Result<std::string_view, ParseError> expand_macro(const CronWord& word) {
  std::array<std::string_view, kMacros.size()> names;
  for (std::size_t i = 0; i < kMacros.size(); ++i) {
    if (same_letters(word.text, kMacros[i].name)) return kMacros[i].fields;
    names[i] = kMacros[i].name;
  }
  const auto nearest = suggest(word.text, names);
  return ParseError{word.offset,
                    fmt::format("unknown macro {}: {}", quote(word.text),
                                nearest ? fmt::format("did you mean {}?", *nearest)
                                        : "use @hourly, @daily, @weekly, @monthly, @yearly or "
                                          "@every with a duration")};
}

/// `@daily 5`
ParseError more_than_a_macro(const CronWord& macro, const CronWord& next) {
  return {next.offset, fmt::format("a macro stands alone: remove what follows {}", macro.text)};
}

}  // namespace

/// Reads a whole expression; remarks are gathered on the way.
class CronReader {
 public:
  Result<CronExpr, ParseError> read(std::string_view text) {
    if (const auto error = find_foreign_character(text)) return *error;
    std::vector<CronWord> words = split_words(text);
    if (!words.empty() && words[0].text.front() == '@') {
      const auto fields = expand_macro(words[0]);
      const bool known = fields.ok() || same_letters(words[0].text, "@reboot");
      if (known && words.size() > 1) return more_than_a_macro(words[0], words[1]);
      if (!fields) return fields.error();
      words = split_words(*fields);
    }
    if (const auto error = wrong_count(text, words)) return *error;
    if (words.size() == 5) words.insert(words.begin(), CronWord{0, "0"});
    std::array<CronField, 6> sets;
    for (std::size_t i = 0; i < 6; ++i) {
      auto field = parse_cron_field(kFieldOrder[i], words[i]);
      if (!field) return field.error();
      sets[i] = *std::move(field);
    }
    fill(sets);
    if (never()) {
      return ParseError{words[3].offset, "never fires: no month that it names has such a day"};
    }
    remark(sets, words);
    return expr_;
  }

  const std::vector<CronRemark>& remarks() const { return remarks_; }

 private:
  static std::optional<ParseError> wrong_count(std::string_view text,
                                               const std::vector<CronWord>& words) {
    if (words.size() == 5 || words.size() == 6) return std::nullopt;
    if (words.empty()) {
      return ParseError{text.size(), "the expression is empty: write five fields, as in 0 2 * * *"};
    }
    const std::size_t offset = words.size() > 6 ? words[6].offset : text.size();
    return ParseError{offset, fmt::format("{} field{}: use 5 (minute hour day-of-month month "
                                          "day-of-week) or 6 (seconds first)",
                                          words.size(), words.size() == 1 ? "" : "s")};
  }

  void fill(const std::array<CronField, 6>& sets) {
    expr_.seconds_ = sets[0].values;
    expr_.minutes_ = sets[1].values;
    expr_.hours_ = static_cast<std::uint32_t>(sets[2].values);
    expr_.days_ = static_cast<std::uint32_t>(sets[3].values);
    expr_.months_ = static_cast<std::uint16_t>(sets[4].values);
    expr_.weekdays_ = static_cast<std::uint8_t>(sets[5].values);
    expr_.days_star_ = sets[3].star;
    expr_.weekdays_star_ = sets[5].star;
    expr_.wildcard_hour_ = sets[2].wildcard || expr_.hours_ == 0xffffff;
  }

  /// Every day that exists falls on every weekday within 400 years, so only days that no named
  /// month has can keep an expression from firing.
  bool never() const {
    if (expr_.either_day()) return false;
    constexpr std::array<unsigned, 13> kLongestMonths{0,  31, 29, 31, 30, 31, 30,
                                                      31, 31, 30, 31, 30, 31};
    const auto first_day = static_cast<unsigned>(std::countr_zero(expr_.days_));
    for (unsigned m = 1; m <= 12; ++m) {
      if ((expr_.months_ >> m & 1) != 0 && first_day <= kLongestMonths[m]) return false;
    }
    return true;
  }

  /// `*/7` in a field that 7 does not divide.
  void remark_uneven(const CronField& set, unsigned size, std::string_view whole, char unit) {
    const unsigned step = set.star_step;
    if (step == 0 || step >= size || size % step == 0) return;
    remarks_.push_back({false, fmt::format("*/{} starts over at each full {}: for an even distance "
                                           "use every: {}{}",
                                           step, whole, step, unit)});
  }

  void remark(const std::array<CronField, 6>& sets, const std::vector<CronWord>& words) {
    for (const CronField& set : sets) {
      remarks_.insert(remarks_.end(), set.remarks.begin(), set.remarks.end());
    }
    remark_uneven(sets[0], 60, "minute", 's');
    remark_uneven(sets[1], 60, "hour", 'm');
    remark_uneven(sets[2], 24, "day", 'h');
    const bool odd_and = (expr_.days_star_ && words[3].text.size() > 1 && !expr_.weekdays_star_) ||
                         (expr_.weekdays_star_ && words[5].text.size() > 1 && !expr_.days_star_);
    if (odd_and) {
      remarks_.push_back(
          {true, fmt::format("both day fields must match, because one begins with *: "
                             "other programs run '{} {} {}' when either matches",
                             words[3].text, words[4].text, words[5].text)});
    }
    if (expr_.either_day()) {
      remarks_.push_back({false, "a day matches when its date or its weekday does"});
    }
  }

  CronExpr expr_;
  std::vector<CronRemark> remarks_;
};

Result<CronExpr, ParseError> CronExpr::parse(std::string_view text) {
  return CronReader().read(text);
}

std::vector<CronRemark> cron_remarks(std::string_view text) {
  CronReader reader;
  const auto parsed = reader.read(text);
  return parsed ? reader.remarks() : std::vector<CronRemark>{};
}

}  // namespace cronce
