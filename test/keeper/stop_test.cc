// How runs are made to end: by order, by time, by the lease. No process survives, and no other run
// is touched.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>

#include <gtest/gtest.h>

#include "keeper/spool.h"
#include "test/keeper/node.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

using std::chrono::steady_clock;

std::string mode_name(const testing::TestParamInfo<bool>& mode) {
  return mode.param ? "with_cgroups" : "without_cgroups";
}

class Stop : public testing::TestWithParam<bool> {
 protected:
  World world_{GetParam()};
  Witness first_{world_.folder.path() + "/first"};
  Witness second_{world_.folder.path() + "/second"};

  /// Two runs whose processes hide and ignore TERM.
  void start_two() {
    world_.keeper.start(order(1, {actor(), "double-fork", first_.path()}));
    world_.keeper.start(order(2, {actor(), "double-fork", second_.path()}));
    ASSERT_NE(world_.events.started(1), nullptr);
    ASSERT_NE(world_.events.started(2), nullptr);
    ASSERT_TRUE(first_.sees_life() && second_.sees_life());
  }
};
INSTANTIATE_TEST_SUITE_P(Keeper, Stop, testing::Bool(), mode_name);

TEST_P(Stop, by_cancel_leaves_nothing_of_the_one_and_all_of_the_other) {
  start_two();
  const pid_t sub_keeper = parent_of(static_cast<pid_t>(world_.events.started(1)->pid));
  world_.keeper.stop(run(1), Reason::by_operator);
  const FinishEntry end = world_.events.end(1);
  EXPECT_EQ(end.state, RunState::cancelled);
  EXPECT_EQ(end.reason, Reason::by_operator);
  EXPECT_EQ(end.exit_code, 128 + SIGKILL);
  EXPECT_TRUE(is_alive(sub_keeper));  // it managed, and was not killed to be sure
  EXPECT_TRUE(first_.sees_end());
  EXPECT_TRUE(second_.sees_life());
  EXPECT_EQ(world_.events.ends(2), 0U);
  world_.keeper.stop(run(2), Reason::replaced);
  EXPECT_EQ(world_.events.end(2).reason, Reason::replaced);
  EXPECT_TRUE(second_.sees_end());
}

TEST_P(Stop, by_timeout_leaves_nothing_of_the_one_and_all_of_the_other) {
  Start timed = order(1, {actor(), "double-fork", first_.path()});
  timed.timeout = Duration{300};
  world_.keeper.start(timed);
  world_.keeper.start(order(2, {actor(), "double-fork", second_.path()}));
  const FinishEntry end = world_.events.end(1);
  EXPECT_EQ(end.state, RunState::timed_out);
  EXPECT_EQ(end.reason, Reason::none);
  EXPECT_TRUE(first_.sees_end());
  EXPECT_TRUE(second_.sees_life());
}

TEST_P(Stop, of_an_ended_incarnation_kills_at_once) {
  start_two();
  world_.keeper.start(order(3, {"/bin/sh", "-c",
                                "trap 'echo warned' TERM; echo progress 1 >&3; "
                                "while :; do sleep 0.01; done"}));
  ASSERT_TRUE(world_.events.wait([&] { return !world_.events.progress.empty(); }));
  world_.trust(Duration{0});  // earlier than what it has: changes nothing
  world_.keeper.kill_all();
  EXPECT_EQ(world_.events.end(3).output_tail, "cronce: killed: the lease was lost\n");
  for (const int number : {1, 2}) {
    const FinishEntry end = world_.events.end(number);
    EXPECT_EQ(end.state, RunState::failed);
    EXPECT_EQ(end.reason, Reason::signal);
    EXPECT_NE(end.output_tail.find("the lease was lost"), std::string::npos);
  }
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
}

TEST_P(Stop, gives_the_whole_tree_time_to_end_itself) {
  Start start = order(1, {"/bin/sh", "-c",
                          "trap 'echo parent; wait; exit 7' TERM; "
                          "sh -c 'trap \"echo child; exit\" TERM; echo progress ready >&3; "
                          "while :; do sleep 0.01; done' & wait"});
  start.kill_after = std::chrono::seconds{20};
  world_.keeper.start(start);
  ASSERT_TRUE(world_.events.wait([&] { return !world_.events.progress.empty(); }));
  world_.keeper.stop(run(1), Reason::drain);
  const FinishEntry end = world_.events.end(1);
  EXPECT_EQ(end.state, RunState::cancelled);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_NE(end.output_tail.find("parent"), std::string::npos);
  EXPECT_NE(end.output_tail.find("child"), std::string::npos);
}

