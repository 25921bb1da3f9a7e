// Nodes on PostgreSQL through a pooler, on servers that change their role, and over bad lines.
#include <csignal>
#include <ostream>
#include <thread>

#include <fmt/format.h>

#include "test/node/postgres_nodes.h"
#include "test/support/pooler.h"

namespace cronce::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kClaim = "INTO cronce.runs";  // of a batch that decides
constexpr const char* kBeat = "INTO cronce.nodes";

// ---- C6, C7: poolers

class PooledNodes : public NodesOnPostgres {
 protected:
  /// All in the server's log: what a session could keep, and another client would get.
  void expect_nothing_in_a_session(const PostgresServer& server) {
    const std::string log = server.log();
    EXPECT_NE(log.find(kClaim), std::string::npos) << "it does not log statements";
    for (const char* kept :
         {"pg_advisory_lock", "pg_try_advisory_lock(", "PREPARE ", "SET SESSION", "CREATE TEMP"}) {
      EXPECT_EQ(log.find(kept), std::string::npos) << kept;
    }
    EXPECT_EQ(server.ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
  }
};
using PostgresC6 = PooledNodes;
using PostgresC7 = PooledNodes;

TEST_F(PostgresC6, a_session_given_back_in_the_middle_of_a_step_is_whole_for_the_next) {
  PostgresServer own({.fsync = true, .more = {{"log_statement", "all"}}});
  const Pooler pooler(own, 1);
  use(own);
  FaultProxy proxy(pooler.port());
  write_jobs(steady_job("one") + steady_job("two"));
  world_.state = world_.path("state-a");
  world_.store = address(proxy.port());
  NodeProcess& a = world_.start("a", {world_.path("jobs.yaml"), "--drain", "1s"});
  ASSERT_TRUE(sees_more(2));
  world_.state = world_.path("state-b");
  world_.store = pooler.conninfo();
  NodeProcess& b = world_.start("b", {world_.path("jobs.yaml"), "--drain", "1s"});
  for (int i = 0; i < 3; ++i) {
    proxy.plan(LineFault::lose_request, 0, kBeat);  // it holds the namespace, and is gone
    EXPECT_TRUE(sees_more(6));
    EXPECT_TRUE(proxy.was_met());
  }
  for (NodeProcess* node : {&a, &b}) {
    node->send(SIGTERM);
    EXPECT_EQ(node->end(), 0);
  }
  expect_nothing_in_a_session(own);
  EXPECT_TRUE(has_no_gaps("one") && has_no_gaps("two"));
  expect_clean();
}

TEST_F(PostgresC7, nodes_that_share_two_sessions_of_a_pooler_run_each_slot_once) {
  PostgresServer own({.fsync = true, .more = {{"log_statement", "all"}}});
  const Pooler pooler(own, 2);
  use(own);
  world_.store = pooler.conninfo();
  write_jobs(steady_job("one") + steady_job("two") + job("long", ticking(), {"on_lost: rerun"}));
  std::map<std::string, NodeProcess*> nodes;
  for (const char* name : {"a", "b", "c"}) {
    world_.state = world_.path(std::string("state-") + name);
    nodes[name] = &world_.start(name, {world_.path("jobs.yaml"), "--drain", "1s"});
    EXPECT_TRUE(nodes[name]->says("registered"));
  }
  ASSERT_TRUE(sees_more(6));
  const std::string first = last_node("long");
  kill_with_keepers(*nodes.at(first));
  nodes.erase(first);
  EXPECT_TRUE(wait_until([&] { return last_node("long") != first; }));
  EXPECT_TRUE(wait_until([&] { return has_no_gaps("one") && has_no_gaps("two"); }));
  for (const auto& [name, node] : nodes) {
    node->send(SIGTERM);
    EXPECT_EQ(node->end(), 0);
  }
  expect_nothing_in_a_session(own);
  expect_no_overlap();
  expect_clean();
}

// ---- C8: a server that cannot write

using PostgresC8 = NodesOnPostgres;

TEST_F(PostgresC8, a_node_at_a_standby_waits_and_goes_on_when_it_is_promoted) {
  PostgresServer primary({.fsync = true});
  const auto standby = primary.make_standby(true);
  use(primary);
  write_jobs(job("job", "", {"overlap: allow"}));
  world_.state = world_.path("state-b");
  NodeProcess& b = world_.start("b", {world_.path("jobs.yaml"), "--drain", "1s"});
  ASSERT_TRUE(sees_start("job", "b"));
  use(*standby);
  world_.state = world_.path("state-a");
  NodeProcess& a = world_.start("a", {world_.path("jobs.yaml"), "--drain", "1s"});
  EXPECT_TRUE(
      a.says("waiting for the store: the server is a standby, and nothing can be decided "
             "there: name the primary, or several hosts and "
             "target_session_attrs=read-write"));
  EXPECT_TRUE(sees_more(3));
  EXPECT_EQ(last_node("job"), "b");
  b.send(SIGTERM);
  EXPECT_EQ(b.end(), 0);
  primary.kill();
  standby->promote();
  const auto promoted = std::chrono::steady_clock::now();
  EXPECT_TRUE(sees_start("job", "a"));
  EXPECT_LT(std::chrono::steady_clock::now() - promoted, std::chrono::seconds{10 + 5});  // a lease
  EXPECT_EQ(times_in(a.log(), "waiting for the store"), 1U);
  a.send(SIGTERM);
  EXPECT_EQ(a.end(), 0);
  expect_each_slot_once();
  expect_clean();
}

TEST_F(PostgresC8, a_primary_demoted_under_a_node_is_left_alone_until_it_is_one_again) {
  PostgresServer own({.fsync = true});
  use(own);
  write_jobs(job("job", ""));
  NodeProcess& a = start("a");
  ASSERT_TRUE(sees_more(2));
  own.demote();
  EXPECT_TRUE(a.says(
      "the store failed: cannot set transaction read-write mode during recovery: a standby, or set "
      "to read-only: name the primary, or several hosts and target_session_attrs=read-write"));
  const std::size_t before = world_.starts().size();
  EXPECT_EQ(world_.command({"jobs"}).exit_code, 69);
  own.promote();
  EXPECT_TRUE(a.says("the store answers again"));
  EXPECT_TRUE(wait_until([&] { return world_.starts().size() >= before + 2; }));
  leave({"a"});
  expect_each_slot_once();
  world_.expect_growing_fences();
  expect_clean();
}

// ---- C10: the answer never came

using PostgresC10 = NodesOnPostgres;

TEST_F(PostgresC10, a_claim_whose_answer_was_lost_is_settled_and_no_slot_with_it) {
  write_jobs(steady_job("one") + steady_job("two"));
  start("a");
  start("b");
  ASSERT_TRUE(sees_more(4));
  int met = 0;
  for (const LineFault fault : kLineFaults) {
    for (const char* name : {"a", "b", "a", "b"}) {
      line(name).plan(fault, 0, kClaim);
      sees_more(2);
      met += line(name).was_met() ? 1 : 0;
    }
  }
  EXPECT_GE(met, 10);
  EXPECT_TRUE(sees_more(4));
  EXPECT_TRUE(wait_until([&] { return has_no_gaps("one") && has_no_gaps("two"); }));
  leave({"a", "b"});
  expect_each_slot_once();
  expect_clean();
}

TEST_F(PostgresC10, a_server_that_dies_between_commit_and_answer_repeats_nothing) {
  PostgresServer own({.fsync = true});
  use(own);
  write_jobs(steady_job("one") + steady_job("two"));
  start("a");
  ASSERT_TRUE(sees_more(2));
  for (int i = 0; i < 3; ++i) {
    line("a").plan(LineFault::lose_answer, 0, kClaim);
    ASSERT_TRUE(wait_until([&] {
      const std::string log = node("a").log();
      return times_in(log, "the store does not answer") > static_cast<std::size_t>(i);
    }));
    EXPECT_TRUE(line("a").was_met());
    own.kill();
    own.start();
    ASSERT_TRUE(sees_more(4));
  }
  EXPECT_TRUE(wait_until([&] { return has_no_gaps("one") && has_no_gaps("two"); }));
  leave({"a"});
  expect_each_slot_once();
  expect_clean();
}

// ---- C22: partitions of every shape

/// `a` is cut off from the store while it runs something, in one way or another.
struct Partition {
  const char* name;
  bool all = false;  // `b` as well
  LineState state = LineState::open;
  milliseconds late{0};
  bool flaps = false;
};

std::ostream& operator<<(std::ostream& out, const Partition& partition) {
  return out << partition.name;
}

class PostgresC22 : public NodesOnPostgres, public testing::WithParamInterface<Partition> {
 protected:
  void set(LineState state, milliseconds late) {
    for (const char* name : {"a", "b"}) {
      if (name[0] == 'b' && !GetParam().all) continue;
      line(name).delay_answers(late);
      line(name).set(state);
    }
  }

