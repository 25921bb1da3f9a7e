// Job files that change while a node runs, and crontabs.
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "test/node/world.h"

namespace cronce::test {
namespace {

std::string a_job(const std::string& command) {
  return fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n", command);
}

TEST(NodeFiles, a_broken_one_keeps_the_old_definitions) {
  World world;
  world.write("jobs.yaml", a_job(world.telling()));
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
  world.write("jobs.yaml", a_job(world.telling()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(world.sees("start"));
  world.write("jobs.yaml", a_job("echo other >> " + world.path("witness")));
  EXPECT_TRUE(node.says("generation=2"));
  EXPECT_TRUE(world.sees("other"));
}

TEST(NodeFiles, one_that_cannot_be_read_to_its_end_delays_no_slot) {
  World world;
  world.write("jobs.yaml", a_job(world.telling()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml"), "--no-watch"});
  EXPECT_TRUE(world.sees("start"));
  const Descriptor writer = world.make_unreadable("jobs.yaml", node);
  const std::size_t before = world.starts().size();
  EXPECT_TRUE(wait_until([&] { return world.starts().size() >= before + 2; }));
}

TEST(NodeFiles, a_doubtful_one_is_told_when_it_is_read_again_too) {
  World world;
  world.write("jobs.yaml", a_job(world.telling()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("ready"));
  world.write("jobs.yaml", "jobs:\n  job:\n    schedule: \"*/70 * * * *\"\n    run: \"true\"\n");
  EXPECT_TRUE(node.says("warning: "));
  EXPECT_TRUE(node.says("generation=2"));
}

TEST(NodeFiles, one_with_a_number_that_is_removed_leaves_no_jobs) {
  World world;
  std::filesystem::create_directory(world.path("jobs"));
  world.write("jobs/kept.yaml", a_job(world.telling()));
  world.write("jobs/other.yaml",
              "source: other\ngeneration: 5\njobs:\n  gone:\n    schedule: \"@daily\"\n"
              "    run: \"true\"\n");
  NodeProcess& node = world.start("a", {world.path("jobs")});
  EXPECT_TRUE(node.says("registered source=other jobs=1 generation=5"));
  std::filesystem::remove(world.path("jobs/other.yaml"));
  EXPECT_TRUE(node.says("registered source=other jobs=0 generation=6"));
}

// As Kubernetes changes the files of a ConfigMap: one link, through which all are read.
TEST(NodeFiles, those_of_a_config_map_are_read_again) {
  World world;
  for (const char* name : {"map", "map/..1", "map/..2"}) {
    std::filesystem::create_directory(world.path(name));
  }
  world.write("map/..1/jobs.yaml", a_job(world.telling()));
  world.write("map/..2/jobs.yaml", a_job("echo other >> " + world.path("witness")));
  std::filesystem::create_directory_symlink("..1", world.path("map/..data"));
  std::filesystem::create_symlink("..data/jobs.yaml", world.path("map/jobs.yaml"));
  NodeProcess& node = world.start("a", {world.path("map")});
  EXPECT_TRUE(world.sees("start"));
  std::filesystem::create_directory_symlink("..2", world.path("map/..data_tmp"));
  std::filesystem::rename(world.path("map/..data_tmp"), world.path("map/..data"));
  EXPECT_TRUE(node.says("generation=2"));
  EXPECT_TRUE(world.sees("other"));
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
