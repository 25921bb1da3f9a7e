#include "store/sqlite/database.h"

#include <cstring>

#include <fmt/format.h>

namespace cronce::sqlite {
namespace {

constexpr int kOutsider = 1'000;  // ms: how long somebody else's tool may hold the file

/// What the caller can do about it, and a sentence for people.
Error describe_failure(int code, const std::string& path, const char* library) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::unavailable, fmt::format("{}: another program holds the file", path)};
    case SQLITE_FULL:
      return {Code::unavailable, fmt::format("{}: the disk is full", path)};
    case SQLITE_READONLY:
      return {Code::invalid, fmt::format("{}: the file cannot be written", path)};
    case SQLITE_CANTOPEN:
      return {Code::invalid, fmt::format("{}: the file cannot be opened, or its folder cannot be "
                                         "written",
                                         path)};
    case SQLITE_NOTADB:
      return {Code::invalid, fmt::format("{}: this is not an SQLite database", path)};
    case SQLITE_CORRUPT:
      return {Code::corrupt, fmt::format("{}: the file is damaged ({})", path, library)};
    default:
      return {Code::unavailable, fmt::format("{}: {}", path, library)};
  }
}

}  // namespace

Database::Database(const std::string& path, const char* vfs, Use use) : path_(path) {
  constexpr int kWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const bool writes = use == Use::write;
  int code = sqlite3_open_v2(path.c_str(), &handle_,
                             (writes ? kWrite : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX, vfs);
  // Left alone, the library would go on reading.
  if (code == SQLITE_OK && writes && sqlite3_db_readonly(handle_, "main") != 0) {
    code = SQLITE_READONLY;
  }
  if (code != SQLITE_OK) {
    const Error error = describe_failure(code, path_, sqlite3_errstr(code));
    sqlite3_close(handle_);
    throw DatabaseError{error};
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kOutsider);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void Database::fail() const {
  throw DatabaseError{
      describe_failure(sqlite3_extended_errcode(handle_), path_, sqlite3_errmsg(handle_))};
}

void Statement::prepare() {
  const int code =
      sqlite3_prepare_v3(database_.handle(), sql_.data(), static_cast<int>(sql_.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) database_.fail();
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::reset() {
  sqlite3_reset(handle_);
  bound_ = 0;
}

bool Statement::row() {
  column_ = 0;
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    try {
      database_.fail();
    } catch (const DatabaseError&) {
      reset();
      throw;
    }
  }
  reset();
  return false;
}

void Statement::run() {
  while (row()) {
  }
}

void Statement::bind(std::nullopt_t) { sqlite3_bind_null(handle_, ++bound_); }

void Statement::bind(std::int64_t value) { sqlite3_bind_int64(handle_, ++bound_, value); }

// Values that are bound outlive the step: no copy is needed.
void Statement::bind(const std::string& value) { bind_fixed(value); }

void Statement::bind_fixed(std::string_view text) {
  sqlite3_bind_text(handle_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void Statement::bind_token(const std::array<std::uint64_t, 2>& bits) {
  sqlite3_bind_blob(handle_, ++bound_, bits.data(), sizeof bits, SQLITE_TRANSIENT);
}

std::int64_t Statement::integer() { return sqlite3_column_int64(handle_, column_++); }

std::string_view Statement::bytes() {
  const void* text = sqlite3_column_blob(handle_, column_);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column_++));
  return {static_cast<const char*>(text), size};
}

void Statement::read(Space& value) {
  const std::int64_t number = integer();
  if (number < 0 || number > static_cast<std::int64_t>(Space::boot)) {
    fail_reading("a space is not known");
  }
  value = static_cast<Space>(number);
}

void Statement::read_token(std::array<std::uint64_t, 2>& bits) {
  const std::string_view text = bytes();
  if (text.size() != sizeof bits) fail_reading("an id is not 16 bytes long");
  std::memcpy(bits.data(), text.data(), sizeof bits);
}

void Statement::fail_reading(const char* why) {
  throw DatabaseError{{Code::corrupt, fmt::format("a stored row cannot be right: {}", why)}};
}

}  // namespace cronce::sqlite
