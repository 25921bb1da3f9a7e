// Characters of a crontab, and what cron makes of `%`.
#include <algorithm>

#include <fmt/format.h>

#include "jobfile/crontab.h"
#include "jobfile/text_place.h"

namespace cronce::crontab {
namespace {

constexpr std::string_view kBlanks = " \t";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The character at an offset, as its code point and its length; length 0: not UTF-8.
struct Character {
  std::uint32_t point = 0;
  std::size_t length = 0;
};

Character decode(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {};
  std::uint32_t point = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[at + i])) return {};
    point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return overlong || surrogate || point > 0x10ffff ? Character{} : Character{point, length};
}

/// Separators break lines too, in the eyes of some programs.
bool is_control(std::uint32_t point) {
  return (point < 0x20 && point != '\t') || (point >= 0x7f && point < 0xa0) || point == 0x2028 ||
         point == 0x2029;
}

std::string describe_control(std::uint32_t point) {
  if (point == '\r') return "a carriage return inside a line: remove it";
  return fmt::format("the control character U+{:04X} has no place in a crontab: remove it", point);
}

}  // namespace

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(kBlanks, at), line.size());
}

std::size_t skip_word(std::string_view line, std::size_t at) {
  return std::min(line.find_first_of(kBlanks, at), line.size());
}

Piece trimmed(std::string_view line, std::size_t at) {
  const std::size_t begin = skip_blanks(line, at);
  std::size_t end = line.size();
  while (end > begin && kBlanks.find(line[end - 1]) != std::string_view::npos) --end;
  return {begin, line.substr(begin, end - begin)};
}

std::string single_blanks(std::string_view text) {
  std::string result;
  for (std::size_t at = skip_blanks(text, 0); at < text.size();) {
    const std::size_t end = skip_word(text, at);
    if (!result.empty()) result += ' ';
    result += text.substr(at, end - at);
    at = skip_blanks(text, end);
  }
  return result;
}

std::size_t column(std::string_view line, std::size_t offset) {
  return count_characters(line.substr(0, offset)) + 1;
}

std::optional<std::size_t> find_binary(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) return nul;
  const auto is_odd = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
  };
  // Of random bytes every tenth is one; a text in whatever encoding has next to none.
  const auto odd = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_odd));
  if (odd < 8 || odd * 32 < text.size()) return std::nullopt;
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_odd) - text.begin());
}

std::optional<Remark> foreign_character(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const Character character = decode(line, at);
    if (character.length == 0) {
      return Remark{Severity::syntax, at,
                    fmt::format("the byte 0x{:02x} is not UTF-8: convert the file, as in "
                                "iconv -f latin1 -t utf-8",
                                static_cast<unsigned char>(line[at]))};
    }
    if (is_control(character.point)) {
      return Remark{Severity::syntax, at, describe_control(character.point)};
    }
    at += character.length;
  }
  return std::nullopt;
}

namespace {

/// The rules differ between the two parts, as in cron itself: in the command a backslash protects
/// any character after it, in the input only a percent sign.
std::string read_input(std::string_view text) {
  std::string input;
  bool escaped = false;
  for (char c : text) {
    if (escaped && c != '%') input += '\\';
    if (!escaped && c == '%') c = '\n';
    escaped = c == '\\';
    if (!escaped) input += c;
  }
  if (escaped) input += '\\';
  if (!input.empty() && input.back() != '\n') input += '\n';
  return input;
}

}  // namespace

CommandText split_input(std::string_view command) {
  CommandText result;
  bool escaped = false;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (c == '%' && escaped) {
      result.line.back() = c;
    } else if (c == '%') {
      result.input = read_input(command.substr(at + 1));
      break;
    } else {
      result.line += c;
    }
    escaped = c == '\\' && !escaped;
  }
  return result;
}

}  // namespace cronce::crontab
