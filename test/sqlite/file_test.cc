// The store as a file: copies, moves, and what cannot be one.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/mirror_check.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

class SqliteFile : public ::testing::Test {
 protected:
  using Opening = Result<std::unique_ptr<SqliteStore>>;

  Opening open(const SqliteSettings& settings) {
    return SqliteStore::open_file(settings, clock_, rng_);
  }
  std::unique_ptr<SqliteStore> opened() { return *open({.path = path_}); }
  std::string refusal(const SqliteSettings& settings) {
    const auto store = open(settings);
    return store ? "opened" : store.error().message;
  }
  void sql(const std::string& path, const char* text) { sqlite::Database(path, nullptr).run(text); }

  /// One job with a live run.
  Claim start_one(SqliteStore& store, Client& client) {
    EXPECT_TRUE(client.beat());
    EXPECT_TRUE(client.enroll(clock_.wall(), {"x"}));
    clock_.advance(10s);
    const auto decided = client.decide(store.jobs().value(), clock_.wall());
    return Client::claims_of(decided->answer).at(0);
  }

  Scratch folder_;
  std::string path_ = folder_.file("store");
  ManualClock clock_{kStart};
  Rng rng_{1};
};

TEST_F(SqliteFile, keeps_everything_over_a_restart) {
  auto store = opened();
  const auto id = store->open()->id;
  Client client(*store, rng_, clock_);
  const Claim claim = start_one(*store, client);
  store.reset();
  store = opened();
  EXPECT_EQ(store->open()->id, id);
  EXPECT_EQ(store->runs({}).value().at(0).fence, claim.fence);
  EXPECT_EQ(store->jobs().value().at(0).live.size(), 1U);
}

// ---- copies and moves ---------------------------------------------------------------------------

TEST_F(SqliteFile, that_is_a_copy_is_refused_until_it_is_adopted) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  const Claim claim = start_one(*store, client);
  const std::string copy = folder_.file("copy");
  std::filesystem::copy_file(path_, copy);
  EXPECT_EQ(refusal({.path = copy}),
            copy +
                ": this file is a copy of a store, or was restored; nothing of it may run "
                "twice, so it must be taken over first: cronce adopt --store sqlite:" +
                copy);
  EXPECT_NE(refusal({.path = copy, .store_moves = true}), "opened");

  const auto adopted = adopt_sqlite_store({.path = copy}, clock_, rng_);
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_EQ(adopted->epoch, Epoch{2});
  auto second = *open({.path = copy});
  EXPECT_EQ(second->runs({}).value().at(0).state, RunState::lost);
  EXPECT_TRUE(second->nodes().value().empty());
  // The first goes on as if nothing had happened.
  EXPECT_TRUE(client.finish({claim}));
  EXPECT_EQ(store->runs({}).value().at(0).state, RunState::succeeded);
}

/// Copied while it is written, with its journal: torn or not, it is not a store of its own.
TEST_F(SqliteFile, that_is_a_copy_with_its_journal_is_refused_too) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  start_one(*store, client);
  const std::string copy = folder_.file("copy");
  std::filesystem::copy_file(path_, copy);
  std::filesystem::copy_file(path_ + "-journal", copy + "-journal");
  EXPECT_NE(refusal({.path = copy}).find("cronce adopt"), std::string::npos);
}

TEST_F(SqliteFile, that_is_not_there_cannot_be_adopted) {
  EXPECT_EQ(adopt_sqlite_store({.path = path_}, clock_, rng_).error().message,
            path_ + ": there is no such file");
}

TEST_F(SqliteFile, is_backed_up_while_it_is_used_and_the_copy_must_be_adopted) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  start_one(*store, client);
  const std::string copy = folder_.file("copy");
  ASSERT_TRUE(store->backup(copy));
  EXPECT_EQ(store->backup(copy).error().message, copy + ": there is a file of that name");
  EXPECT_NE(refusal({.path = copy}).find("cronce adopt"), std::string::npos);
  ASSERT_TRUE(adopt_sqlite_store({.path = copy}, clock_, rng_));
  EXPECT_EQ(open({.path = copy}).value()->jobs().value().size(), 1U);
  EXPECT_TRUE(client.beat());
}

