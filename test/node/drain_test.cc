// Leaving in order.
#include <csignal>

#include <fmt/format.h>

#include "test/node/keys.h"

namespace cronce::test {
namespace {

std::string job(const std::string& command) {
  return fmt::format(
      "jobs:\n  job:\n    schedule: \"* * * * * *\"\n    kill_after: 1s\n    run: \"{}\"\n",
      command);
}

TEST(NodeDrain, lets_a_run_end_and_tells_the_store) {
  World world;
  const std::string gate = world.path("gate");
  world.write("jobs.yaml",
              job(world.telling(fmt::format("until [ -e {} ]; do sleep 0.05; done; echo end >> {}",
                                            gate, world.path("witness")))));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(world.sees("start"));
  node.send(SIGTERM);
  EXPECT_TRUE(node.says("leaving"));
  world.write("gate", "");
  EXPECT_EQ(node.end(), 0);
  EXPECT_TRUE(world.sees("end"));
  EXPECT_EQ(world.starts().size(), 1U) << "nothing new is started";
  bool succeeded = false;
  for (const auto& run : world.runs()) {
    EXPECT_NE(run.state, RunState::running);
    succeeded = succeeded || run.state == RunState::succeeded;
  }
  EXPECT_TRUE(succeeded);
}

/// Its lease is renewed as long as something runs: others see it alive, whatever time that takes.
TEST(NodeDrain, F5_stops_scheduling_and_not_the_jobs) {
  World world;
  world.write("jobs.yaml", job(world.telling(until_gate(world))));
  std::map<std::string, NodeProcess*> nodes;
  for (const char* name : {"a", "b"}) nodes[name] = &world.start(name, {world.path("jobs.yaml")});
  for (const auto& [name, node] : nodes) EXPECT_TRUE(node->says("ready"));
  ASSERT_TRUE(world.sees("start"));
  const std::string leaving = world.starts().front().node;
  const std::string other = leaving == "a" ? "b" : "a";
  nodes.at(leaving)->send(SIGTERM);
  EXPECT_TRUE(nodes.at(leaving)->says("leaving"));
  const Time lease_over = wall_time() + parse_duration(world.lease).value();
  EXPECT_TRUE(world.has_run([&](const Row& run) {
    return run.reason == Reason::overlap && run.decided.at > lease_over && run.decided.by == other;
  }));
  EXPECT_EQ(world.starts().size(), 1U);
  world.write("gate", "");
  EXPECT_EQ(nodes.at(leaving)->end(), 0);
  EXPECT_TRUE(world.sees_slots(2));
  EXPECT_FALSE(saw_two_at_a_time(world));
  EXPECT_EQ(world.starts().back().node, other);
  EXPECT_EQ(rows_of(world, world.starts().front().slot).at(0).state, RunState::succeeded);
}

TEST(NodeDrain, stops_what_runs_at_the_second_signal) {
  World world;
  world.write("jobs.yaml", job(world.telling("sleep 1000")));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(world.sees("start"));
  node.send(SIGINT);
  EXPECT_TRUE(node.says("leaving"));
  node.send(SIGINT);
  EXPECT_EQ(node.end(), 0);
  EXPECT_NE(node.log().find("cancelled: drain slot=job@"), std::string::npos);
}

TEST(NodeDrain, stops_what_runs_when_its_time_is_over) {
  World world;
  world.write("jobs.yaml", job(world.telling("sleep 1000")));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml"), "--drain", "200ms"});
  ASSERT_TRUE(world.sees("start"));
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  EXPECT_NE(node.log().find("cancelled: drain slot=job@"), std::string::npos);
}

TEST(NodeDrain, leaves_without_a_store_that_is_away) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("ready"));
  const Descriptor lock = world.lock_store();
  node.send(SIGTERM);
  EXPECT_TRUE(node.says("leaving without it"));
  EXPECT_EQ(node.end(), 0) << "a call to the store that hangs keeps nobody";
}

}  // namespace
}  // namespace cronce::test
