#include "jobfile/text_place.h"

#include <algorithm>

namespace cronce {
namespace {

constexpr std::size_t kStride = 64;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The length of the line break at `at`, 0 if there is none.
std::size_t break_length(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 3);
  if (rest.starts_with("\r\n")) return 2;
  if (rest.starts_with('\n') || rest.starts_with('\r')) return 1;
  if (rest.starts_with("\xc2\x85")) return 2;
  return rest == "\xe2\x80\xa8" || rest == "\xe2\x80\xa9" ? 3 : 0;
}

/// Where the line after the one that holds `at` begins; the end of the text if there is none.
std::size_t next_line(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (const std::size_t length = break_length(text, at); length > 0) return at + length;
    ++at;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::size_t start_of_character(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (offset < text.size() && byte(offset) < 0x20) return offset;
  for (std::size_t back = 1; back <= 3 && back <= offset; ++back) {
    const unsigned lead = byte(offset - back);
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (length > back) return offset - back;
    if (length > 0 || lead < 0x80) break;
  }
  return offset;
}

LineIndex::LineIndex(std::string_view text) : text_(text), starts_{0} {
  std::size_t line = 0;
  for (std::size_t at = 0; (at = next_line(text, at)) != std::string_view::npos;) {
    if (++line % kStride == 0) starts_.push_back(at);
  }
}

Place LineIndex::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  std::size_t start = *(after - 1);
  Place place{static_cast<std::size_t>(after - starts_.begin() - 1) * kStride + 1, 1};
  for (std::size_t next = 0; (next = next_line(text_, start)) <= offset; start = next) ++place.line;
  place.column = count_characters(text_.substr(start, offset - start)) + 1;
  return place;
}

std::string_view LineIndex::from(Place place) const {
  const std::size_t block = (place.line - 1) / kStride;
  if (place.line == 0 || block >= starts_.size()) return {};
  std::size_t at = starts_[block];
  for (std::size_t line = block * kStride + 1; line < place.line; ++line) {
    at = next_line(text_, at);
    if (at == std::string_view::npos) return {};
  }
  for (std::size_t column = 1; column < place.column && at < text_.size(); ++column) {
    ++at;
    while (at < text_.size() && continues_character(text_[at])) ++at;
  }
  return text_.substr(at);
}

}  // namespace cronce
