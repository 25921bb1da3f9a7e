#include "test/scenario/elapsed.h"

#include <regex>

#include <fmt/format.h>

namespace cronce::scenario {
namespace {

/// Each match of the pattern replaced by what `make` returns for it.
template <class Make>
std::string replace_all(const std::string& text, const std::regex& pattern, Make make) {
  std::string result;
  std::size_t done = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    const auto at = static_cast<std::size_t>(match->position());
    result += text.substr(done, at - done) + make(*match);
    done = at + static_cast<std::size_t>(match->length());
  }
  return result + text.substr(done);
}

}  // namespace

std::string print_elapsed(Duration since_begin) {
  const Duration length = std::chrono::abs(since_begin);
  const Duration minutes = std::chrono::floor<std::chrono::minutes>(length);
  const Duration rest = length - minutes;
  std::string text = since_begin < Duration{0} ? "-" : "+";
  if (minutes > Duration{0}) text += print(minutes);
  if (rest > Duration{0} || minutes == Duration{0})
    text += fmt::format("{}s", static_cast<double>(rest.count()) / 1000);
  return text;
}

Result<Duration> parse_elapsed(std::string_view text) {
  const Error wrong{Code::invalid, fmt::format("{} is not a time such as +1m10.3s", text)};
  if (text.size() < 2 || (text.front() != '+' && text.front() != '-')) return wrong;
  static const std::regex fraction(R"(\.(\d{1,3})s$)");
  const std::string written(text.substr(1));
  const auto length = parse_duration(replace_all(written, fraction, [](const std::smatch& match) {
    return fmt::format("s{:0<3}ms", match[1].str());
  }));
  if (!length) return wrong;
  return text.front() == '-' ? -*length : *length;
}

std::string in_elapsed(const std::string& text, Time begin) {
  static const std::regex instant(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)");
  static const std::regex fence(R"(fence (\d+))");
  const auto times = replace_all(text, instant, [&](const std::smatch& match) {
    return print_elapsed(parse_time(match.str()).value() - begin);
  });
  return replace_all(times, fence, [](const std::smatch& match) {
    constexpr unsigned kCountBits = 40;
    const std::uint64_t value = std::stoull(match[1].str());
    return fmt::format("fence {}.{}", value >> kCountBits, value & ((1ULL << kCountBits) - 1));
  });
}

}  // namespace cronce::scenario
