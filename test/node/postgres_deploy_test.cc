// Deploys on PostgreSQL: other files, other programs, one store.
#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

using PostgresF9 = NodesOnPostgres;
using PostgresF10 = NodesOnPostgres;
using PostgresG6 = NodesOnPostgres;

TEST_F(PostgresF9, a_rolling_restart_leaves_out_no_slot_and_starts_none_twice) {
  write_jobs(steady_job("one") + steady_job("two") + steady_job("three"));
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(start(name).says("registered"));
  for (int round = 0; round < 2; ++round) {
    for (const char* name : {"a", "b", "c"}) {
      ASSERT_TRUE(sees_more(3));
      leave({name});
      EXPECT_TRUE(start(name).says("registered"));
    }
  }
  ASSERT_TRUE(sees_more(3));
  EXPECT_TRUE(
      wait_until([&] { return has_no_gaps("one") && has_no_gaps("two") && has_no_gaps("three"); }));
  leave({"a", "b", "c"});
  expect_each_slot_once();
  expect_clean();
}

// What a newer program has made of the tables says from which version on they may be written.
TEST_F(PostgresF10, tables_that_a_newer_program_has_made_are_refused_to_an_older_one) {
  PostgresServer own({.fsync = true});
  use(own);
  write_jobs(job("job", ""));
  NodeProcess& old = start("a");
  ASSERT_TRUE(sees_more(1));
  own.ask("UPDATE cronce.schema SET version = 1000");  // which the older can live with
  EXPECT_TRUE(start("b").says("registered"));
  own.ask("UPDATE cronce.schema SET oldest_writer = 1000");
  NodeProcess& late = start("c", {"--store-wait", "0s"});
  EXPECT_EQ(late.end(), 77);
  EXPECT_EQ(times_in(late.log(), "\n"), 1U) << late.log();
  EXPECT_TRUE(
      late.says("cronce: run: the tables in schema cronce are of a newer program (version "
                "1000"));
  EXPECT_EQ(world_.command({"jobs"}).exit_code, 77);
  old.send(SIGTERM);
  EXPECT_EQ(old.end(), 0);
  expect_each_slot_once();
}

// ---- G1: the old schedule beside the new

class PostgresG1 : public NodesOnPostgres {
 protected:
  std::string job_at(const std::string& seconds) const {
    return fmt::format("  job:\n    schedule: \"{} * * * * *\"\n    run: \"{}\"\n", seconds,
                       world_.telling());
  }

  static bool is_odd(const Start& start) {
    return std::chrono::floor<Seconds>(start.slot.time_since_epoch()).count() % 2 != 0;
  }
};

TEST_F(PostgresG1, from_the_first_node_of_a_deploy_on_only_the_new_schedule_fires) {
  write_jobs(job_at("*/2"));
  for (const char* name : {"a", "b"}) EXPECT_TRUE(start(name).says("registered"));
  ASSERT_TRUE(sees_more(2));
  leave({"a"});
  write_jobs(job_at("1/2"));  // b has read the old one
  EXPECT_TRUE(start("a").says("registered"));
  ASSERT_TRUE(sees_more(4));  // the first may be one that b had claimed before
  EXPECT_EQ(last_node("job"), "a");
  leave({"b"});
  EXPECT_TRUE(start("b").says("registered"));
  ASSERT_TRUE(sees_more(2));
  leave({"a", "b"});
  Time last_old = Time::min();
  Time first_new = Time::max();
  const auto starts = world_.starts();
  for (const Start& start : starts) {
    if (is_odd(start)) first_new = std::min(first_new, start.slot);
    if (!is_odd(start)) last_old = std::max(last_old, start.slot);
  }
  EXPECT_LT(last_old, first_new);
  EXPECT_GE(std::count_if(starts.begin(), starts.end(), is_odd), 5);
  expect_each_slot_once();
  expect_clean();
}

// ---- G6: two definitions, one name

TEST_F(PostgresG6, the_second_definition_of_a_name_is_refused_where_everybody_sees_it) {
  write_jobs(job("job", ""), "one.yaml");
  write_jobs(job("job", "echo other >> " + world_.path("witness")), "two.yaml");
  start_with("a", {world_.path("one.yaml")});
  ASSERT_TRUE(sees_start("job", "a"));
  const auto offered = std::chrono::steady_clock::now();
  NodeProcess& b = start_with("b", {world_.path("two.yaml")});
  EXPECT_TRUE(
      b.says("not registered: another definition has this number, or another source these jobs"));
  EXPECT_TRUE(b.says("jobs=job"));
  EXPECT_LT(std::chrono::steady_clock::now() - offered, std::chrono::seconds{5});
  ASSERT_TRUE(sees_more(4));
  const auto lines = world_.lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "other"), 0);
  for (const Start& start : world_.starts()) EXPECT_EQ(start.node, "a");
  leave({"a", "b"});
  expect_each_slot_once();
  expect_clean();
}

}  // namespace
}  // namespace cronce::test
