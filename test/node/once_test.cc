// Several nodes, one store: each slot starts once.
#include <algorithm>
#include <csignal>
#include <set>

#include <fmt/format.h>

#include "test/node/world.h"

namespace cronce::test {
namespace {

/// They may overlap: on a busy machine a run may take a second, and that of a killed node counts as
/// alive until its end is known. One that was lost between claim and start is run again.
std::string each_second(const std::string& command) {
  return fmt::format(
      "jobs:\n  tick:\n    schedule: \"* * * * * *\"\n    catch_up: all\n    overlap: allow\n"
      "    on_lost: rerun\n    run: \"{}\"\n",
      command);
}

/// Every second from the first to the last: nothing is skipped, however late it starts.
bool has_no_gap(const World& world) {
  std::set<Time> slots;
  for (const Start& start : world.starts()) slots.insert(start.slot);
  return *slots.rbegin() - *slots.begin() == Seconds{slots.size() - 1};
}

TEST(NodeOnce, each_slot_on_one_of_three_nodes) {
  World world;
  world.write("jobs.yaml", each_second(world.telling()));
  std::vector<NodeProcess*> nodes;
  for (const char* name : {"a", "b", "c"}) {
    nodes.push_back(&world.start(name, {world.path("jobs.yaml")}));
  }
  for (NodeProcess* node : nodes) EXPECT_TRUE(node->says("ready"));
  EXPECT_TRUE(world.sees_slots(5));
  EXPECT_TRUE(wait_until([&] { return has_no_gap(world); }));
  world.expect_once();
  for (NodeProcess* node : nodes) node->send(SIGTERM);
  for (NodeProcess* node : nodes) EXPECT_EQ(node->end(), 0);
}

// The same judge must see it when nodes do not share a store.
TEST(NodeOnce, is_not_what_nodes_without_a_common_store_do) {
  World world;
  world.write("jobs.yaml", each_second(world.telling()));
  for (const char* name : {"a", "b"}) {
    world.store = "sqlite:" + world.path(fmt::format("store/{}.db", name));
    world.start(name, {world.path("jobs.yaml")});
  }
  EXPECT_TRUE(wait_until([&] {
    std::map<Time, int> count;
    for (const Start& start : world.starts()) ++count[start.slot];
    return std::any_of(count.begin(), count.end(), [](const auto& one) { return one.second == 2; });
  }));
}

TEST(NodeOnce, a_slot_of_a_killed_node_starts_elsewhere) {
  World world;
  world.write("jobs.yaml", each_second(world.telling()));
  std::map<std::string, NodeProcess*> nodes;
  for (const char* name : {"a", "b"}) {
    nodes[name] = &world.start(name, {world.path("jobs.yaml")});
  }
  for (const auto& [name, node] : nodes) {
    EXPECT_TRUE(node->says("ready"));
  }
  ASSERT_TRUE(wait_until([&] { return world.starts().size() >= 2; }));
  const std::string home = world.starts().back().node;
  nodes.at(home)->send(SIGKILL);
  const std::size_t before = world.starts().size();
  EXPECT_TRUE(wait_until([&] { return world.starts().size() >= before + 3 && has_no_gap(world); }));
  world.expect_once();
  EXPECT_NE(world.starts().back().node, home);
}

}  // namespace
}  // namespace cronce::test
