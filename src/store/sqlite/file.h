// The parts of an open store: the queue, the database, and the mirror of it.
#pragma once

#include <string>

#include "store/embedded/mirror.h"
#include "store/sqlite/ledger_query.h"
#include "store/sqlite/lock_file.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/sqlite_store.h"

namespace cronce {

struct SqliteStore::File {
  File(const SqliteSettings& settings)  // NOLINT: its parts are made from it
      : path(settings.path),
        queue(settings.path + "-lock"),
        database(settings.path, settings.vfs),
        rows(database),
        mirror(rows),
        ledger(database) {}

  std::string path;
  sqlite::LockFile queue;
  sqlite::Database database;
  sqlite::Statement begin_write{database, "BEGIN IMMEDIATE"};
  sqlite::Statement begin_read{database, "BEGIN"};
  sqlite::Statement commit{database, "COMMIT"};
  sqlite::Place place;  // as it was opened
  sqlite::Rows rows;
  embedded::Mirror mirror;
  sqlite::LedgerQuery ledger;
};

}  // namespace cronce
