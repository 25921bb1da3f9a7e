// Power cuts at every sync, with whatever was not synced lost: no claim that was answered is.
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/crash_disk.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

void put(const Scratch& folder, const CrashDisk::Files& files) {
  for (const char* name : {"store", "store-journal"}) std::filesystem::remove(folder.file(name));
  for (const auto& [name, bytes] : files) {
    std::ofstream(folder.file(name), std::ios::binary) << bytes;
  }
}

struct Answered {
  std::map<RunId, RunState> runs;
  std::size_t cuts = 0;
  std::size_t wrong = 0;
};

/// After the power came back: is everything there that was answered?
class AfterTheCut {
 public:
  void look(const CrashDisk::Files& files, Answered& answered) {
    put(folder_, files);
    ++answered.cuts;
    answered.wrong += is_right(answered) ? 0U : 1U;
  }

 private:
  bool is_right(const Answered& answered) {
    auto store =
        SqliteStore::open_file({.path = folder_.file("store"), .adopt = true}, clock_, rng_);
    if (!store) return false;  // also while it was made
    const auto runs = (*store)->runs({.limit = 10'000});
    if (!runs) return false;
    std::map<RunId, RunState> found;
    for (const Run& run : *runs) found[run.id] = run.state;
    for (const auto& [id, state] : answered.runs) {
      const auto row = found.find(id);
      const bool ended = row != found.end() && row->second == RunState::succeeded;
      const bool kept = row != found.end() && (row->second == state || ended);
      if (!kept) return false;
    }
    return is_sound();
  }

  bool is_sound() const {
    const sqlite::Database database(folder_.file("store"), nullptr);
    sqlite::Statement check(database, "PRAGMA integrity_check");
    const bool sound = check.with().row() && check.next<std::string>() == "ok";
    check.reset();
    return sound;
  }

  Scratch folder_;
  ManualClock clock_{kStart};
  Rng rng_{7};
};

/// Three jobs, decided and finished twelve times, on a disk that is cut at every sync.
Answered work_on(CrashDisk& disk) {
  const Scratch folder;
  ManualClock clock(kStart);
  Rng rng(3);
  Answered answered;
  AfterTheCut after;
  disk.watch([&](const CrashDisk::Files& files) { after.look(files, answered); });
  auto store =
      SqliteStore::open_file({.path = folder.file("store"), .vfs = disk.name()}, clock, rng);
  EXPECT_TRUE(store);
  Client client(**store, rng, clock);
  EXPECT_TRUE(client.beat());
  EXPECT_TRUE(client.enroll(clock.wall(), {"x", "y", "z"}));
  for (int round = 0; round < 12; ++round) {
    clock.advance(std::chrono::seconds{10});
    const auto decided = client.decide((*store)->jobs().value(), clock.wall());
    EXPECT_TRUE(decided);
    const auto claims = Client::claims_of(decided->answer);
    for (const Claim& claim : claims) answered.runs[claim.run] = RunState::running;
    disk.cut();
    EXPECT_TRUE(client.finish(claims));
    for (const Claim& claim : claims) answered.runs[claim.run] = RunState::succeeded;
    disk.cut();
  }
  disk.watch({});
  return answered;
}

TEST(PowerCut, loses_nothing_that_was_answered) {
  CrashDisk disk("crash");
  const Answered answered = work_on(disk);
  std::printf("%zu syncs, %zu power cuts, %zu wrong\n", disk.syncs(), answered.cuts,
              answered.wrong);
  EXPECT_EQ(answered.runs.size(), 36U);
  EXPECT_GT(answered.cuts, 400U);
  EXPECT_EQ(answered.wrong, 0U);
}

TEST(PowerCut, is_seen_on_a_disk_that_does_not_sync) {
  CrashDisk disk("crash_lying");
  disk.lie();
  EXPECT_GT(work_on(disk).wrong, 50U);
}

/// Rows that were committed and are not there after a cut, with these settings of SQLite.
std::size_t lost_rows(const std::string& settings, const std::string& name) {
  CrashDisk disk(name);
  const Scratch folder, after;
  std::int64_t committed = 0;
  std::size_t lost = 0;
  disk.watch([&](const CrashDisk::Files& files) {
    put(after, files);
    const sqlite::Database database(after.file("store"), nullptr);
    sqlite::Statement count(database, "SELECT count(*) FROM t");
    std::int64_t found = 0;
    try {
      if (count.with().row()) count.into(found);
    } catch (const sqlite::DatabaseError&) {
      found = 0;  // it cannot be read: all is lost
    }
    count.reset();
    lost += found < committed ? 1U : 0U;
  });
  sqlite::Database database(folder.file("store"), disk.name());
  database.run(settings.c_str());
  database.run("CREATE TABLE t (x)");
  for (int i = 0; i < 5; ++i) {
    database.run("INSERT INTO t VALUES (1)");
    ++committed;
    disk.cut();
  }
  return lost;
}

/// Why the journal is kept: the layer sees what a removal without a sync costs.
TEST(PowerCut, shows_which_settings_of_sqlite_keep_a_commit) {
  EXPECT_EQ(lost_rows("PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL", "crash_1"), 0U);
  EXPECT_EQ(lost_rows("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA", "crash_2"), 0U);
  EXPECT_GT(lost_rows("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", "crash_3"), 0U);
  EXPECT_GT(lost_rows("PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF", "crash_4"), 0U);
}

}  // namespace
}  // namespace cronce
