// What must outlive a node: ends of runs while the store is away, and logs.
#include <sqlite3.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "node/settings.h"
#include "test/node/world.h"

namespace cronce::test {
namespace {

bool spool_has_files(const World& world) {
  std::error_code failed;
  return !std::filesystem::is_empty(world.path("state/spool"), failed) && !failed;
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
