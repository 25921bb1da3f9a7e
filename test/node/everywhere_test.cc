// A job that runs everywhere has its slots on each node: once there, and only where `on` lets it.
#include <csignal>
#include <set>

#include "test/node/keys.h"

namespace cronce::test {
namespace {

/// On each node by itself; more than once if it was.
std::map<std::string, std::multiset<Time>> slots_by_node(const World& world) {
  std::map<std::string, std::multiset<Time>> slots;
  for (const Start& start : world.starts()) slots[start.node].insert(start.slot);
  return slots;
}

/// Each second from the first to the last, once.
void expect_each_once(const std::string& node, const std::multiset<Time>& slots) {
  Time next = *slots.begin();
  for (const Time slot : slots) {
    EXPECT_EQ(slot, next) << node << " " << print(slot);
    next = slot + Seconds{1};
  }
}

bool have_slots(const World& world, const std::vector<std::string>& nodes, std::size_t count) {
  return wait_until([&] {
    auto slots = slots_by_node(world);
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](const std::string& node) { return slots[node].size() >= count; });
  });
}

/// Ended, so that nothing starts between two looks.
void leave(const std::vector<NodeProcess*>& nodes) {
  for (const NodeProcess* node : nodes) node->send(SIGTERM);
  for (NodeProcess* node : nodes) EXPECT_EQ(node->end(), 0);
}

std::string everywhere(const World& world, const std::string& keys) {
  return job_each_second("    everywhere: true\n    catch_up: all\n    overlap: allow\n" + keys,
                         world.telling());
}

TEST(NodeEverywhere, each_node_runs_each_slot_once) {
  World world;
  world.write("jobs.yaml", everywhere(world, ""));
  std::vector<NodeProcess*> nodes;
  for (const char* name : {"a", "b", "c"}) {
    nodes.push_back(&world.start(name, {world.path("jobs.yaml")}));
  }
  EXPECT_TRUE(have_slots(world, {"a", "b", "c"}, 4));
  leave(nodes);
  const auto slots = slots_by_node(world);
  EXPECT_EQ(slots.size(), 3U);
  for (const auto& [node, own] : slots) expect_each_once(node, own);
}

TEST(NodeEverywhere, a_node_without_the_labels_runs_none) {
  World world;
  world.write("jobs.yaml", everywhere(world, "    on: { disk: fast }\n"));
  const std::string jobs = world.path("jobs.yaml");
  std::vector<NodeProcess*> nodes{&world.start("a", {jobs, "--labels", "disk=fast"}),
                                  &world.start("b", {jobs, "--labels", "disk=fast,region=eu"}),
                                  &world.start("c", {jobs, "--labels", "disk=slow"}),
                                  &world.start("d", {jobs})};
  for (const NodeProcess* node : nodes) ASSERT_TRUE(node->says("ready"));
  EXPECT_TRUE(have_slots(world, {"a", "b"}, 4));
  leave(nodes);
  const auto slots = slots_by_node(world);
  for (const auto& [node, own] : slots) {
    EXPECT_TRUE(node == "a" || node == "b") << node;
    expect_each_once(node, own);
  }
}

}  // namespace
}  // namespace cronce::test
