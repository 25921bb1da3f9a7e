// Nodes on PostgreSQL that freeze, or are cut off: what they run ends before another starts it.
#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

/// A run of `long` that is alive on node `a`, and a second node that takes it over.
class LongRunOnPostgres : public NodesOnPostgres {
 protected:
  void SetUp() override {
    write_jobs(job("long", ticking(), {"on_lost: rerun"}) + job("short", ""));
    start("a");
    ASSERT_TRUE(sees_start("long", "a"));
    ASSERT_TRUE(start("b").says("registered"));
  }

  /// Without a moment in which both ran.
  void expect_taken_over() {
    EXPECT_TRUE(sees_start("long", "b"));
    const std::size_t before = ticks();
    EXPECT_TRUE(wait_until([&] { return ticks() >= before + 5; }));
    expect_no_overlap();
    world_.expect_growing_fences();
  }

  void expect_next_life(NodeProcess& node) {
    EXPECT_TRUE(node.says("goes on as a new incarnation"));
    expect_no_overlap();
    leave({"a", "b"});
    expect_clean();
  }
};

// ---- B3: frozen

using PostgresB3a = NodesOnPostgres;
using PostgresB3b = LongRunOnPostgres;
using PostgresB3c = LongRunOnPostgres;

TEST_F(PostgresB3a, a_node_frozen_between_claim_and_start_starts_nothing_when_it_wakes) {
  write_jobs(job("job", ""));
  NodeProcess& a = start("a");
  ASSERT_TRUE(sees_start("job", "a"));
  line("a").plan_each(LineFault::late_answer, "INTO cronce.runs");  // the one that grants it
  std::string claimed;
  const auto is_claimed = [&] {
    claimed = ask_ledger("extract(epoch FROM max(slot))::bigint", "state = 'running'");
    return !claimed.empty() && !slots_of("job").contains(Time{Seconds{std::stoll(claimed)}});
  };
  const auto is_frozen_in_time = [&] {
    if (!is_claimed()) return false;
    a.send(SIGSTOP);
    if (is_claimed()) return true;
    a.send(SIGCONT);
    return false;
  };
  ASSERT_TRUE(wait_until(is_frozen_in_time));
  line("a").was_met();
  const Time slot{Seconds{std::stoll(claimed)}};
  start("b");
  EXPECT_TRUE(wait_until([&] {
    return ask_ledger("state || ' ' || reason", fmt::format("slot = to_timestamp({})", claimed)) ==
           "lost node";
  }));
  EXPECT_TRUE(sees_start("job", "b"));
  a.send(SIGCONT);
  EXPECT_TRUE(a.says("goes on as a new incarnation"));
  EXPECT_TRUE(sees_more(2));
  EXPECT_FALSE(slots_of("job").contains(slot));
  leave({"a", "b"});
  expect_each_slot_once();
  expect_clean();
}

TEST_F(PostgresB3b, a_host_frozen_with_its_run_ends_it_as_soon_as_it_wakes) {
  const auto all = node("a").tree();
  for (const pid_t pid : all) kill(pid, SIGSTOP);
  const auto keepers = node("a").keepers();
  const auto is_command = [&](pid_t pid) {
    return pid != node("a").pid() && std::count(keepers.begin(), keepers.end(), pid) == 0;
  };
  ASSERT_TRUE(std::any_of(all.begin(), all.end(), is_command));
  EXPECT_TRUE(sees_start("long", "b"));
  expect_no_overlap();
  const std::uint64_t fence = starts_of("long").front().fence;
  for (const pid_t pid : all) kill(pid, SIGCONT);
  const auto woke = std::chrono::steady_clock::now();
  EXPECT_TRUE(wait_until([&] {
    return std::none_of(all.begin(), all.end(),
                        [&](pid_t pid) { return is_command(pid) && is_alive(pid); });
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - woke, std::chrono::seconds{1});
  EXPECT_TRUE(node("a").says("goes on as a new incarnation"));
  const auto late_ticks = [&] {
    const auto lines = world_.lines();
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with(fmt::format("tick long {} ", fence));
    });
  };
  const auto before = late_ticks();
  EXPECT_TRUE(sees_more(3));
  EXPECT_EQ(late_ticks(), before);
  world_.expect_growing_fences();
  leave({"a", "b"});
  expect_clean();
}

TEST_F(PostgresB3c, a_run_of_a_frozen_node_is_ended_by_its_keeper) {
  node("a").send(SIGSTOP);
  expect_taken_over();
  node("a").send(SIGCONT);
  expect_next_life(node("a"));
}

// ---- cut off

using PostgresB4 = LongRunOnPostgres;
using PostgresB7 = LongRunOnPostgres;
using PostgresB11 = LongRunOnPostgres;

TEST_F(PostgresB4, a_node_that_was_ended_cannot_renew_its_lease) {
  line("a").set(LineState::cut);
  EXPECT_TRUE(node("b").says("ended a node that was silent for its whole lease"));
  EXPECT_TRUE(sees_start("long", "b"));
  line("a").set(LineState::open);
  expect_next_life(node("a"));
  EXPECT_EQ(times_in(node("b").log(), "goes on as a new incarnation"), 0U);
}

TEST_F(PostgresB7, a_node_cut_off_from_the_store_alone_stops_its_run_before_it_starts_elsewhere) {
  line("a").set(LineState::reset);
  expect_taken_over();
  EXPECT_TRUE(sees_more(10));  // of the other, which is not disturbed
  EXPECT_EQ(last_node("short"), "b");
  line("a").set(LineState::open);
  expect_next_life(node("a"));
}

// The transaction of its beat is open and holds the namespace, and nobody tells the server that
// its client will never commit.
TEST_F(PostgresB11, a_half_open_connection_in_a_transaction_holds_up_nobody_for_long) {
  line("a").plan(LineFault::half_open, 0, "INTO cronce.nodes");
  ASSERT_TRUE(wait_until([&] {
    return server().ask(
               "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' "
               "AND state_change < now() - interval '500 ms'") != "0";
  }));
  EXPECT_TRUE(line("a").was_met());
  line("a").set(LineState::cut);
  const auto cut = std::chrono::steady_clock::now();
  const Seconds now{std::stoll(server().ask("SELECT extract(epoch FROM now())::bigint"))};
  EXPECT_TRUE(wait_until([&] {
    const auto all = starts_of("short");
    return std::any_of(all.begin(), all.end(), [&](const Start& start) {
      return start.node == "b" && start.slot > Time{now};
    });
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - cut, std::chrono::seconds{10});  // lease + 5 s
  EXPECT_TRUE(sees_start("long", "b"));
  expect_no_overlap();
  line("a").set(LineState::open);
  EXPECT_TRUE(node("a").says("goes on as a new incarnation"));
  leave({"a", "b"});
  expect_clean();
}

}  // namespace
}  // namespace cronce::test
