// A look at the file from outside: what it tells, and that it leaves no trace.
#include "store/inspect.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class SqliteInspect : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> opened() {
    return *SqliteStore::open_file({.path = path_}, clock_, rng_);
  }
  void sql(const char* text) { sqlite::Database(path_, nullptr).run(text); }

  /// Names, sizes, times and texts of all that lies in the folder.
  std::map<std::string, std::string> traces() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      struct stat found{};
      stat(entry.path().c_str(), &found);
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      out[entry.path().filename()] =
          fmt::format("{} {}.{} {:x}", found.st_mode, found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                      std::hash<std::string>{}(text));
    }
    return out;
  }

  StoreFacts look() { return look_at(path_); }
  StoreFacts look_at(const std::string& path) {
    const auto before = traces();
    StoreFacts facts = inspect_store("sqlite:" + path, "default", clock_, 0ms);
    EXPECT_EQ(traces(), before) << "a look changes nothing";
    return facts;
  }

  Scratch folder_;
  std::string path_ = folder_.file("store");
  ManualClock clock_{kStart};
  Rng rng_{1};
};

TEST_F(SqliteInspect, tells_what_a_store_holds) {
  const auto store = opened();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  std::vector<std::string> names;
  for (int i = 0; i < 450; ++i) names.push_back(fmt::format("job-{}", i));
  ASSERT_TRUE(client.enroll(clock_.wall(), names));
  clock_.advance(10s);
  ASSERT_TRUE(client.decide(store->jobs().value(), clock_.wall()));
  const JobUid job = store->jobs().value().at(7).uid;
  sql(fmt::format("UPDATE runs SET state = 'held' WHERE job = {}", job.value).c_str());
  const StoreFacts facts = look();
  EXPECT_EQ(facts.trouble, StoreTrouble::none) << facts.message;
  EXPECT_TRUE(facts.was_read());
  EXPECT_EQ(facts.epoch, Epoch{1});
  EXPECT_EQ(facts.now, clock_.wall());
  EXPECT_EQ(facts.nodes.size(), 1U);
  EXPECT_EQ(facts.jobs.size(), names.size());
  ASSERT_EQ(facts.held.size(), 1U);
  EXPECT_EQ(facts.held.front().id.job, job);
  EXPECT_FALSE(facts.closed || facts.disputed || facts.library_is_older);
}

TEST_F(SqliteInspect, makes_no_store) {
  EXPECT_EQ(look().trouble, StoreTrouble::missing);
  EXPECT_EQ(look_at(folder_.file("no/such/folder")).trouble, StoreTrouble::missing);
  std::ofstream(path_).flush();
  EXPECT_EQ(look().trouble, StoreTrouble::missing) << "an empty file";
}

TEST_F(SqliteInspect, tells_a_copy_and_a_volume_that_was_moved) {
  opened();
  const std::string copy = folder_.file("copy");
  fs::copy_file(path_, copy);
  EXPECT_EQ(look_at(copy).trouble, StoreTrouble::copy);
  sql("UPDATE meta SET device = device + 1");
  EXPECT_EQ(look().trouble, StoreTrouble::device);
}

TEST_F(SqliteInspect, tells_what_is_no_store_of_ours) {
  std::ofstream(path_) << "this is a letter to my aunt, and no database\n";
  EXPECT_EQ(look().trouble, StoreTrouble::foreign);
  fs::remove(path_);
  sql("CREATE TABLE letters (text)");
  EXPECT_EQ(look().trouble, StoreTrouble::foreign);
}

TEST_F(SqliteInspect, tells_a_newer_and_an_older_file) {
  opened();
  sql("UPDATE meta SET schema = 99");
  EXPECT_TRUE(look().was_read()) << "it says that this program can live with it";
  sql("UPDATE meta SET oldest_writer = 99");
  EXPECT_EQ(look().trouble, StoreTrouble::newer);
  sql("UPDATE meta SET oldest_writer = 1, schema = 0");
  EXPECT_EQ(look().trouble, StoreTrouble::none);
  EXPECT_FALSE(look().was_read());
}

/// SQLite would make two files for a reader, too.
TEST_F(SqliteInspect, does_not_open_a_write_ahead_log) {
  opened();
  sql("PRAGMA journal_mode = WAL");
  EXPECT_EQ(look().trouble, StoreTrouble::journal);
}

TEST_F(SqliteInspect, does_not_wait_for_who_stands_still_nor_keep_the_queue) {
  opened();
  const int queue = open((path_ + "-lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(queue, LOCK_EX), 0);
  EXPECT_EQ(look().trouble, StoreTrouble::busy);
  ASSERT_EQ(flock(queue, LOCK_UN), 0);
  EXPECT_TRUE(look().was_read());
  EXPECT_EQ(flock(queue, LOCK_EX | LOCK_NB), 0);
  close(queue);
}

/// A process that dies in the middle of a write leaves a journal that somebody must play back.
TEST_F(SqliteInspect, leaves_it_to_others_to_undo_a_write) {
  opened();
  const pid_t pid = fork();
  if (pid == 0) {
    sqlite::Database database(path_, nullptr);
    database.run(
        "PRAGMA cache_size = 5; BEGIN IMMEDIATE; CREATE TABLE big (x);"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
        "INSERT INTO big SELECT randomblob(4000) FROM n");
    _exit(0);
  }
  ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
  EXPECT_EQ(look().trouble, StoreTrouble::unfinished);
  opened();
  EXPECT_TRUE(look().was_read());
}

TEST_F(SqliteInspect, tells_a_closed_epoch_and_clocks_that_disagree) {
  const auto store = opened();
  Client one(*store, rng_, clock_), other(*store, rng_, clock_);
  ASSERT_TRUE(one.beat());
  EXPECT_FALSE(look().disputed);
  clock_.set(clock_.wall() + 10s);
  ASSERT_TRUE(other.beat());
  EXPECT_TRUE(look().disputed);
  EXPECT_FALSE(look().closed);
  sql("UPDATE meta SET closed = 1");
  EXPECT_TRUE(look().closed);
}

}  // namespace
}  // namespace cronce
