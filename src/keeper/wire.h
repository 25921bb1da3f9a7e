// Values as bytes, between processes that were made from one program.
//
// A type lists its members once (`members`); writing and reading both walk that list. Numbers are
// eight bytes, little end first; texts and lists carry their length. There is no version: a file of
// these bytes opens with one (spool.h). Reading never trusts what it reads: too short, too long or
// out of its list, and the reader has failed and stays so.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/words.h"

namespace cronce {

template <class T, class Plain>
concept Of = std::same_as<std::remove_const_t<T>, Plain>;

template <class E>
concept Worded = std::is_enum_v<E> && requires { Words<E>::kList.size(); };

class WireWriter {
 public:
  std::string take() { return std::move(out_); }

  void write(std::integral auto value) { number(static_cast<std::uint64_t>(value)); }
  void write(Duration value) { write(value.count()); }
  void write(Time value) { write(value.time_since_epoch()); }
  void write(Worded auto value) { number(static_cast<std::uint64_t>(value)); }
  void write(const std::string& value) {
    number(value.size());
    out_ += value;
  }
  template <class Tag>
  void write(const Number<Tag>& value) {
    number(value.value);
  }
  template <class Tag>
  void write(const Token<Tag>& value) {
    for (const std::uint64_t half : value.bits) number(half);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    number(value.has_value() ? 1 : 0);
    if (value) write(*value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    number(values.size());
    for (const T& value : values) write(value);
  }
  template <class T>
    requires requires(const T& value) { members(value); }
  void write(const T& value) {
    std::apply([&](const auto&... member) { (write(member), ...); }, members(value));
  }

 private:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>(value >> (8 * i));
  }

  std::string out_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// Everything was there, right, and nothing is left.
  bool done() const { return !failed_ && rest_.empty(); }

  template <std::integral T>
  void read(T& value) {
    const std::uint64_t raw = number();
    value = static_cast<T>(raw);
    if (static_cast<std::uint64_t>(value) != raw) failed_ = true;
  }
  void read(bool& value) { value = number_below(2) == 1; }
  void read(Duration& value) {
    std::int64_t count = 0;
    read(count);
    value = Duration{count};
  }
  void read(Time& value) {
    Duration since{};
    read(since);
    value = Time{since};
  }
  template <Worded E>
  void read(E& value) {
    value = static_cast<E>(number_below(Words<E>::kList.size()));
  }
  void read(std::string& value) {
    const std::uint64_t size = number();
    if (size > rest_.size()) return fail();
    value = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <class Tag>
  void read(Number<Tag>& value) {
    value.value = number();
  }
  template <class Tag>
  void read(Token<Tag>& value) {
    for (std::uint64_t& half : value.bits) half = number();
  }
  template <class T>
  void read(std::optional<T>& value) {
    value.reset();
    if (number_below(2) == 1) read(value.emplace());
  }
  template <class T>
  void read(std::vector<T>& values) {
    const std::uint64_t count = number();
    if (count > rest_.size()) return fail();  // every value has a byte at least
    values.clear();
    for (std::uint64_t i = 0; i < count && !failed_; ++i) read(values.emplace_back());
  }
  template <class T>
    requires requires(T& value) { members(value); }
  void read(T& value) {
    std::apply([&](auto&... member) { (read(member), ...); }, members(value));
  }

 private:
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  std::uint64_t number() {
    if (rest_.size() < 8) {
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)]);
    }
    rest_.remove_prefix(8);
    return value;
  }
  std::uint64_t number_below(std::uint64_t bound) {
    const std::uint64_t value = number();
    if (value < bound) return value;
    fail();
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

/// One of several kinds of message: its place in the list, then itself.
template <class... Kinds>
std::string encode_one_of(const std::variant<Kinds...>& message) {
  WireWriter out;
  out.write(message.index());
  std::visit([&](const auto& value) { out.write(value); }, message);
  return out.take();
}

template <class Message, std::size_t... I>
bool read_kind(WireReader& in, std::size_t kind, Message& message, std::index_sequence<I...>) {
  return ((kind == I && (in.read(message.template emplace<I>()), true)) || ...);
}

template <class Message>
Result<Message> decode_one_of(std::string_view bytes) {
  WireReader in(bytes);
  std::size_t kind = 0;
  in.read(kind);
  Result<Message> message{Message{}};
  constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<Message>>{};
  if (!read_kind(in, kind, *message, kKinds) || !in.done()) {
    return Error{Code::corrupt, "what another process said cannot be read"};
  }
  return message;
}

}  // namespace cronce
