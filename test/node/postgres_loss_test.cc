// What a PostgreSQL server may forget, and what it may not.
#include <csignal>

#include <fmt/format.h>

#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

// ---- C5: it acknowledges, and forgets

using PostgresC5 = NodesOnPostgres;

TEST_F(PostgresC5, a_claim_that_was_answered_survives_a_crash_whatever_the_default_for_commits) {
  PostgresServer own(
      {.fsync = true, .more = {{"synchronous_commit", "off"}, {"wal_writer_delay", "10s"}}});
  use(own);
  write_jobs(job("job", "", {"catch_up: all"}));
  NodeProcess& a = start("a");
  ASSERT_TRUE(sees_more(2));
  for (int crash = 0; crash < 3; ++crash) {
    ASSERT_TRUE(sees_more(1));
    a.send(SIGSTOP);
    own.ask(fmt::format("CREATE TABLE control_{} ()", crash));  // as the default says
    own.kill();
    own.start();
    EXPECT_EQ(own.ask(fmt::format("SELECT to_regclass('control_{}') IS NULL", crash)), "t")
        << "this server forgets nothing, so this shows nothing";
    a.send(SIGCONT);
    ASSERT_TRUE(sees_more(2));
  }
  leave({"a"});
  for (const Start& start : world_.starts()) {
    EXPECT_EQ(ask_ledger("count(*)", fmt::format("fence = {}", start.fence)), "1");
  }
  expect_each_slot_once();
  expect_clean();
}

// What the standby never heard of is told by the living.
TEST_F(PostgresC5,
       a_fail_over_to_a_standby_that_missed_claims_repeats_none_that_a_living_node_saw) {
  PostgresServer primary({.fsync = true});
  const auto standby = primary.make_standby(false);
  use(primary);
  const std::string both = fmt::format(
      "postgresql://cronce:{}@127.0.0.1:{},127.0.0.1:{}/postgres"
      "?target_session_attrs=read-write",
      primary.password(), primary.port(), standby->port());
  world_.store = both;
  write_jobs(job("job", "", {"catch_up: all"}) + job("long", ticking()));
  world_.state = world_.path("state-a");
  NodeProcess& a = world_.start("a", {world_.path("jobs.yaml"), "--drain", "1s"});
  ASSERT_TRUE(sees_start("long", "a"));
  ASSERT_TRUE(sees_more(2));
  standby->cut_off();
  ASSERT_TRUE(sees_more(3));
  const auto newest = world_.starts().back();
  primary.kill();
  standby->promote();
  use(*standby);
  EXPECT_EQ(ask_ledger("count(*)", fmt::format("job = 'job' AND fence >= {}", newest.fence)), "0")
      << "the standby knows it, so this shows nothing";
  world_.store = both;
  EXPECT_TRUE(a.says("the store answers again"));
  EXPECT_TRUE(sees_more(3));
  EXPECT_EQ(standby->ask("SELECT epoch FROM cronce.stores"), "2");
  a.send(SIGTERM);
  EXPECT_EQ(a.end(), 0);
  expect_each_slot_once();
  world_.expect_growing_fences();
  expect_clean();
}

// ---- C20: restored from a backup

class PostgresC20 : public NodesOnPostgres {
 protected:
  /// The backup is some slots old, all of which would be run if nobody remembered.
  void SetUp() override {
    use(own_);
    write_jobs(job("job", "", {"catch_up: all", "overlap: allow"}));
    start("a");
    ASSERT_TRUE(sees_more(2));
    own_.back_up();
    ASSERT_TRUE(sees_more(4));
  }

  void expect_nothing_again() {
    EXPECT_TRUE(sees_more(3));
    leave({"a"});
    expect_each_slot_once();
    expect_clean();
  }

  PostgresServer own_{{.fsync = true}};
};

TEST_F(PostgresC20, a_backup_restored_under_nodes_that_live_repeats_nothing) {
  own_.restore();
  EXPECT_TRUE(wait_until(
      [&] { return own_.ask("SELECT epoch || ' ' || closed FROM cronce.stores") == "2 false"; }));
  expect_nothing_again();
}

TEST_F(PostgresC20, a_backup_restored_while_nobody_lived_repeats_nothing_that_a_host_remembers) {
  leave({"a"});
  own_.restore();
  start("a");
  expect_nothing_again();
}

TEST_F(PostgresC20, a_backup_that_was_adopted_repeats_nothing_though_nobody_remembers) {
  leave({"a"});
  own_.restore();
  const World::Said early = world_.command({"adopt"});  // who is alive in the copy may be anywhere
  EXPECT_TRUE(early.exit_code == 0 || early.exit_code == 77) << early.text;
  if (early.exit_code == 77) {
    EXPECT_TRUE(wait_until([&] { return world_.command({"adopt"}).exit_code == 0; }));
  }
  start("b");  // on another host
  EXPECT_TRUE(sees_more(3));
  leave({"b"});
  expect_each_slot_once();
  expect_clean();
}

}  // namespace
}  // namespace cronce::test
