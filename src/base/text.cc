#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace cronce {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::string_view last_line(std::string_view output) {
  const std::size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  output = output.substr(0, end + 1);
  return output.substr(output.find_last_of('\n') + 1);
}

}  // namespace cronce
