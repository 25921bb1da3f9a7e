// Files of older and of newer programs.
#include <array>

#include <gtest/gtest.h>

#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;
using sqlite::Database;
using sqlite::DatabaseError;
using sqlite::Schema;
using sqlite::Statement;

class Migration : public ::testing::Test {
 protected:
  /// What opening says: `opened`, or why not.
  std::string open() {
    const auto store = SqliteStore::open_file({.path = path_}, clock_, rng_);
    return store ? "opened" : store.error().message;
  }

  /// Opened by the next program, which adds this step.
  void migrate(const char* step, std::int64_t oldest_writer) {
    const std::array steps{sqlite::our_schema().steps[0], step};
    Database database(path_, nullptr);
    database.run("BEGIN IMMEDIATE");
    sqlite::migrate(database, Schema{steps, oldest_writer});
    database.run("COMMIT");
  }

  std::int64_t number(std::string_view sql) {
    const Database database(path_, nullptr);
    Statement statement(database, sql);
    EXPECT_TRUE(statement.with().row());
    const auto value = statement.next<std::int64_t>();
    statement.reset();
    return value;
  }

  Scratch folder_;
  std::string path_ = folder_.file("store");
  ManualClock clock_{Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}};
  Rng rng_{1};
};

/// A column that older programs can live with: they go on claiming beside the newer one.
constexpr const char* kColumns =
    "ALTER TABLE runs ADD COLUMN more INTEGER NOT NULL DEFAULT 7;"
    "ALTER TABLE jobs ADD COLUMN more TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE nodes ADD COLUMN more TEXT";

TEST_F(Migration, keeps_what_was_there_and_older_programs_beside_it) {
  auto store = *SqliteStore::open_file({.path = path_}, clock_, rng_);
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x"}));
  migrate(kColumns, 1);
  EXPECT_EQ(number("SELECT schema FROM meta"), 2);
  EXPECT_EQ(number("SELECT oldest_writer FROM meta"), 1);
  clock_.advance(10s);
  const auto decided = client.decide(store->jobs().value(), clock_.wall());
  ASSERT_TRUE(decided) << decided.error().message;
  EXPECT_EQ(Client::claims_of(decided->answer).size(), 1U);
  EXPECT_EQ(number("SELECT more FROM runs"), 7);
  EXPECT_EQ(open(), "opened");
  migrate(kColumns, 1);  // the newer program again: nothing is left to do
  EXPECT_EQ(number("SELECT schema FROM meta"), 2);
}

TEST_F(Migration, that_older_programs_cannot_live_with_keeps_them_out) {
  EXPECT_EQ(open(), "opened");
  migrate(kColumns, 2);
  EXPECT_EQ(open(),
            "the store was written by a newer program: it needs one that knows schema 2, this one "
            "knows 1");
}

/// One that is open meanwhile must not go on either.
TEST_F(Migration, keeps_out_a_program_that_has_the_file_open) {
  auto store = *SqliteStore::open_file({.path = path_}, clock_, rng_);
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  migrate(kColumns, 2);
  const auto beat = client.beat();
  ASSERT_FALSE(beat);
  EXPECT_EQ(beat.error().code, Code::invalid);
}

TEST_F(Migration, that_fails_leaves_the_file_as_it_was) {
  EXPECT_EQ(open(), "opened");
  EXPECT_THROW(migrate("CREATE TABLE more (x); CREATE TABLE more (y)", 2), DatabaseError);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE name = 'more'"), 0);
  EXPECT_EQ(open(), "opened");
}

}  // namespace
}  // namespace cronce
