#include "test/sqlite/mirror_check.h"

#include "test/support/tables_difference.h"

namespace cronce {

std::string MirrorCheck::difference(SqliteStore& store) {
  embedded::Mirror& mirror = file_.mirror;
  const sqlite::LockFile::Turn turn(file_.queue);
  file_.database.run("BEGIN");
  mirror.forget();
  file_.rows.lie_at(store.file_->place);
  mirror.refresh();
  mirror.fetch_all_jobs();
  const embedded::Tables& held = store.file_->mirror.tables();
  std::string found = cronce::difference(held, mirror.tables());
  for (const auto& [id, lane] : held.lanes) {
    const embedded::Lane stored = file_.rows.lane(id);  // an older one is read again when used
    if (lane.sequence == stored.sequence && !is_same(lane, stored)) found += " lanes";
  }
  file_.database.run("COMMIT");
  return found;
}

void MirrorCheck::empty(const StoreId& id) {
  const sqlite::LockFile::Turn turn(file_.queue);
  file_.database.run(
      "BEGIN IMMEDIATE; DELETE FROM meta; DELETE FROM nodes; DELETE FROM lanes; DELETE FROM "
      "sources; DELETE FROM digests; DELETE FROM jobs; DELETE FROM definitions; DELETE FROM "
      "job_sources; DELETE FROM runs; DELETE FROM ranges; DELETE FROM keys; DELETE FROM former; "
      "DELETE FROM interventions");
  file_.rows.lie_at(*sqlite::place_of(file_.path));
  file_.rows.insert(embedded::Meta{id});
  file_.database.run("COMMIT");
}

std::int64_t MirrorCheck::cost(SqliteStore& store) {
  sqlite3* database = store.file_->database.handle();
  std::int64_t total = 0;
  for (sqlite3_stmt* statement = sqlite3_next_stmt(database, nullptr); statement != nullptr;
       statement = sqlite3_next_stmt(database, statement)) {
    total += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
  }
  return total;
}

}  // namespace cronce
