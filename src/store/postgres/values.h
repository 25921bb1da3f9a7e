// Values as the server writes them, and back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "link/postgres.h"
#include "model/words.h"

namespace cronce::postgres {

/// What goes wrong in the middle of an operation is thrown and ends in the store's step function:
/// the operations know of no server.
struct StoreError {
  Error error;
};

/// What a row's text says; thrown if it cannot be read.
template <class T>
T decoded(Result<T> result) {
  if (!result) throw StoreError{result.error()};
  return *std::move(result);
}

/// Text that may be any bytes; its column is a bytea. Of a column that is read: encode(c, 'hex').
struct Bytes {
  std::string text;
};

using Value = std::optional<std::string>;  // none: NULL

std::string text_of(const Bytes& value);
inline std::string text_of(const std::string& value) { return value; }
inline std::string text_of(bool value) { return value ? "t" : "f"; }
inline std::string text_of(std::int64_t value) { return std::to_string(value); }
inline std::string text_of(std::uint64_t value) {
  return text_of(static_cast<std::int64_t>(value));
}
inline std::string text_of(std::uint32_t value) { return text_of(std::int64_t{value}); }
inline std::string text_of(Duration value) { return text_of(std::int64_t{value.count()}); }
inline std::string text_of(Time value) { return text_of(value.time_since_epoch()); }
inline std::string text_of(CivilTime value) {
  return text_of(std::int64_t{value.time_since_epoch().count()});
}
inline std::string text_of(Space value) { return text_of(static_cast<std::int64_t>(value)); }
template <class E>
  requires std::is_enum_v<E>
std::string text_of(E value) {
  return std::string(word(value));
}
template <class Tag>
std::string text_of(Number<Tag> value) {
  return text_of(value.value);
}
template <class Tag>
std::string text_of(const Token<Tag>& value) {
  return print(value);
}

template <class T>
Value value_of(const T& value) {
  return text_of(value);
}
template <class T>
Value value_of(const std::optional<T>& value) {
  return value ? Value(text_of(*value)) : std::nullopt;
}

template <class... T>
std::vector<Value> values_of(const T&... values) {
  return {value_of(values)...};
}

void append_quoted(std::string& array, std::string_view text);

/// One more of `{1,2,"three",NULL}`, which has no end yet.
template <class T>
void append(std::string& array, const T& value) {
  if (array.size() > 1) array += ',';
  if constexpr (std::is_same_v<T, std::string>) {
    append_quoted(array, value);
  } else if constexpr (std::is_same_v<T, Bytes> ||
                       (std::is_enum_v<T> && !std::is_same_v<T, Space>)) {
    append_quoted(array, text_of(value));
  } else {
    array += text_of(value);
  }
}
template <class T>
void append(std::string& array, const std::optional<T>& value) {
  if (value) return append(array, *value);
  array += array.size() > 1 ? ",NULL" : "NULL";
}

template <class T>
std::string array_of(const std::vector<T>& values) {
  std::string array = "{";
  for (const T& value : values) append(array, value);
  return array + '}';
}

using Bits = std::array<std::uint64_t, 2>;

template <class T>
constexpr bool kIsText = std::is_same_v<T, std::string> || std::is_same_v<T, Bytes>;

/// The same for the same value of a type; nothing for texts.
template <class T>
Bits bits_of(const T& value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return {static_cast<std::uint64_t>(value)};
  } else if constexpr (requires { value.count(); }) {
    return bits_of(value.count());
  } else if constexpr (requires { value.time_since_epoch(); }) {
    return bits_of(value.time_since_epoch());
  } else if constexpr (requires { value.bits; }) {
    return value.bits;
  } else if constexpr (requires { Bits{value.value}; }) {
    return {value.value};
  } else {
    static_assert(kIsText<T>, "two values of this type would be taken for the same");
    return {};
  }
}
template <class T>
Bits bits_of(const std::optional<T>& value) {
  return value ? bits_of(*value) : Bits{};
}

