// Nodes on PostgreSQL that die, and those that take over from them.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

// ---- D3: the work is done, and nobody has said so

class PostgresD3 : public NodesOnPostgres {
 protected:
  /// A run whose work is done and whose node and keeper are dead, before the store heard of its
  /// end.
  void SetUp() override {
    const std::string gate = world_.path("gate");
    write_jobs(job("job",
                   fmt::format("until [ -e {} ]; do sleep 0.05; done; echo done >> {}", gate,
                               world_.path("witness")),
                   {"on_lost: rerun", "overlap: skip"}));
    NodeProcess& a = start("a");
    ASSERT_TRUE(sees_start("job", "a"));
    line("a").set(LineState::cut);
    world_.write("gate", "");
    ASSERT_TRUE(world_.sees("done"));
    ASSERT_TRUE(wait_until([&] { return has_spooled(); }));
    kill_with_keepers(a);
    line("a").set(LineState::open);
  }

  bool has_spooled() const {
    std::error_code failed;
    for (const auto& file :
         std::filesystem::directory_iterator(world_.path("state-a/spool"), failed)) {
      if (file.path().extension() != ".draft") return true;
    }
    return false;
  }

  std::string first_run() { return ask_ledger("state", "attempt = 1 ORDER BY slot LIMIT 1"); }
};

TEST_F(PostgresD3, an_end_that_was_kept_is_told_by_the_next_process_and_nothing_runs_again) {
  start("a");
  EXPECT_TRUE(wait_until([&] { return first_run() == "succeeded"; }));
  EXPECT_TRUE(sees_more(2));
  leave({"a"});
  expect_each_slot_once();
  expect_clean();
}

TEST_F(PostgresD3, an_end_that_died_with_its_host_is_lost_and_run_again_if_the_job_says_so) {
  start("b");
  EXPECT_TRUE(wait_until([&] { return first_run() == "lost"; }));
  EXPECT_TRUE(sees_start("job", "b"));
  const auto starts = world_.starts();
  EXPECT_EQ(starts.at(0).slot, starts.at(1).slot);
  EXPECT_EQ(starts.at(1).attempt, 2);
  EXPECT_GT(starts.at(1).fence, starts.at(0).fence);
  leave({"b"});
  expect_clean();
}

// ---- D7: alive, and taken for dead

using PostgresD7 = NodesOnPostgres;

TEST_F(PostgresD7, a_node_whose_beats_alone_are_lost_stops_before_others_recover_it) {
  write_jobs(job("long", ticking(), {"on_lost: rerun"}) + job("short", ""));
  NodeProcess& a = start("a");
  ASSERT_TRUE(sees_start("long", "a"));
  ASSERT_TRUE(start("b").says("registered"));
  line("a").plan_each(LineFault::lose_request, "INTO cronce.nodes");
  EXPECT_TRUE(sees_start("long", "b"));
  expect_no_overlap();
  const Time recovered = starts_of("short").back().slot;
  EXPECT_TRUE(wait_until([&] { return starts_of("short").back().slot > recovered + Seconds{5}; }));
  const auto shorts = starts_of("short");
  EXPECT_TRUE(std::all_of(shorts.begin(), shorts.end(), [&](const Start& start) {
    return start.slot <= recovered || start.node == "b";
  }));
  line("a").was_met();
  EXPECT_TRUE(a.says("goes on as a new incarnation"));
  leave({"a", "b"});
  expect_no_overlap();
  expect_clean();
}

// ---- D8: several recover the same

using PostgresD8 = NodesOnPostgres;

TEST_F(PostgresD8, fifty_runs_of_a_dead_node_are_each_recovered_once_by_two_others) {
  constexpr std::size_t kRuns = 50;
  std::string jobs;
  for (std::size_t i = 0; i < kRuns; ++i) {
    jobs += job(fmt::format("job-{}", i), "sleep 1000", {"on_lost: rerun"});
  }
  write_jobs(jobs);
  NodeProcess& a = start("a");
  ASSERT_TRUE(wait_until([&] { return world_.starts().size() == kRuns; }));
  for (const char* name : {"b", "c"}) EXPECT_TRUE(start(name).says("registered"));
  kill_with_keepers(a);
  EXPECT_TRUE(wait_until([&] { return world_.starts().size() >= 2 * kRuns; }));
  EXPECT_EQ(ask_ledger("count(*)", "state = 'lost' AND attempt = 1"), std::to_string(kRuns));
  // A slot that is due in that moment may begin first; then the second attempt waits for its end.
  EXPECT_EQ(ask_ledger("count(*)", "attempt = 2 AND state IN ('running', 'pending')"),
            std::to_string(kRuns));
  EXPECT_EQ(ask_ledger("count(DISTINCT job)", "state = 'running'"), std::to_string(kRuns));
  EXPECT_EQ(ask_ledger("count(*)", "state = 'running'"), std::to_string(kRuns));
  EXPECT_EQ(ask_ledger("count(*)", "attempt > 2"), "0");
  EXPECT_EQ(world_.starts().size(), 2 * kRuns);
  world_.expect_once();
  world_.expect_growing_fences();
}

// ---- E4, E5: the one that does the work dies

class DyingNodes : public NodesOnPostgres {
 protected:
  void kill_and_start_again(const std::string& name) {
    node(name).send(SIGKILL);
    EXPECT_EQ(node(name).end(), 128 + SIGKILL);
    EXPECT_TRUE(start(name).says("ready"));
  }
};
using PostgresE4 = DyingNodes;
using PostgresE5 = DyingNodes;

TEST_F(PostgresE4, whoever_takes_over_starts_nothing_again_and_nothing_beside_it) {
  write_jobs(job("long", ticking()) + job("short", ""));
  for (const char* name : {"a", "b", "c"}) start(name);
  for (int round = 0; round < 4; ++round) {
    const std::size_t before = starts_of("long").size();
    ASSERT_TRUE(wait_until([&] { return ticks() > 0 && starts_of("long").size() >= before; }));
    kill_and_start_again(last_node("long"));
    ASSERT_TRUE(wait_until([&] { return starts_of("long").size() > before; }));
  }
  leave({"a", "b", "c"});
  expect_each_slot_once();
  expect_no_overlap();
  world_.expect_growing_fences();
  expect_clean();
}

TEST_F(PostgresE5, a_slot_whose_home_dies_around_it_starts_elsewhere_in_time) {
  write_jobs(steady_job("job"));
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(start(name).says("registered"));
  ASSERT_TRUE(sees_more(3));
  for (const int before_ms : {500, 0, -200, 500, 0, -200}) {
    const std::string home = last_node("job");  // of the next slot as well
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto slot = std::chrono::ceil<std::chrono::seconds>(now) + std::chrono::seconds{1};
    const auto moment = slot - std::chrono::milliseconds{before_ms};
    wait_until([&] { return std::chrono::system_clock::now().time_since_epoch() >= moment; });
    kill_and_start_again(home);
    const Time then{Seconds{slot.count()}};
    ASSERT_TRUE(wait_until([&] { return slots_of("job").contains(then); }));
    const auto late = std::chrono::system_clock::now().time_since_epoch() - slot;
    EXPECT_LE(late, std::chrono::seconds{5 + 2}) << before_ms;  // lease + 2 s
  }
  EXPECT_TRUE(sees_more(2));
  EXPECT_TRUE(wait_until([&] { return has_no_gaps("job"); }));
  leave({"a", "b", "c"});
  expect_clean();
}

}  // namespace
}  // namespace cronce::test
