// What must outlive a node: ends of runs while the store is away, and logs.
#include <sqlite3.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "node/settings.h"
#include "test/node/world.h"

namespace cronce::test {
namespace {

/// Those that are whole.
bool spool_has_files(const World& world) {
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(world.path("state/spool"), failed)) {
    if (file.path().extension() != ".draft") return true;
  }
  return false;
}

TEST(NodeDisk, an_end_that_no_node_could_report_is_reported_by_the_next) {
  World world;
  const std::string gate = world.path("gate");
  world.write("jobs.yaml",
              fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n",
                          world.telling(
                              fmt::format("until [ -e {} ]; do sleep 0.05; done; exit 7", gate))));
  NodeProcess& first = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(world.sees("start"));
  {
    const Descriptor lock = world.lock_store();
    world.write("gate", "");
    first.send(SIGKILL);
    EXPECT_EQ(first.end(), 128 + SIGKILL);
    EXPECT_TRUE(wait_until([&] { return spool_has_files(world); }));
  }
  world.write("none.yaml", "jobs: {}\n");
  NodeProcess& second = world.start("a", {world.path("none.yaml"), "--source", "other"});
  EXPECT_TRUE(second.says("reporting a run of a former node: failed: exit"));
  EXPECT_TRUE(wait_until([&] { return !spool_has_files(world); }));
  bool found = false;
  for (const auto& run : world.runs()) found = found || run.exit_code == 7;
  EXPECT_TRUE(found);
}

// Node and keeper are dead, and the one has kept what the other could not tell: that comes first.
TEST(NodeDisk, an_end_is_reported_before_its_node_is_ended) {
  World world;
  world.lease = "60s";  // the keeper must not end the other run by itself
  const std::string gate = world.path("gate");
  const auto job = [&](const std::string& name, const std::string& rest) {
    return fmt::format(
        "  {}:\n    schedule: \"* * * * * *\"\n    on_lost: rerun\n    run: \"{}\"\n", name,
        world.telling(rest));
  };
  world.write("jobs.yaml",
              "jobs:\n" + job("ends", fmt::format("until [ -e {} ]; do sleep 0.05; done", gate)) +
                  job("goes-on", "sleep 1000"));
  NodeProcess& first = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(world.sees("start ends"));
  ASSERT_TRUE(world.sees("start goes-on"));
  const auto keepers = first.keepers();
  {
    const Descriptor lock = world.lock_store();
    world.write("gate", "");
    first.send(SIGKILL);
    EXPECT_EQ(first.end(), 128 + SIGKILL);
    EXPECT_TRUE(wait_until([&] { return spool_has_files(world); }));
    for (const pid_t keeper : keepers) kill(keeper, SIGKILL);
    EXPECT_TRUE(wait_until([&] { return std::none_of(keepers.begin(), keepers.end(), is_alive); }));
  }
  world.write("none.yaml", "jobs: {}\n");
  const NodeProcess& second = world.start("a", {world.path("none.yaml"), "--source", "other"});
  EXPECT_TRUE(second.says("ended a former node of this machine lost=1"));
  std::map<RunState, int> states;
  for (const auto& run : world.runs()) {
    ++states[run.state];
    EXPECT_NE(run.reason, Reason::late);
  }
  EXPECT_EQ(states[RunState::succeeded], 1);
  EXPECT_EQ(states[RunState::lost], 1);
}

/// While it lives, a tool has the store's file for itself.
class SqliteTool {
 public:
  explicit SqliteTool(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK);
    EXPECT_TRUE(wait_until([&] {
      return sqlite3_exec(handle_, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK;
    }));
  }
  ~SqliteTool() { sqlite3_close(handle_); }
  SqliteTool(const SqliteTool&) = delete;
  SqliteTool& operator=(const SqliteTool&) = delete;

 private:
  sqlite3* handle_ = nullptr;
};

TEST(NodeDisk, a_failure_of_the_store_that_comes_back_is_told_again) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  const NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  const auto counts = [&](const std::string& text, std::size_t count) {
    return wait_until([&] {
      const std::string log = node.log();
      std::size_t found = 0;
      for (std::size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) ++found;
      return found >= count;
    });
  };
  EXPECT_TRUE(counts("registered", 1));
  for (const std::size_t times : {1U, 2U}) {
    {
      const SqliteTool tool(world.path("store/cronce.db"));
      EXPECT_TRUE(counts("the store failed: ", times));
    }
    EXPECT_TRUE(counts("the store answers again", times));
  }
}

TEST(NodeDisk, the_whole_output_is_beside_the_store) {
  World world;
  world.write("jobs.yaml",
              fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n",
                          world.telling("echo some output")));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("succeeded slot=job@"));
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  const Places places{world.store, world.path("state")};
  std::size_t with_output = 0;
  for (const auto& run : world.runs()) {
    std::ifstream log(run_log_path(places, run.id));
    std::string line;
    if (std::getline(log, line) && line == "some output") ++with_output;
  }
  EXPECT_GE(with_output, 1U);
}

}  // namespace
}  // namespace cronce::test
