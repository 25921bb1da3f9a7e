#include "store/postgres/values.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace cronce::postgres {

void append_quoted(std::string& array, std::string_view text) {
  array += '"';
  for (std::size_t end = 0; (end = text.find_first_of("\"\\")) != text.npos;) {
    array += text.substr(0, end);
    array += '\\';
    array += text[end];
    text.remove_prefix(end + 1);
  }
  array += text;
  array += '"';
}

std::string text_of(const Bytes& value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * value.text.size());
  for (const char c : value.text) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

void Columns::tell_apart(Given& column) const {
  column.is_same = false;
  column.array = "{";
  for (std::size_t i = 0; i < rows_; ++i) append(column.array, column.all);
}

void Columns::take_after(std::vector<Value>& first) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Given& column = columns_[i];
    if (is_array(i) && column.is_same) tell_apart(column);
    first.push_back(column.is_same ? std::move(column.all) : std::move(column.array += '}'));
  }
  *this = {};
}

std::int64_t Reader::integer() {
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) fail("a number cannot be read");
  return value;
}

void Reader::read(Bytes& value) {
  const std::string_view hex = text();
  value.text.clear();
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    value.text += static_cast<char>(byte);
  }
}

void Reader::read(Space& value) {
  const std::int64_t number = integer();
  if (number < 0 || std::cmp_greater_equal(number, Words<Space>::kList.size()))
    fail("a space is not known");
  value = static_cast<Space>(number);
}

void Reader::read_token(std::array<std::uint64_t, 2>& bits) {
  std::string digits(text());
  std::erase(digits, '-');  // as the server prints a uuid
  bits = decoded(parse_token(digits));
}

void Reader::fail(const char* why) {
  throw StoreError{{Code::corrupt, fmt::format("the store cannot be read: {}", why)}};
}

}  // namespace cronce::postgres
