// Which orders to start are carried out: once each, and in the trust of the lease only.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

class Begin : public testing::TestWithParam<bool> {
 protected:
  /// All who wait to start the next commands.
  std::vector<pid_t> put_reserve_to_sleep() {
    std::vector<pid_t> waiting;
    EXPECT_TRUE(wait_until([&] {
      waiting = below(world_.keeper.pid(), "cronce-run");
      return waiting.size() > std::thread::hardware_concurrency();
    }));
    for (const pid_t pid : waiting) kill(pid, SIGSTOP);
    return waiting;
  }

  World world_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Keeper, Begin, testing::Bool(), mode_name);

TEST_P(Begin, happens_once_for_each_claim) {
  world_.events.stores = false;
  world_.keeper.start(order(1, {"/bin/sh", "-c", "echo x >> " + world_.folder.path() + "/once"}));
  world_.keeper.start(order(1, {"/bin/sh", "-c", "echo y >> " + world_.folder.path() + "/once"}));
  world_.events.end(1);
  // It has ended, but nobody has stored that: it is still the same claim.
  world_.keeper.start(order(1, {"/bin/sh", "-c", "echo z >> " + world_.folder.path() + "/once"}));
  world_.keeper.start(order(2, {"cat", world_.folder.path() + "/once"}));
  EXPECT_EQ(world_.events.end(2).output_tail, "x\n");
  EXPECT_EQ(world_.events.ends(1), 1U);
  const std::string refused = "job@1 is in the keeper's hands already, and was not started again";
  EXPECT_EQ(std::ranges::count(world_.events.remarks, refused), 2);
  for (const int number : {1, 2}) world_.keeper.end_stored(key(number));
}

TEST_P(Begin, does_not_happen_after_a_stop) {
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

TEST_P(Begin, needs_trust) {
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

/// As many starts as may be under way at once stand still, as in a folder whose server is away.
TEST_P(Begin, does_not_wait_for_those_that_take_very_long) {
  const std::vector<pid_t> waiting = put_reserve_to_sleep();
  const int slow = static_cast<int>(waiting.size());
  for (int i = 1; i <= slow; ++i) world_.keeper.start(order(i, {"true"}));
  world_.keeper.start(order(slow + 1, {"true"}));
  EXPECT_EQ(world_.events.end(slow + 1).state, RunState::succeeded);
  EXPECT_TRUE(world_.events.ends(1) == 0);
  for (const pid_t pid : waiting) kill(pid, SIGCONT);
  for (int i = 1; i <= slow; ++i) EXPECT_EQ(world_.events.end(i).state, RunState::succeeded);
}

TEST_P(Begin, is_refused_when_it_is_late_by_a_sleep) {
  // They sleep over the end of the trust.
  const std::vector<pid_t> waiting = put_reserve_to_sleep();
  const Incarnation other{{1, 2}};
  const Duration over = read_steady(world_.settings.clock) + Duration{200};
  world_.keeper.trust_until({over, other, Time{}});
  Start start = order(2, {"true"});
  start.incarnation = other;
  world_.keeper.start(start);
  ASSERT_TRUE(wait_until([&] { return read_steady(world_.settings.clock) > over; }));
  for (const pid_t pid : waiting) kill(pid, SIGCONT);
  const FinishEntry end = world_.events.end(2);
  EXPECT_EQ(end.state, RunState::failed);
  EXPECT_EQ(end.reason, Reason::spawn);
  EXPECT_EQ(end.output_tail, "cronce: the lease ended before the start\n");
}

}  // namespace
}  // namespace cronce::test