TEST_P(Stop, catches_a_process_that_is_always_another) {
  world_.keeper.start(order(1, {actor(), "hop", first_.path()}));
  ASSERT_NE(world_.events.started(1), nullptr);
  ASSERT_TRUE(first_.sees_life());
  world_.keeper.stop(run(1), Reason::by_operator);
  EXPECT_EQ(world_.events.end(1).state, RunState::cancelled);
  EXPECT_TRUE(first_.sees_end());
}

TEST_P(Stop, is_not_over_while_something_of_it_lives) {
  world_.keeper.start(order(1, {actor(), "leave", first_.path()}));
  ASSERT_NE(world_.events.started(1), nullptr);
  ASSERT_TRUE(first_.sees_life());
  world_.keeper.start(order(2, {"true"}));
  EXPECT_EQ(world_.events.end(2).state, RunState::succeeded);
  EXPECT_EQ(world_.events.ends(1), 0U);
  world_.keeper.stop(run(1), Reason::by_operator);
  const FinishEntry end = world_.events.end(1);
  EXPECT_EQ(end.exit_code, 0);  // as the command itself has ended
  EXPECT_EQ(end.state, RunState::cancelled);
  EXPECT_TRUE(first_.sees_end());
}

TEST_P(Stop, before_the_start_starts_nothing) {
  // The keeper is held up, so that both orders reach it together.
  kill(world_.keeper.pid(), SIGSTOP);
  world_.keeper.start(order(1, {"touch", world_.folder.path() + "/never"}));
  world_.keeper.stop(run(1), Reason::by_operator);
  kill(world_.keeper.pid(), SIGCONT);
  const FinishEntry end = world_.events.end(1);
  EXPECT_EQ(end.state, RunState::cancelled);
  EXPECT_FALSE(end.started_at);
  EXPECT_NE(access((world_.folder.path() + "/never").c_str(), F_OK), 0);
}

TEST_P(Stop, of_a_run_that_shall_go_on_is_for_a_person_only) {
  Start start = order(1, {actor(), "stay", first_.path()});
  start.on_lease_loss = OnLeaseLoss::carry_on;
  world_.keeper.start(start);
  world_.keeper.start(order(2, {actor(), "stay", second_.path()}));
  ASSERT_TRUE(first_.sees_life() && second_.sees_life());
  world_.keeper.kill_all();
  EXPECT_EQ(world_.events.end(2).state, RunState::failed);
  EXPECT_TRUE(first_.sees_life());
  world_.keeper.stop(run(1), Reason::by_operator);
  EXPECT_EQ(world_.events.end(1).state, RunState::cancelled);
}

TEST_P(Stop, refuses_starts_without_trust) {
  const auto refused = [&](int number) {
    world_.keeper.start(order(number, {"touch", world_.folder.path() + "/never"}));
    const FinishEntry end = world_.events.end(number);
    EXPECT_EQ(end.state, RunState::failed);
    EXPECT_EQ(end.reason, Reason::spawn);
    return end.output_tail;
  };
  world_.keeper.kill_all();
  EXPECT_EQ(refused(1), "cronce: the lease ended before the start\n");
  world_.keeper.trust_until(
      {read_steady(world_.settings.clock) + std::chrono::minutes{1}, Incarnation{{1, 2}}, Time{}});
  EXPECT_EQ(refused(2), "cronce: the lease ended before the start\n");  // of another incarnation
  EXPECT_NE(access((world_.folder.path() + "/never").c_str(), F_OK), 0);
}

TEST_P(Stop, refuses_a_start_that_is_late_by_a_sleep) {
  world_.keeper.start(order(1, {"true"}));
  world_.events.end(1);
  // The process that started it waits for the next, and sleeps over the end of the trust.
  const auto waiting = below(world_.keeper.pid(), "cronce-run");
  ASSERT_EQ(waiting.size(), 1U);
  kill(waiting[0], SIGSTOP);
  const Incarnation other{{1, 2}};
  const Duration over = read_steady(world_.settings.clock) + Duration{200};
  world_.keeper.trust_until({over, other, Time{}});
  Start start = order(2, {"true"});
  start.incarnation = other;
  world_.keeper.start(start);
  ASSERT_TRUE(wait_until([&] { return read_steady(world_.settings.clock) > over; }));
  kill(waiting[0], SIGCONT);
  const FinishEntry end = world_.events.end(2);
  EXPECT_EQ(end.state, RunState::failed);
  EXPECT_EQ(end.reason, Reason::spawn);
  EXPECT_EQ(end.output_tail, "cronce: the lease ended before the start\n");
}

// ---- without a node ----------------------------------------------------------------------------

