#include "store/sqlite/sqlite_store.h"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "store/embedded/operations.h"
#include "store/sqlite/file.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/witnesses.h"

namespace cronce {
namespace {

using sqlite::DatabaseError;
using sqlite::Moved;
using sqlite::Place;

/// One transaction; undone unless it was committed.
class Transaction {
 public:
  Transaction(sqlite::Database& database, sqlite::Statement& begin) : database_(database) {
    begin.with().run();
  }
  ~Transaction() {
    if (sqlite3_get_autocommit(database_.handle()) == 0) {
      sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 private:
  sqlite::Database& database_;
};

Place actual_place(const std::string& path) {
  const auto place = sqlite::place_of(path);
  if (!place) throw DatabaseError{{Code::unavailable, place.error().message}};
  return *place;
}

/// A commit ends with a sync of the journal: with DELETE it would end with an unlink that no sync
/// follows, and the claim could be undone by a power cut. A journal that has once been large is
/// cut.
void set_up(sqlite::Database& database) {
  sqlite::Statement mode(database, "PRAGMA journal_mode = PERSIST");
  const bool done = mode.with().row() && mode.next<std::string>() == "persist";
  mode.reset();
  if (!done) throw DatabaseError{{Code::invalid, "the journal of the file cannot be kept"}};
  database.run(
      "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216;"
      "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY");
}

/// Whether a volume that was moved is to be accepted; throws if the file is not where it may be.
bool accepts_move(const SqliteSettings& settings, const Place& stored, const Place& actual) {
  const Moved moved = compare(stored, actual);
  if (settings.adopt || moved == Moved::no || moved == Moved::machine) return false;
  if (moved == Moved::copy) {
    throw DatabaseError{
        {Code::invalid, fmt::format("{}: this file is a copy of a store, or was restored; nothing "
                                    "of it may run twice, so it must be taken over first: "
                                    "cronce adopt --store sqlite:{}",
                                    settings.path, settings.path)}};
  }
  if (settings.store_moves) return true;
  throw DatabaseError{
      {Code::invalid, fmt::format("{}: the store lies on another device than it did; if its volume "
                                  "was moved, start once with --store-moves",
                                  settings.path)}};
}

}  // namespace

SqliteStore::SqliteStore(std::unique_ptr<File> file, std::unique_ptr<embedded::StoreClock> clock,
                         std::string remark)
    : clock_(std::move(clock)),
      remark_(std::move(remark)),
      owner_(::getpid()),
      file_(std::move(file)) {}

SqliteStore::~SqliteStore() {
  if (::getpid() != owner_) file_.release();  // NOLINT: the parent's, not ours to close
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open_file(const SqliteSettings& settings,
                                                            const Clock& clock, Rng& rng) {
  return open_file(settings, std::make_unique<sqlite::WitnessClock>(clock), rng);
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open_file(
    const SqliteSettings& settings, std::unique_ptr<embedded::StoreClock> clock, Rng& rng) {
  auto remark = sqlite::judge_folder_of(settings.path);
  if (!remark) return remark.error();
  try {
    auto file = std::make_unique<File>(settings);
    const sqlite::LockFile::Turn turn(file->queue);
    set_up(file->database);
    file->place = actual_place(settings.path);
    const Transaction transaction(file->database, file->begin_write);
    const bool is_new = !sqlite::has_schema(file->database);
    sqlite::migrate(file->database);
    file->rows.lie_at(file->place);
    if (is_new) file->rows.insert(embedded::Meta{StoreId::random(rng)});
    file->rows.meta();
    // What is told once need not be told again. But the volume may be older than what was done on
    // it elsewhere, so its epoch is closed until the nodes have remembered.
    if (accepts_move(settings, file->rows.stored_place(), file->place)) {
      file->mirror.refresh();
      embedded::notice(file->mirror.tables());
      file->mirror.write();
      file->mirror.settle();
    }
    file->commit.with().run();
    return std::unique_ptr<SqliteStore>(
        new SqliteStore(std::move(file), std::move(clock), remark->value_or("")));
  } catch (const DatabaseError& failure) {
    return failure.error;
  }
}

/// Whoever comes out of this with an error knows nothing any more, and reads the file anew.
Status SqliteStore::in_transaction(Kind kind, const std::function<bool()>& body) {
  if (::getpid() != owner_) {
    return Error{Code::invalid, "the store was opened before a fork: open it in the new process"};
  }
  try {
    const sqlite::LockFile::Turn turn(file_->queue);
    const Place place = actual_place(file_->path);
    if (compare(file_->place, place) != Moved::no) {
      throw DatabaseError{
          {Code::corrupt, fmt::format("{}: another file lies where the store was", file_->path)}};
    }
    const Transaction transaction(file_->database,
                                  kind == Kind::write ? file_->begin_write : file_->begin_read);
    file_->rows.lie_at(place);
    file_->mirror.refresh();
    if (body()) file_->commit.with().run();
    file_->mirror.settle();
    if (file_->mirror.was_large()) sqlite3_db_release_memory(file_->database.handle());
    return Done{};
  } catch (const DatabaseError& failure) {
    file_->mirror.forget();
    return failure.error;
  }
}

Status SqliteStore::step(const Incarnation& asker, const Body& body) {
  return in_transaction(Kind::write, [&] {
    body(file_->mirror.tables(), clock_->now(file_->mirror.tables(), asker));
    return file_->mirror.write();
  });
}

Status SqliteStore::look(const Body& body) {
  return in_transaction(Kind::read, [&] {
    body(file_->mirror.tables(), clock_->now(file_->mirror.tables(), {}));
    return false;
  });
}

Result<Opened> SqliteStore::open() {
  auto opened = EmbeddedStore::open();
  if (opened && !remark_.empty()) opened->remarks.push_back(remark_);
  return opened;
}

/// A page at a time: however long the history is, nobody waits long for its reader. So it is no
/// picture of one moment.
Result<std::vector<Run>> SqliteStore::runs(const RunFilter& filter) {
  sqlite::LedgerPages pages(filter);
  while (!pages.complete()) {
    const Status done = look([&](embedded::Tables&, const embedded::Moment&) {
      pages.add(file_->ledger.find(pages.next()));
    });
    if (!done) return done.error();
  }
  return pages.take();
}

}  // namespace cronce