TEST_F(SqliteFile, on_another_device_is_accepted_when_told_so_and_its_epoch_is_closed) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  start_one(*store, client);
  store.reset();
  sql(path_, "UPDATE meta SET device = device + 1");
  EXPECT_EQ(refusal({.path = path_}),
            path_ +
                ": the store lies on another device than it did; if its volume was moved, "
                "start once with --store-moves");
  open({.path = path_, .store_moves = true})->reset();
  store = opened();  // once is enough
  Client other(*store, rng_, clock_);
  EXPECT_TRUE(other.beat()->closed);
  ASSERT_TRUE(store->control(other.next(), Remember{}));
  EXPECT_EQ(store->control(other.next(), OpenEpoch{Epoch{1}})->answer.refused, Refused::none);
  EXPECT_FALSE(other.beat()->closed);
  EXPECT_EQ(store->open()->epoch, Epoch{2});
}

TEST_F(SqliteFile, on_another_machine_with_the_same_disk_is_the_same) {
  opened().reset();
  sql(path_, "UPDATE meta SET machine = 'another'");
  auto store = opened();
  Client client(*store, rng_, clock_);
  EXPECT_FALSE(client.beat()->closed);
}

TEST_F(SqliteFile, that_was_replaced_while_it_is_open_is_not_written) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  std::filesystem::copy_file(path_, folder_.file("new"));
  std::filesystem::rename(folder_.file("new"), path_);
  const auto beat = client.beat();
  ASSERT_FALSE(beat);
  EXPECT_EQ(beat.error().message, path_ + ": another file lies where the store was");
}

/// Older rows come back under a process that knows newer ones.
TEST_F(SqliteFile, that_was_restored_in_place_is_read_anew) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  const std::string copy = folder_.file("copy");
  std::filesystem::copy_file(path_, copy);
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x", "y"}));
  EXPECT_EQ(store->jobs().value().size(), 2U);
  std::ofstream(path_, std::ios::binary | std::ios::trunc)
      << std::ifstream(copy, std::ios::binary).rdbuf();
  EXPECT_TRUE(store->jobs().value().empty());
  EXPECT_EQ(MirrorCheck(path_).difference(*store), "");
}

/// And so much was written since that the position says nothing.
TEST_F(SqliteFile, that_was_restored_and_written_by_others_is_read_anew) {
  auto store = opened();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  const std::string copy = folder_.file("copy");
  std::filesystem::copy_file(path_, copy);
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x", "y"}));
  std::ofstream(path_, std::ios::binary | std::ios::trunc)
      << std::ifstream(copy, std::ios::binary).rdbuf();
  auto second = opened();
  Client other(*second, rng_, clock_);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(other.beat());
  ASSERT_TRUE(other.enroll(clock_.wall(), {"z"}));
  ASSERT_TRUE(store->nodes());
  EXPECT_EQ(MirrorCheck(path_).difference(*store), "");
  EXPECT_EQ(store->jobs().value().size(), 1U);
}

// ---- what cannot be a store ---------------------------------------------------------------------

TEST_F(SqliteFile, of_something_else_is_refused) {
  std::ofstream(path_) << std::string(5'000, 'x');
  EXPECT_EQ(refusal({.path = path_}), path_ + ": this is not an SQLite database");
  const std::string other = folder_.file("other");
  sql(other, "CREATE TABLE things (x)");
  EXPECT_EQ(refusal({.path = other}), "this is a database of another program");
  EXPECT_NE(refusal({.path = folder_.file("no/folder")}).find("No such file"), std::string::npos);
}

/// As another user, because nothing is read-only for root.
TEST_F(SqliteFile, that_cannot_be_written_says_so) {
  opened().reset();
  ::chmod(folder_.file("").c_str(), 0755);
  ::chmod(path_.c_str(), 0444);
  ::chmod((path_ + "-lock").c_str(), 0666);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    ::_exit(refusal({.path = path_}) == path_ + ": the file cannot be written" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace cronce