/// Rows to be written, a column at a time. What is the same in all of them is sent once.
class Columns {
 public:
  template <class... T>
  void add(const T&... values) {
    if (rows_ == 0) columns_.resize(sizeof...(T));
    std::size_t column = 0;
    (add(columns_[column++], values), ...);
    ++rows_;
  }
  bool empty() const { return rows_ == 0; }
  std::size_t size() const { return rows_; }
  /// Otherwise it is one value. The first one is an array if there is more than one row.
  bool is_array(std::size_t column) const {
    return !columns_[column].is_same || (column == 0 && rows_ > 1);
  }
  /// One for each column, after the values that come before them. None is left.
  void take_after(std::vector<Value>& first);

 private:
  struct Given {
    Value all;    // while it is the same
    Bits bits{};  // of that
    bool is_same = true;
    std::string array;  // without its end
  };

  template <class T>
  void add(Given& column, const T& value) {
    if (rows_ == 0) {
      column.all = value_of(value);
      column.bits = bits_of(value);
      return;
    }
    if (column.is_same) {
      if (matches(column, value)) return;
      tell_apart(column);
    }
    append(column.array, value);
  }
  /// Most are: so they are not written as text to be compared.
  template <class T>
  static bool matches(const Given& column, const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      return column.all == value;
    } else if constexpr (std::is_same_v<T, Bytes>) {
      return column.all == text_of(value);
    } else {
      return column.all && column.bits == bits_of(value);
    }
  }
  template <class T>
  static bool matches(const Given& column, const std::optional<T>& value) {
    return value ? matches(column, *value) : !column.all;
  }
  void tell_apart(Given& column) const;

  std::vector<Given> columns_;
  std::size_t rows_ = 0;
};

/// Reads the columns of the rows of an answer, which it does not outlive, from the first on.
class Reader {
 public:
  Reader(const PostgresRows& rows) : rows_(rows) {}  // NOLINT: rows are read where they are told
  /// Only of those whose first column is this; the others from the second on.
  Reader(const PostgresRows& rows, std::string_view kind) : rows_(rows), kind_(kind) {}

  /// The next row, as long as there is one.
  bool row() {
    column_ = kind_.empty() ? 0 : 1;
    while (next_ < rows_.size() && !kind_.empty() && rows_.text(next_, 0) != kind_) ++next_;
    return next_++ < rows_.size();
  }
  template <class T>
  T next() {
    T value;
    read(value);
    return value;
  }
  template <class... T>
  void into(T&... values) {
    (read(values), ...);
  }

 private:
  std::string_view text() { return rows_.text(next_ - 1, column_++); }
  std::int64_t integer();
  void read(std::int64_t& value) { value = integer(); }
  void read(std::uint64_t& value) { value = static_cast<std::uint64_t>(integer()); }
  void read(std::uint32_t& value) { value = static_cast<std::uint32_t>(integer()); }
  void read(bool& value) { value = text().starts_with('t'); }
  void read(std::string& value) { value = text(); }
  void read(Bytes& value);
  void read(Duration& value) { value = Duration{integer()}; }
  void read(Time& value) { value = Time{Duration{integer()}}; }
  void read(CivilTime& value) { value = CivilTime{Seconds{integer()}}; }
  void read(Space& value);
  template <class E>
    requires std::is_enum_v<E>
  void read(E& value) {
    const auto known = from_word<E>(text());
    if (!known) fail("a word is not known");
    value = *known;
  }
  template <class Tag>
  void read(Number<Tag>& value) {
    read(value.value);
  }
  template <class Tag>
  void read(Token<Tag>& value) {
    read_token(value.bits);
  }
  template <class T>
  void read(std::optional<T>& value) {
    value.reset();
    if (rows_.is_null(next_ - 1, column_)) {
      ++column_;
    } else {
      read(value.emplace());
    }
  }
  void read_token(std::array<std::uint64_t, 2>& bits);
  [[noreturn]] static void fail(const char* why);

  const PostgresRows& rows_;
  std::string_view kind_;
  std::size_t next_ = 0;
  std::size_t column_ = 0;
};

}  // namespace cronce::postgres