constexpr Duration kTrust{500};
constexpr Duration kLeaseStop{200};

class Lease : public testing::TestWithParam<bool> {
 protected:
  /// A node that has two runs and trust for so long, and then is frozen or killed.
  void run_node(Duration trust, int signal) {
    node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
      keeper.trust_until({read_steady(settings.clock) + trust, incarnation(), Time{}});
      keeper.start(order(1, {actor(), "double-fork", first_.path()}));
      keeper.start(order(2, {actor(), "double-fork", second_.path()}));
    });
    ASSERT_TRUE(first_.sees_life() && second_.sees_life());
    node_.send(signal);
  }

  Spool::Kept spooled() {
    return std::move(Spool(node_.settings.spool_folder()).read_all(store(), "test").value());
  }

  NodeProcess node_;
  Witness first_{node_.folder.path() + "/first"};
  Witness second_{node_.folder.path() + "/second"};
};
INSTANTIATE_TEST_SUITE_P(Keeper, Lease, testing::Bool(), mode_name);

TEST_P(Lease, of_a_killed_node_ends_at_the_deadline) {
  const auto begin = steady_clock::now();
  run_node(kTrust, SIGKILL);
  EXPECT_TRUE(first_.sees_life() && second_.sees_life());
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  const auto took = steady_clock::now() - begin;
  EXPECT_GT(took, kTrust + kLeaseStop);                    // TERM, lease_stop, KILL
  EXPECT_LT(took, kTrust + kLeaseStop + Duration{1'000});  // and gone within a second
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  for (const FinishEntry& end : spooled().ends) {
    EXPECT_EQ(end.state, RunState::failed);
    EXPECT_EQ(end.reason, Reason::signal);
    EXPECT_EQ(end.incarnation, incarnation());
    EXPECT_TRUE(end.started_at && end.finished_at);
  }
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, of_a_frozen_node_ends_at_the_deadline) {
  const auto begin = steady_clock::now();
  run_node(kTrust, SIGSTOP);
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  EXPECT_LT(steady_clock::now() - begin, kTrust + kLeaseStop + Duration{1'000});
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  node_.send(SIGKILL);
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, that_ended_while_all_slept_means_kill_at_once) {
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + kTrust, incarnation(), Time{}});
    keeper.start(order(1, {"/bin/sh", "-c",
                           "trap 'echo warned' TERM; exec 5>" + first_.path() +
                               "; printf x >&5; while :; do sleep 0.01; done"}));
  });
  ASSERT_TRUE(first_.sees_begin());
  const pid_t keeper = node_.keeper();
  kill(keeper, SIGSTOP);
  const Duration over = read_steady(Steady::boottime) + kTrust + kLeaseStop;
  ASSERT_TRUE(wait_until([&] { return read_steady(Steady::boottime) > over; }));
  kill(keeper, SIGCONT);
  EXPECT_TRUE(first_.sees_end());
  // Not TERM first: that time is over as well.
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 1; }));
  EXPECT_EQ(spooled().ends[0].output_tail.find("warned"), std::string::npos);
  node_.send(SIGKILL);
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, does_not_end_what_shall_go_on) {
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + kTrust, incarnation(), Time{}});
    Start start = order(1, {"/bin/sh", "-c", "exec 5>" + first_.path() + "; sleep 1; echo done"});
    start.on_lease_loss = OnLeaseLoss::carry_on;
    keeper.start(start);
    keeper.start(order(2, {actor(), "stay", second_.path()}));
  });
  ASSERT_TRUE(second_.sees_life());
  node_.send(SIGKILL);
  EXPECT_TRUE(second_.sees_end());
  EXPECT_TRUE(first_.sees_end());
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  const Spool::Kept kept = spooled();
  const bool first = kept.ends[0].run == run(1);
  EXPECT_EQ(kept.ends[first ? 0 : 1].state, RunState::succeeded);
  EXPECT_EQ(kept.ends[first ? 0 : 1].output_tail, "done\n");
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, that_the_node_extends_goes_on) {
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + kTrust, incarnation(), Time{}});
    keeper.start(order(1, {actor(), "stay", first_.path()}));
    keeper.trust_until({read_steady(settings.clock) + 2 * kTrust, incarnation(), Time{}});
  });
  const auto begin = steady_clock::now();
  ASSERT_TRUE(first_.sees_life());
  node_.send(SIGKILL);
  EXPECT_TRUE(first_.sees_end());
  EXPECT_GT(steady_clock::now() - begin, kTrust + kLeaseStop);
  EXPECT_TRUE(node_.keeper_ends());
}

}  // namespace
}  // namespace cronce::test
