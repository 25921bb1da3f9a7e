// Disks that are full or broken, at every write and at every sync.
#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/crash_disk.h"
#include "test/sqlite/mirror_check.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

bool is_sound(const std::string& path) {
  const sqlite::Database database(path, nullptr);
  sqlite::Statement check(database, "PRAGMA integrity_check");
  const bool sound = check.with().row() && check.next<std::string>() == "ok";
  check.reset();
  return sound;
}

/// A store with one job that is due, on a disk that has its troubles while a call is made.
class TroubledDisk {
 public:
  explicit TroubledDisk(const std::string& name) : disk_(name) {
    store_ = *SqliteStore::open_file({.path = path_, .vfs = disk_.name()}, clock_, rng_);
    client_.emplace(*store_, rng_, clock_);
    EXPECT_TRUE(client_->beat());
    EXPECT_TRUE(client_->enroll(clock_.wall(), {"x"}));
    clock_.advance(10s);
    rows_ = store_->jobs().value();
  }

  using Trouble = void (CrashDisk::*)(std::size_t);

  /// Claims the slot and ends the run, with trouble after so many writes or syncs of each of the
  /// two. Answers how many calls failed.
  std::size_t work(Trouble trouble, std::size_t after) {
    std::size_t failed = 0;
    (disk_.*trouble)(after);
    const auto claimed = client_->decide(rows_, clock_.wall());
    disk_.mend();
    failed += claimed ? 0U : 1U;
    std::vector<Claim> claims = claimed ? Client::claims_of(claimed->answer) : settled();
    if (claims.empty()) claims = Client::claims_of(client_->decide(rows_, clock_.wall())->answer);
    EXPECT_EQ(claims.size(), 1U);
    EXPECT_EQ(state(), RunState::running);
    (disk_.*trouble)(after);
    const auto ended = client_->finish(claims);
    disk_.mend();
    failed += ended ? 0U : 1U;
    EXPECT_EQ(client_->finish(claims)->answer.at(0).state, RunState::succeeded);  // told again
    EXPECT_EQ(state(), RunState::succeeded);
    EXPECT_EQ(MirrorCheck(path_).difference(*store_), "");
    EXPECT_TRUE(is_sound(path_));
    return failed;
  }

 private:
  /// What a write whose outcome is unknown has claimed.
  std::vector<Claim> settled() {
    const auto settling = store_->decide(client_->next(), {});
    const auto* answers = std::get_if<DecideAnswers>(&settling->before.outcome);
    const auto claims = answers == nullptr ? std::vector<Claim>{} : Client::claims_of(*answers);
    EXPECT_EQ(store_->runs({}).value().size(), claims.size());
    return claims;
  }

  RunState state() { return store_->runs({}).value().at(0).state; }

  CrashDisk disk_;
  Scratch folder_;
  std::string path_ = folder_.file("store");
  ManualClock clock_{kStart};
  Rng rng_{1};
  std::unique_ptr<SqliteStore> store_;
  std::optional<Client> client_;
  std::vector<JobRow> rows_;
};

/// Until there was room enough for all that the two calls do.
std::size_t work_until_well(TroubledDisk::Trouble trouble, const std::string& name) {
  for (std::size_t after = 0; after < 200; ++after) {
    SCOPED_TRACE("after " + std::to_string(after));
    TroubledDisk disk(name + std::to_string(after));
    if (disk.work(trouble, after) == 0) return after;
  }
  ADD_FAILURE() << "it never went well";
  return 0;
}

TEST(Disk, that_is_full_at_any_write_keeps_claims_and_ends_whole) {
  const std::size_t writes = work_until_well(&CrashDisk::fill_after, "full");
  std::printf("full after each of %zu writes\n", writes);
  EXPECT_GT(writes, 10U);
}

TEST(Disk, that_breaks_at_any_sync_keeps_claims_and_ends_whole) {
  const std::size_t syncs = work_until_well(&CrashDisk::break_after, "broken");
  std::printf("broken after each of %zu syncs\n", syncs);
  EXPECT_GE(syncs, 3U);
}

TEST(Disk, that_is_full_says_so_and_is_tried_again_later) {
  CrashDisk disk("full_once");
  const Scratch folder;
  ManualClock clock(kStart);
  Rng rng(1);
  const std::string path = folder.file("store");
  auto store = *SqliteStore::open_file({.path = path, .vfs = disk.name()}, clock, rng);
  Client client(*store, rng, clock);
  disk.fill_after(0);
  const auto refused = client.beat();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_EQ(refused.error().message, path + ": the disk is full");
  disk.mend();
  EXPECT_TRUE(client.beat());
}

}  // namespace
}  // namespace cronce
