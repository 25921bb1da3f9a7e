// Copies: how one is made, and how one becomes a store.
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "store/sqlite/file.h"

namespace cronce {
namespace {

/// Any lane of a process that nobody else is.
WriteId write_of_a_person(Rng& rng) { return {Incarnation::random(rng), 0, 1, 0, std::nullopt}; }

/// No file is where this one says that it was: whoever opens it must adopt it.
constexpr const char* kMustBeAdopted = "UPDATE meta SET inode = 0, birth = -1";

void copy(const sqlite::Database& from, const std::string& path) {
  sqlite::Database to(path, nullptr);
  sqlite3_backup* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (backup == nullptr) to.fail();
  const int copied = sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK || copied != SQLITE_DONE) to.fail();
  to.run(kMustBeAdopted);
}

Result<std::unique_ptr<SqliteStore>> open_existing(const SqliteSettings& settings,
                                                   const Clock& clock, Rng& rng) {
  if (std::filesystem::exists(settings.path)) return SqliteStore::open_file(settings, clock, rng);
  return Error{Code::not_found, fmt::format("{}: there is no such file", settings.path)};
}

}  // namespace

Status SqliteStore::backup(const std::string& path) {
  if (std::filesystem::exists(path)) {
    return Error{Code::invalid, fmt::format("{}: there is a file of that name", path)};
  }
  const Status done = in_transaction(Kind::read, [&] {
    copy(file_->database, path);
    return false;
  });
  if (!done) std::filesystem::remove(path);
  return done;
}

Result<Opened> adopt_sqlite_store(SqliteSettings settings, const Clock& clock, Rng& rng) {
  settings.adopt = true;
  auto store = open_existing(settings, clock, rng);
  if (!store) return store.error();
  const auto adopted = (*store)->control(write_of_a_person(rng), Adopt{});
  if (!adopted) return adopted.error();
  return (*store)->open();
}

Status backup_sqlite_store(const SqliteSettings& settings, const std::string& path,
                           const Clock& clock, Rng& rng) {
  auto store = open_existing(settings, clock, rng);
  if (!store) return store.error();
  return (*store)->backup(path);
}

}  // namespace cronce
