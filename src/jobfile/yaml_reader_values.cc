// The readers of single values.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/quote.h"
#include "jobfile/yaml_reader.h"

namespace cronce {
namespace {

/// Linux takes no longer argument or environment variable.
constexpr std::size_t kLongestText = (128UL << 10) - 1;
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kMostEntries = 10'000;

bool is_text(const YamlNode& node) { return node.kind == YamlNode::Kind::text && !node.is_null(); }

/// A whole number and nothing else.
bool parse_number(std::string_view text, std::int64_t* out) {
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return failed == std::errc{} && stop == text.data() + text.size() && !text.empty();
}

struct SizeUnit {
  std::string_view name;
  unsigned shift;
};
constexpr auto kSizeUnits =
    std::to_array<SizeUnit>({{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}});

std::string print_size(std::int64_t bytes) {
  std::string_view unit;
  for (const SizeUnit& each : kSizeUnits) {
    if (bytes == 0 || bytes % (std::int64_t{1} << each.shift) != 0) continue;
    unit = each.name;
  }
  for (const SizeUnit& each : kSizeUnits) {
    if (each.name == unit) return fmt::format("{}{}", bytes >> each.shift, unit);
  }
  return "";
}

bool parse_size(std::string_view text, std::int64_t* out) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::int64_t number = 0;
  if (!parse_number(text.substr(0, digits), &number)) return false;
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.name != text.substr(digits)) continue;
    if (number > (std::int64_t{1} << 62) >> unit.shift) return false;
    *out = number << unit.shift;
    return true;
  }
  return false;
}

}  // namespace

bool YamlReader::text(const YamlNode& node, std::string* out) {
  if (!is_text(node)) {
    wrong_kind(node, "a text");
    return false;
  }
  if (node.text.find('\0') != std::string_view::npos) {
    error(node, "a text cannot contain the character NUL: leave out \\0");
    return false;
  }
  if (node.text.size() > kLongestText) {
    error(node, fmt::format("{} bytes are too long for a text: at most {}", node.text.size(),
                            kLongestText));
    return false;
  }
  *out = node.text;
  return true;
}

bool YamlReader::integer(const YamlNode& node, IntegerRange range, std::int64_t* out) {
  const std::string wanted = fmt::format("a number from {} to {}", range.low, range.high);
  std::int64_t value = 0;
  if (!is_text(node)) {
    wrong_kind(node, wanted);
    return false;
  }
  if (node.text.size() > kLongestWord || !parse_number(node.text, &value)) {
    error(node, fmt::format("expected {}, found {}", wanted, quote(node.text)));
    return false;
  }
  if (node.style != YamlNode::Style::plain) {
    error(node, fmt::format("expected {}, found a text: write it without quotes", wanted));
    return false;
  }
  if (value < range.low || value > range.high) {
    error(node, fmt::format("{} is out of range: use {} to {}", value, range.low, range.high));
    return false;
  }
  *out = value;
  return true;
}

bool YamlReader::boolean(const YamlNode& node, bool* out) {
  constexpr auto kYes =
      std::to_array<std::string_view>({"yes", "Yes", "YES", "on", "On", "ON", "1"});
  constexpr auto kNo =
      std::to_array<std::string_view>({"no", "No", "NO", "off", "Off", "OFF", "0"});
  if (!is_text(node)) {
    wrong_kind(node, "true or false");
    return false;
  }
  const bool yes = node.text == "true" || node.text == "True" || node.text == "TRUE";
  const bool no = node.text == "false" || node.text == "False" || node.text == "FALSE";
  if (node.style == YamlNode::Style::plain && (node.text == "true" || node.text == "false")) {
    *out = yes;
    return true;
  }
  const bool like_yes = yes || std::find(kYes.begin(), kYes.end(), node.text) != kYes.end();
  const bool like_no = no || std::find(kNo.begin(), kNo.end(), node.text) != kNo.end();
  const std::string found = fmt::format("expected true or false, found {}", quote(node.text));
  if (!like_yes && !like_no) {
    error(node, found);
  } else if (node.style != YamlNode::Style::plain) {
    error(node, fmt::format("{} in quotes, which is a text: write {}", found, like_yes));
  } else {
    error(node,
          fmt::format("{}, which YAML readers take differently: write {}, or put it in quotes "
                      "where a text is meant",
                      found, like_yes));
  }
  return false;
}

