// Control groups, where they can be made.
#include "keeper/cgroup.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string group_of(std::int64_t pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/cgroup");
  return own_cgroup(text_of("/proc/self/mountinfo"), text).value_or("");
}

TEST(Groups, hold_one_run_each) {
  World world(true);
  const std::string all = world.keeper.cgroup();
  world.keeper.start(order(1, {"sleep", "1000"}));
  world.keeper.start(order(2, {"sleep", "1000"}));
  ASSERT_TRUE(world.events.wait([&] { return world.events.starts.size() == 2; }));
  if (all.empty()) {  // none can be made on this machine: then that is said
    ASSERT_FALSE(world.events.remarks.empty());
    EXPECT_TRUE(world.events.remarks[0].starts_with("no control groups: "));
    return;
  }
  const std::string first = group_of(world.events.started(1)->pid);
  const std::string second = group_of(world.events.started(2)->pid);
  EXPECT_NE(first, second);
  for (const std::string& group : {first, second}) EXPECT_TRUE(group.starts_with(all + "/"));
}

/// Where no more groups can be made, trees are kept without.
TEST(Groups, that_cannot_be_made_are_no_reason_to_lose_a_run) {
  World world(true);
  if (!world.keeper.cgroup().empty()) {
    std::ofstream(world.keeper.cgroup() + "/cgroup.max.descendants") << 0;
  }
  Witness witness(world.folder.path() + "/witness");
  for (int i = 1; i <= 10; ++i) {
    world.keeper.start(order(i, {actor(), "double-fork", witness.path()}));
  }
  ASSERT_TRUE(world.events.wait([&] { return world.events.starts.size() == 10; }));
  ASSERT_TRUE(witness.sees_life());
  world.keeper.kill_all();
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(world.events.end(i).state, RunState::failed);
  EXPECT_TRUE(witness.sees_end());
}

}  // namespace
}  // namespace cronce::test
