// How runs are made to end by order and by time. No process survives, and no other run is touched.
#include <signal.h>

#include <chrono>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

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
  timed.timeout = Duration{1'500};
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

TEST_P(Stop, of_a_command_that_stands_still_lets_it_end_itself) {
  Start start = order(1, {"/bin/sh", "-c", "trap 'exit 9' TERM; kill -STOP $$; sleep 1000"});
  start.kill_after = std::chrono::seconds{20};
  world_.keeper.start(start);
  const Started* started = world_.events.started(1);
  ASSERT_NE(started, nullptr);
  ASSERT_TRUE(wait_until([&] { return state_of(static_cast<pid_t>(started->pid)) == 'T'; }));
  world_.keeper.stop(run(1), Reason::by_operator);
  EXPECT_EQ(world_.events.end(1).exit_code, 9);
}

TEST_P(Stop, of_a_former_incarnation_comes_with_the_next) {
  start_two();
  const Incarnation next{{1, 2}};
  world_.keeper.trust_until(
      {read_steady(world_.settings.clock) + std::chrono::minutes{1}, next, Time{}});
  EXPECT_EQ(world_.events.end(1).state, RunState::failed);
  EXPECT_EQ(world_.events.end(2).state, RunState::failed);
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  Start start = order(3, {"true"});
  start.incarnation = next;
  world_.keeper.start(start);
  EXPECT_EQ(world_.events.end(3).state, RunState::succeeded);
}

}  // namespace
}  // namespace cronce::test
