#include "base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace cronce {
namespace {

struct Form {
  std::size_t length;
  std::uint32_t least;  // a smaller code point in so many bytes is overlong
};

Form form_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0};
  if (lead >= 0xc2 && lead < 0xe0) return {2, 0x80};
  if (lead >= 0xe0 && lead < 0xf0) return {3, 0x800};
  if (lead >= 0xf0 && lead < 0xf5) return {4, 0x10000};
  return {0, 0};
}

/// How many bytes the character takes that begins here; 0 if none does.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const Form form = form_of(lead);
  if (form.length == 0 || form.length > text.size()) return 0;
  std::uint32_t point = form.length == 1 ? lead : lead & (0x7fU >> form.length);
  for (std::size_t i = 1; i < form.length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 2) return 0;
    point = point << 6 | (next & 0x3fU);
  }
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return point < form.least || point > 0x10ffff || surrogate ? 0 : form.length;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      result += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace cronce
