// Control groups, where they can be made.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "keeper/cgroup.h"
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

bool has_folders(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_directory()) return true;
  }
  return false;
}

/// Kills who waits to start the next command until their groups are gone too.
bool empties(const World& world) {
  return wait_until([&] {
    for (const pid_t pid : below(world.keeper.pid(), "cronce-run")) kill(pid, SIGKILL);
    return !has_folders(world.keeper.cgroup());
  });
}

TEST(Groups, of_sub_keepers_that_die_are_removed) {
  World world(true);
  world.keeper.start(order(1, {"true"}));
  world.events.end(1);
  EXPECT_TRUE(world.keeper.cgroup().empty() || empties(world));
}

/// Which nobody else can remove: who could was killed.
TEST(Groups, of_dead_keepers_are_removed_by_the_next_and_those_of_the_living_stay) {
  World living(true);
  const std::string own = living.keeper.cgroup();
  if (own.empty()) return;  // see above
  const std::string dead = own + "dead";
  ASSERT_TRUE(add_cgroup(dead) && add_cgroup(dead + "/1"));
  kill(parent_of(living.keeper.pid()), SIGKILL);  // the keeper alone holds it then
  ASSERT_TRUE(living.events.wait([&] { return !living.events.remarks.empty(); }));
  ASSERT_TRUE(empties(living));
  World next(true);
  kill(next.keeper.pid(), SIGKILL);  // when that is answered the first start is long done
  ASSERT_TRUE(next.events.wait([&] { return next.events.replaced == 1; }));
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(own));
  living.keeper.start(order(1, {"true"}));
  EXPECT_EQ(living.events.end(1).state, RunState::succeeded);
}

}  // namespace
}  // namespace cronce::test
