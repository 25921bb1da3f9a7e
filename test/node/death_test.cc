// Nodes that freeze or die: their runs end in time, and somebody else takes over.
#include <csignal>

#include <fmt/format.h>

#include "test/node/world.h"

namespace cronce::test {
namespace {

std::vector<std::string> nodes_of(const World& world) {
  std::vector<std::string> names;
  for (const Start& start : world.starts()) names.push_back(start.node);
  return names;
}

TEST(NodeDeath, a_frozen_node_loses_its_runs_before_another_takes_over) {
  World world;
  const std::string look = fmt::format(
      "kill -0 $(cat {0}.pid) && echo overlap >> {0}; echo $$ > {0}.pid; ", world.path("witness"));
  world.write("jobs.yaml",
              fmt::format("jobs:\n  long:\n    schedule: \"* * * * * *\"\n    on_lost: rerun\n"
                          "    run: \"{}\"\n",
                          look + world.telling("while :; do sleep 0.1; done")));
  std::map<std::string, NodeProcess*> nodes;
  for (const char* name : {"a", "b"}) nodes[name] = &world.start(name, {world.path("jobs.yaml")});
  for (const auto& [name, node] : nodes) EXPECT_TRUE(node->says("ready"));
  ASSERT_TRUE(wait_until([&] { return !world.starts().empty(); }));
  const std::string frozen = world.starts().front().node;
  {
    const Descriptor lock = world.lock_store();  // not in the middle of a step: that would stop all
    nodes.at(frozen)->send(SIGSTOP);
  }
  EXPECT_TRUE(wait_until([&] { return world.starts().size() >= 2; }));
  for (const std::string& line : world.lines()) {
    EXPECT_NE(line, "overlap") << "the first run was still alive";
  }
  EXPECT_NE(nodes_of(world).back(), frozen);
  world.expect_once();
  world.expect_growing_fences();
  nodes.at(frozen)->send(SIGCONT);
  EXPECT_TRUE(nodes.at(frozen)->says("goes on as a new incarnation"));
}

TEST(NodeDeath, what_a_dead_node_and_its_keeper_left_is_killed_by_the_next) {
  World world;
  // The command dies with its keeper; what it started in the background does not.
  world.write("jobs.yaml",
              fmt::format("jobs:\n  left:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n",
                          world.telling(fmt::format("setsid sleep 1000 & echo pid $! >> {}; wait",
                                                    world.path("witness")))));
  NodeProcess& first = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(world.sees("pid "));
  const pid_t orphan = static_cast<pid_t>(std::stol(world.lines().at(1).substr(4)));
  kill_with_keepers(first);
  EXPECT_TRUE(is_alive(orphan)) << "nothing was left, so this shows nothing";
  world.write("none.yaml", "jobs: {}\n");
  NodeProcess& second = world.start("a", {world.path("none.yaml")});
  EXPECT_TRUE(second.says("ready"));
  EXPECT_FALSE(is_alive(orphan));
  EXPECT_TRUE(second.says("ended a former node of this machine lost=1"));
}

// Of the keeper, that is; and it must not get lost that a thread hangs in a file at that moment.
TEST(NodeDeath, is_told_in_a_sentence_though_a_thread_hangs) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  NodeProcess& node = world.start("a", {world.path("jobs.yaml"), "--no-watch"});
  EXPECT_TRUE(node.says("ready"));
  const Descriptor writer = world.make_unreadable("jobs.yaml", node);
  for (const pid_t keeper : node.keepers()) kill(keeper, SIGKILL);
  EXPECT_EQ(node.end(), 70);
  EXPECT_NE(node.log().find("cronce: run: no command can be started any more"), std::string::npos);
}

// Their lease is far longer than this test has patience.
TEST(NodeDeath, of_node_and_keeper_is_noticed_by_the_living_before_the_lease_is_over) {
  World world;
  world.lease = "10m";
  world.write("jobs.yaml",
              fmt::format("jobs:\n  long:\n    schedule: \"* * * * * *\"\n    on_lost: rerun\n"
                          "    run: \"{}\"\n",
                          world.telling("sleep 1000")));
  std::map<std::string, NodeProcess*> nodes;
  for (const char* name : {"a", "b"}) {
    nodes[name] = &world.start(name, {world.path("jobs.yaml")});
    EXPECT_TRUE(nodes[name]->says("ready"));
  }
  ASSERT_TRUE(wait_until([&] { return !world.starts().empty(); }));
  const std::string dead = world.starts().front().node;
  kill_with_keepers(*nodes.at(dead));
  EXPECT_TRUE(wait_until([&] { return world.starts().size() >= 2; }));
  EXPECT_NE(world.starts().back().node, dead);
  EXPECT_TRUE(
      nodes.at(dead == "a" ? "b" : "a")->says("ended a former node of this machine lost=1"));
  world.expect_once();
  world.expect_growing_fences();
}

}  // namespace
}  // namespace cronce::test
