#include "node/mail_header.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"

namespace cronce {
namespace {

constexpr std::string_view kWordBegins = "=?UTF-8?Q?";
constexpr std::string_view kWordEnds = "?=";
constexpr std::size_t kMostInWord = 75 - kWordBegins.size() - kWordEnds.size();

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_plain(std::string_view text) {
  return is_ascii(text) && text.find("=?") == std::string_view::npos;
}

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string encoded(std::string_view character) {
  if (character == " ") return "_";
  if (character.size() == 1 && is_letter_or_digit(character.front())) return std::string(character);
  std::string out;
  for (const char c : character) out += fmt::format("={:02X}", static_cast<unsigned char>(c));
  return out;
}

/// Words of the length that is allowed, a line each; no character is in two of them.
std::string encoded_words(std::string_view text) {
  std::string out;
  std::string word;
  while (!text.empty()) {
    std::size_t size = 1;
    while (size < text.size() && goes_on(text[size])) ++size;
    const std::string next = encoded(text.substr(0, size));
    if (word.size() + next.size() > kMostInWord) {
      out += fmt::format("{}{}{}\n ", kWordBegins, word, kWordEnds);
      word.clear();
    }
    word += next;
    text.remove_prefix(size);
  }
  return fmt::format("{}{}{}{}", out, kWordBegins, word, kWordEnds);
}

}  // namespace

std::string mail_line(std::string_view text) {
  std::string line = as_utf8(text);
  const auto is_control = [](char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; };
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  return line;
}

std::string mail_text(std::string_view text) {
  std::string line = mail_line(text);
  return is_plain(line) ? line : encoded_words(line);
}

std::string mail_name(std::string_view text) {
  const std::string line = mail_line(text);
  if (!is_plain(line)) return encoded_words(line);
  std::string out = "\"";
  for (const char c : line) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace cronce
