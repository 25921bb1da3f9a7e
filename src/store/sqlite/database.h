// SQLite as the store uses it: one connection, and statements that are prepared once.
//
// What goes wrong is thrown as DatabaseError and ends in the store's one step function: an error in
// the middle of an operation must not be looked past, and the operations know of no file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "model/words.h"

namespace cronce::sqlite {

struct DatabaseError {
  Error error;
};

/// What a row's text says; thrown if it cannot be read.
template <class T>
T decoded(Result<T> result) {
  if (!result) throw DatabaseError{result.error()};
  return *std::move(result);
}

class Database {
 public:
  /// `read` makes nothing and changes nothing.
  enum class Use : std::uint8_t { write, read };
  /// Opens or, to write, creates the file. A handle never crosses an exec; see store.cc for forks.
  /// `vfs` names a registered file layer; none: the system's.
  Database(const std::string& path, const char* vfs, Use use = Use::write);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// One or more statements without values or rows.
  void run(const char* sql);
  sqlite3* handle() const { return handle_; }
  /// What the library says went wrong last, in words of ours.
  [[noreturn]] void fail() const;

 private:
  sqlite3* handle_ = nullptr;
  std::string path_;
};

/// A statement that is prepared when it is used first. with() binds values from the first on; then
/// either run(), or row() as long as it is true, reading the columns from the first on.
class Statement {
 public:
  /// The text outlives it.
  Statement(const Database& database, std::string_view sql) : database_(database), sql_(sql) {}
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... T>
  Statement& with(const T&... values) {
    if (handle_ == nullptr) prepare();
    reset();
    (bind(values), ...);
    return *this;
  }
  bool row();
  void run();
  /// Ends reading before the last row.
  void reset();

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
  void bind(std::nullopt_t);
  void bind(std::int64_t value);
  void bind(const std::string& value);
  void bind(bool value) { bind(static_cast<std::int64_t>(value)); }
  void bind(std::uint64_t value) { bind(static_cast<std::int64_t>(value)); }
  void bind(std::uint32_t value) { bind(static_cast<std::int64_t>(value)); }
  void bind(Duration value) { bind(static_cast<std::int64_t>(value.count())); }
  void bind(Time value) { bind(static_cast<std::int64_t>(value.time_since_epoch().count())); }
  void bind(CivilTime value) { bind(static_cast<std::int64_t>(value.time_since_epoch().count())); }
  void bind(Space value) { bind(static_cast<std::int64_t>(value)); }  // runs are kept in this order
  template <class E>
    requires std::is_enum_v<E>
  void bind(E value) {
    bind_fixed(word(value));
  }
  template <class Tag>
  void bind(Number<Tag> value) {
    bind(value.value);
  }
  template <class Tag>
  void bind(const Token<Tag>& value) {
    bind_token(value.bits);
  }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value) {
      bind(*value);
    } else {
      bind(std::nullopt);
    }
  }
  void bind_fixed(std::string_view text);  // which outlives the statement
  void bind_token(const std::array<std::uint64_t, 2>& bits);

  std::int64_t integer();
  std::string_view bytes();
  bool is_null() const { return sqlite3_column_type(handle_, column_) == SQLITE_NULL; }
  void read(std::int64_t& value) { value = integer(); }
  void read(std::uint64_t& value) { value = static_cast<std::uint64_t>(integer()); }
  void read(std::uint32_t& value) { value = static_cast<std::uint32_t>(integer()); }
  void read(bool& value) { value = integer() != 0; }
  void read(std::string& value) { value = bytes(); }
  void read(Duration& value) { value = Duration{integer()}; }
  void read(Time& value) { value = Time{Duration{integer()}}; }
  void read(CivilTime& value) { value = CivilTime{Seconds{integer()}}; }
  void read(Space& value);
  template <class E>
    requires std::is_enum_v<E>
  void read(E& value) {
    const auto known = from_word<E>(bytes());
    if (!known) fail_reading("a word is not known");
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
    if (is_null()) {
      ++column_;
    } else {
      read(value.emplace());
    }
  }
  void read_token(std::array<std::uint64_t, 2>& bits);
  [[noreturn]] static void fail_reading(const char* why);
  void prepare();

  const Database& database_;
  std::string_view sql_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
  int column_ = 0;
};

}  // namespace cronce::sqlite
