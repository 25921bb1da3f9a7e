// A thousand runs at once: each starts once and ends once, and each end is its own.
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

class Burst : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Keeper, Burst, testing::Bool(), mode_name);

/// Every run exits with a code and says a word that only it can have.
TEST_P(Burst, of_a_thousand_ends_each_once) {
  constexpr int kRuns = 1'000;
  World world(GetParam(),
              [](KeeperSettings& settings) { settings.spool_after = Duration{60'000}; });
  for (int i = 1; i <= kRuns; ++i) {
    world.keeper.start(order(
        i, {"/bin/sh", "-c", "echo " + std::to_string(i) + "; exit " + std::to_string(i % 7)}));
  }
  ASSERT_TRUE(world.events.wait([&] { return world.events.finished.size() >= kRuns; }));
  world.keeper.start(order(kRuns + 1, {"true"}));  // whatever comes too often has come by its end
  world.events.end(kRuns + 1);
  ASSERT_EQ(world.events.finished.size(), kRuns + 1U);
  EXPECT_EQ(world.events.starts.size(), kRuns + 1U);
  for (int i = 1; i <= kRuns; ++i) {
    ASSERT_EQ(world.events.ends(i), 1U);
    const FinishEntry end = world.events.end(i);
    EXPECT_EQ(end.exit_code, i % 7);
    EXPECT_EQ(end.output_tail, std::to_string(i) + "\n");
    EXPECT_EQ(end.fence, Fence{static_cast<std::uint64_t>(i)});
  }
}

TEST_P(Burst, of_runs_that_live_at_the_same_time_is_killed_in_time) {
  constexpr int kRuns = 200;
  World world(GetParam());
  for (int i = 1; i <= kRuns; ++i) world.keeper.start(order(i, {"sleep", "1000"}));
  ASSERT_TRUE(world.events.wait([&] { return world.events.starts.size() == kRuns; }));
  const Duration begin = read_steady(Steady::monotonic);
  world.keeper.kill_all();
  ASSERT_TRUE(world.events.wait([&] { return world.events.finished.size() == kRuns; }));
  EXPECT_LT(read_steady(Steady::monotonic) - begin, Duration{3'000});
}

std::size_t descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator folder("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

/// In the commands, while others start and live beside them; and in the keeper.
TEST_P(Burst, leaks_no_descriptor) {
  constexpr int kRuns = 100;
  World world(GetParam());
  int number = 0;
  const auto burst = [&] {
    const int sleeper = ++number;
    world.keeper.start(order(sleeper, {"sleep", "1000"}));
    const int last = number + kRuns;
    while (number < last) world.keeper.start(order(++number, {actor(), "fds"}));
    for (int i = sleeper + 1; i <= last; ++i) {
      ASSERT_EQ(world.events.end(i).output_tail, "0\n1\n2\n3\n");
    }
    world.keeper.stop(run(sleeper), Reason::by_operator);
    world.events.end(sleeper);
  };
  // A channel for each sub-keeper that waits for the next run stays.
  const auto without_channels = [&] {
    return descriptors_of(world.keeper.pid()) - below(world.keeper.pid(), "cronce-run").size();
  };
  for (int i = 0; i < 3; ++i) burst();
  // 0 to 3, node, scribe, epoll, signals, timer, and the locks of its incarnation and its group.
  const std::size_t own = world.keeper.cgroup().empty() ? 10 : 11;
  EXPECT_TRUE(wait_until([&] { return without_channels() == own; }));
}

TEST_P(Burst, leaves_no_more_processes_than_the_next_start_needs) {
  World world(GetParam(), [](KeeperSettings& settings) { settings.keep_free = Duration{50}; });
  for (int i = 1; i <= 30; ++i) world.keeper.start(order(i, {"sleep", "1000"}));
  ASSERT_TRUE(world.events.wait([&] { return world.events.starts.size() == 30; }));
  EXPECT_GE(below(world.keeper.pid(), "cronce-run").size(), 30U);
  world.keeper.kill_all();
  ASSERT_TRUE(world.events.wait([&] { return world.events.finished.size() == 30; }));
  const std::size_t reserve = std::thread::hardware_concurrency() + 1;
  EXPECT_TRUE(
      wait_until([&] { return below(world.keeper.pid(), "cronce-run").size() == reserve; }));
}

}  // namespace
}  // namespace cronce::test
