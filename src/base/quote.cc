#include "base/quote.h"

namespace cronce {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Also the control characters of Latin-1, which some terminals obey: C2 80 to C2 9F in UTF-8.
bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return true;
  return byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
}

std::string cut(std::string_view text, std::size_t most) {
  std::string result;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!continues_character(text[at]) && ++characters > most) return result + "...";
    if (!is_control(text, at)) {
      result += text[at];
      continue;
    }
    result += '?';
    if (static_cast<unsigned char>(text[at]) == 0xc2) ++at;
  }
  return result;
}

}  // namespace

std::string shorten(std::string_view text) { return cut(text, 40); }

std::string quote(std::string_view text) { return "'" + shorten(text) + "'"; }

std::string one_line(std::string_view text) { return cut(text, 400); }

}  // namespace cronce
