#include "test/scenario/args.h"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "test/scenario/elapsed.h"

namespace cronce::scenario {

Args::Args(std::string_view text) {
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) words_.push_back(word);
}

bool Args::take(std::string_view word) {
  if (words_.empty() || words_.front() != word) return false;
  words_.pop_front();
  return true;
}

std::string Args::word(std::string_view what) {
  if (words_.empty()) {
    wrong(fmt::format("{} is missing", what));
    return "";
  }
  std::string word = words_.front();
  words_.pop_front();
  return word;
}

Duration Args::elapsed() {
  const auto parsed = parse_elapsed(word("a time such as +10s"));
  if (!parsed) wrong(parsed.error().message);
  return parsed ? *parsed : Duration{};
}

Duration Args::length() {
  const auto parsed = parse_duration(word("a length such as 10s"));
  if (!parsed) wrong(parsed.error().message);
  return parsed ? *parsed : Duration{};
}

std::int64_t Args::number() {
  const std::string text = word("a number");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    wrong(fmt::format("{} is not a number", text));
  return value;
}

void Args::wrong(std::string why) {
  if (mistake_.empty()) mistake_ = std::move(why);
}

}  // namespace cronce::scenario
