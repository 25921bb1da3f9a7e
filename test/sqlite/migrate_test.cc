// Files of older and of newer programs.
#include <array>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/codec.h"
#include "store/sqlite/place.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"
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
    const auto ours = sqlite::our_schema().steps;
    std::vector<const char*> steps(ours.begin(), ours.end());
    steps.push_back(step);
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

  /// How many steps this program knows.
  static std::int64_t ours() {
    return static_cast<std::int64_t>(sqlite::our_schema().steps.size());
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
  migrate(kColumns, ours());
  EXPECT_EQ(number("SELECT schema FROM meta"), ours() + 1);
  EXPECT_EQ(number("SELECT oldest_writer FROM meta"), ours());
  clock_.advance(10s);
  const auto decided = client.decide(store->jobs().value(), clock_.wall());
  ASSERT_TRUE(decided) << decided.error().message;
  EXPECT_EQ(Client::claims_of(decided->answer).size(), 1U);
  EXPECT_EQ(number("SELECT more FROM runs"), 7);
  EXPECT_EQ(open(), "opened");
  migrate(kColumns, ours());  // the newer program again: nothing is left to do
  EXPECT_EQ(number("SELECT schema FROM meta"), ours() + 1);
}

/// What was before nobody knows, and nobody is told otherwise.
TEST_F(Migration, of_a_file_without_a_past_begins_it_where_each_job_stands) {
  {
    Database database(path_, nullptr);
    const std::array first{sqlite::our_schema().steps[0]};
    database.run("BEGIN IMMEDIATE");
    sqlite::migrate(database, Schema{first, 1});
    const sqlite::Place place = sqlite::place_of(path_).value();
    const std::string definition = encode(Job{*parse_job_name("x"), {}, {}});
    database.run(
        fmt::format("INSERT INTO meta VALUES (1, randomblob(16), 1, 1, {}, {}, {}, '{}', 1, 1, 0, "
                    "1, '', 0, 0, NULL, 1, 1, 0);"
                    "INSERT INTO definitions VALUES (1, 'x', '{}', 1, NULL, '', 0, NULL, '', 0);"
                    "INSERT INTO job_sources VALUES (1, 's', 'd');"
                    "INSERT INTO jobs VALUES (1, 1, 25, 30, NULL, '', '', '', 2, 2, 0, 0, 1, 1, 1)",
                    static_cast<std::int64_t>(place.device), static_cast<std::int64_t>(place.inode),
                    place.birth, place.machine, definition)
            .c_str());
    for (const auto& [slot, state] : {std::pair{10, "succeeded"}, std::pair{20, "failed"}}) {
      database.run(fmt::format("INSERT INTO runs VALUES (1, 0, {}, '', 1, 'scheduled', '{}', "
                               "'', 'k', 0, NULL, NULL, '', NULL, NULL, NULL, NULL, '', NULL, "
                               "1, NULL, NULL, 0, 0, '', '')",
                               slot, state)
                       .c_str());
    }
    database.run("COMMIT");
  }
  auto store = SqliteStore::open_file({.path = path_}, clock_, rng_);
  ASSERT_TRUE(store) << store.error().message;
  const JobRow job = (*store)->jobs().value().at(0);
  EXPECT_EQ(job.since, Time{25ms});
  EXPECT_EQ(job.succeeded, Time{10ms});
  EXPECT_TRUE((*store)->past(job.uid).value().definitions.empty());
  EXPECT_EQ((*store)->runs({}).value().size(), 2U);
}

TEST_F(Migration, that_older_programs_cannot_live_with_keeps_them_out) {
  EXPECT_EQ(open(), "opened");
  migrate(kColumns, ours() + 1);
  EXPECT_EQ(open(),
            fmt::format("the store was written by a newer program: it needs one that knows schema "
                        "{}, this one knows {}",
                        ours() + 1, ours()));
}

/// One that is open meanwhile must not go on either.
TEST_F(Migration, keeps_out_a_program_that_has_the_file_open) {
  auto store = *SqliteStore::open_file({.path = path_}, clock_, rng_);
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  migrate(kColumns, ours() + 1);
  const auto beat = client.beat();
  ASSERT_FALSE(beat);
  EXPECT_EQ(beat.error().code, Code::invalid);
}

TEST_F(Migration, that_fails_leaves_the_file_as_it_was) {
  EXPECT_EQ(open(), "opened");
  EXPECT_THROW(migrate("CREATE TABLE more (x); CREATE TABLE more (y)", ours() + 1), DatabaseError);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE name = 'more'"), 0);
  EXPECT_EQ(open(), "opened");
}

}  // namespace
}  // namespace cronce
