// Job files that change while a node runs, and crontabs.
#include <csignal>

#include <fmt/format.h>

#include "test/node/world.h"

namespace cronce::test {
namespace {

std::string job(const std::string& command) {
  return fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n", command);
}

TEST(NodeFiles, a_broken_one_keeps_the_old_definitions) {
  World world;
  world.write("jobs.yaml", job(world.telling()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml"), "--no-watch"});
  EXPECT_TRUE(world.sees("start"));
  world.write("jobs.yaml", "jobs:\n  job:\n    shedule: daily\n");
  node.send(SIGHUP);
  EXPECT_TRUE(node.says("jobs.yaml:3:5: error: unknown key 'shedule': did you mean schedule?"));
  EXPECT_TRUE(node.says("the old definitions stay"));
  const std::size_t before = world.starts().size();
  EXPECT_TRUE(wait_until([&] { return world.starts().size() > before; }));
}

TEST(NodeFiles, a_changed_one_is_read_again) {
  World world;
  world.write("jobs.yaml", job(world.telling()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(world.sees("start"));
  world.write("jobs.yaml", job("echo other >> " + world.path("witness")));
  EXPECT_TRUE(node.says("generation=2"));
  EXPECT_TRUE(world.sees("other"));
}

TEST(NodeFiles, one_that_cannot_be_read_to_its_end_delays_no_slot) {
  World world;
  world.write("jobs.yaml", job(world.telling()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml"), "--no-watch"});
  EXPECT_TRUE(world.sees("start"));
  const Descriptor writer = world.make_unreadable("jobs.yaml", node);
  const std::size_t before = world.starts().size();
  EXPECT_TRUE(wait_until([&] { return world.starts().size() >= before + 2; }));
}

TEST(NodeFiles, a_crontab_feeds_input_and_has_a_small_environment) {
  World world;
  world.write("crontab",
              fmt::format("@every 1s (cat; env) >> {}%word of input\n", world.path("witness")));
  world.start("a", {world.path("crontab")}, {{"SECRET", "of the node"}});
  EXPECT_TRUE(world.sees("word of input"));
  EXPECT_TRUE(world.sees("CRONCE_JOB="));
  for (const std::string& line : world.lines()) EXPECT_FALSE(line.starts_with("SECRET=")) << line;
}

}  // namespace
}  // namespace cronce::test