  /// Longer than a lease.
  void cut() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{7};
    set(GetParam().state, GetParam().late);
    wait_until([&] {
      if (GetParam().flaps) {
        set(is_cut_ ? LineState::open : LineState::reset, milliseconds{0});
        is_cut_ = !is_cut_;
        std::this_thread::sleep_for(milliseconds{300});
      }
      return std::chrono::steady_clock::now() > end;
    });
    set(LineState::open, milliseconds{0});
  }

 private:
  bool is_cut_ = false;
};

TEST_P(PostgresC22, leaves_each_slot_once_and_nothing_beside_itself) {
  write_jobs(job("long", ticking(), {"on_lost: rerun"}) + job("short", "") + steady_job("all"));
  start("a");
  ASSERT_TRUE(sees_start("long", "a"));
  ASSERT_TRUE(start("b").says("registered"));
  cut();
  EXPECT_TRUE(sees_more(4));
  const std::size_t before = ticks();
  EXPECT_TRUE(wait_until([&] { return ticks() >= before + 5; }));
  EXPECT_TRUE(wait_until([&] { return has_no_gaps("all"); }));
  leave({"a", "b"});
  expect_no_overlap();
  expect_clean();
}

INSTANTIATE_TEST_SUITE_P(
    Partition, PostgresC22,
    testing::Values(Partition{"one_cut_off", false, LineState::cut},
                    Partition{"one_refused", false, LineState::reset},
                    Partition{"all_cut_off", true, LineState::cut},
                    Partition{"answers_lost", false, LineState::no_answers},
                    Partition{"all_answers_lost", true, LineState::no_answers},
                    Partition{"late_by_half_a_lease", false, LineState::open, milliseconds{2'500}},
                    Partition{"late_by_a_lease", false, LineState::open, milliseconds{5'000}},
                    Partition{"late_by_two_leases", true, LineState::open, milliseconds{10'000}},
                    Partition{"flapping", false, LineState::open, milliseconds{0}, true}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace cronce::test