bool YamlReader::duration(const YamlNode& node, DurationRange range, Duration* out) {
  if (!is_text(node) || node.text.size() > kLongestWord) {
    wrong_kind(node, "a duration such as 90s, 15m or 2h30m");
    return false;
  }
  std::int64_t number = 0;
  if (parse_number(node.text, &number) && number > 0) {
    error(node, fmt::format("{0} has no unit: write {0}s for seconds, {0}m for minutes", number));
    return false;
  }
  const auto value = parse_duration(node.text);
  if (!value) {
    error(node, value.error().message);
    return false;
  }
  if (*value < range.low || *value > range.high) {
    error(node, fmt::format("{} is out of range: use {} to {}", print(*value), print(range.low),
                            print(range.high)));
    return false;
  }
  *out = *value;
  return true;
}

bool YamlReader::duration(const YamlNode& node, DurationRange range, std::optional<Duration>* out) {
  Duration value{};
  if (!duration(node, range, &value)) return false;
  *out = value;
  return true;
}

bool YamlReader::size(const YamlNode& node, IntegerRange range, std::int64_t* out) {
  std::int64_t bytes = 0;
  if (!is_text(node) || node.text.size() > kLongestWord) {
    wrong_kind(node, "a size such as 64KiB");
    return false;
  }
  if (!parse_size(node.text, &bytes)) {
    error(node, fmt::format("{} is not a size: write it like 4096, 64KiB, 1MiB or 2GiB",
                            quote(node.text)));
    return false;
  }
  if (bytes < range.low || bytes > range.high) {
    error(node, fmt::format("{} is out of range: use {} to {}", print_size(bytes),
                            print_size(range.low), print_size(range.high)));
    return false;
  }
  *out = bytes;
  return true;
}

bool YamlReader::percent(const YamlNode& node, std::int64_t* out) {
  std::int64_t value = 0;
  if (!is_text(node)) {
    wrong_kind(node, "a percentage such as 10%");
    return false;
  }
  const bool has_sign = node.text.ends_with('%') && node.text.size() <= kLongestWord;
  if (!has_sign || !parse_number(node.text.substr(0, node.text.size() - 1), &value) || value < 0 ||
      value > 100) {
    error(node, fmt::format("{} is not a percentage: use 0% to 100%", quote(node.text)));
    return false;
  }
  *out = value;
  return true;
}

bool YamlReader::time(const YamlNode& node, std::optional<WrittenTime>* out) {
  using std::chrono::year;
  if (!is_text(node) || node.text.size() > kLongestWord) {
    wrong_kind(node, "a time such as 2026-12-24T18:00");
    return false;
  }
  const auto value = parse_written_time(node.text);
  if (!value) {
    error(node, value.error().message);
    return false;
  }
  // Room on both sides, so that no zone or offset leads out of the years that can be written.
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(value->civil)};
  if (day.year() < year{1900} || day.year() > year{9000}) {
    error(node, fmt::format("{} is out of range: use the years 1900 to 9000", quote(node.text)));
    return false;
  }
  *out = *value;
  return true;
}

bool YamlReader::texts(const YamlNode& node, std::vector<std::string>* out) {
  if (!expect_list(node, "a list of texts")) return false;
  if (node.count > kMostEntries) {
    error(node, fmt::format("{} entries are too many: at most {}", node.count, kMostEntries));
    return false;
  }
  std::vector<std::string> found;
  bool right = true;
  for (const YamlNode* child = node.first; child != nullptr; child = child->next) {
    right = text(*child, &found.emplace_back()) && right;
  }
  if (right) *out = std::move(found);
  return right;
}

bool YamlReader::text_map(const YamlNode& node, std::map<std::string, std::string>* out) {
  if (!expect_map(node, "a map of texts")) return false;
  if (node.count / 2 > kMostEntries) {
    error(node, fmt::format("{} entries are too many: at most {}", node.count / 2, kMostEntries));
    return false;
  }
  bool right = true;
  for (const YamlNode* key = node.first; key != nullptr; key = key->next->next) {
    std::string name;
    if (!text(*key, &name)) {
      right = false;
      continue;
    }
    path_.push_back(key->text);
    if (key->next->is_null()) {
      error(*key->next, "expected a text, found nothing: write \"\" if it shall be empty");
      right = false;
    } else {
      right = text(*key->next, &(*out)[name]) && right;
    }
    path_.pop_back();
  }
  return right;
}

}  // namespace cronce
