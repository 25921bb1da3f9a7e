// Usage: store_client PATH trace|delete|beat|claim MS|write
// Another process on the same store.
//
// trace: a beat between two words on stderr, which strace looks at; delete: the same with a row
// written by SQLite itself and its usual journal. beat: one. claim: all slots that are due at that
// time; prints how many were granted. write: a write transaction without the store's queue.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"

namespace cronce {
namespace {

bool say(const std::string& word) {
  return ::write(STDERR_FILENO, word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

int trace(const std::string& path) {
  Rng rng(random_seed());
  auto store = SqliteStore::open_file({.path = path}, system_clock(), rng);
  if (!store) return 1;
  Client client(**store, rng, system_clock());
  if (!client.beat() || !client.enroll(system_clock().wall(), {"x"})) return 1;
  return say("begin\n") && client.beat() && say("end\n") ? 0 : 1;
}

int trace_delete(const std::string& path) {
  sqlite::Database database(path, nullptr);
  database.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; CREATE TABLE t (x)");
  if (!say("begin\n")) return 1;
  database.run("INSERT INTO t VALUES (1)");
  return say("end\n") ? 0 : 1;
}

int claim(const std::string& path, Time now) {
  const ManualClock clock(now);
  Rng rng(random_seed());
  auto store =
      SqliteStore::open_file({.path = path}, std::make_unique<embedded::OwnClock>(clock), rng);
  if (!store) return 1;
  Client client(**store, rng, clock);
  if (!client.beat()) return 1;
  const auto decided = client.decide((*store)->jobs().value(), now);
  if (!decided) return 1;
  std::printf("%zu\n", Client::claims_of(decided->answer).size());
  return 0;
}

int beat(const std::string& path) {
  Rng rng(random_seed());
  auto store = SqliteStore::open_file({.path = path}, system_clock(), rng);
  return store && Client(**store, rng, system_clock()).beat() ? 0 : 1;
}

int write_past_the_queue(const std::string& path) {
  sqlite::Database database(path, nullptr);
  sqlite3_busy_timeout(database.handle(), 0);
  try {
    database.run("BEGIN IMMEDIATE; ROLLBACK");
  } catch (const sqlite::DatabaseError&) {
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) {
  using namespace cronce;
  if (argc < 3) return 64;
  const std::string path = argv[1], what = argv[2];
  if (what == "trace") return trace(path);
  if (what == "delete") return trace_delete(path);
  if (what == "beat") return beat(path);
  if (what == "claim" && argc == 4) return claim(path, Time{Duration{std::atoll(argv[3])}});
  return what == "write" ? write_past_the_queue(path) : 64;
}
