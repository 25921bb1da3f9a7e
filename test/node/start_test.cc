// How a node begins, or refuses to.
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/clock.h"
#include "test/node/world.h"

namespace cronce::test {
namespace {

TEST(NodeStart, refuses_a_broken_job_file) {
  World world;
  world.write("jobs.yaml", "jobs: [\n");
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_EQ(node.end(), 65);
  EXPECT_NE(node.log().find("jobs.yaml:"), std::string::npos);
}

TEST(NodeStart, refuses_what_is_no_store) {
  World world;
  std::ofstream(world.path("store/cronce.db")) << "this is a letter to my aunt, and no database\n";
  world.write("jobs.yaml", "jobs: {}\n");
  EXPECT_EQ(world.start("a", {world.path("jobs.yaml")}).end(), 77);
}

TEST(NodeStart, refuses_what_is_no_address_of_a_store) {
  for (const char* address : {"carrier-pigeon:", "sqlite:"}) {
    World world;
    world.write("jobs.yaml", "jobs: {}\n");
    world.store = address;
    EXPECT_EQ(world.start("a", {world.path("jobs.yaml")}).end(), 78) << address;
  }
}

TEST(NodeStart, says_that_its_name_cannot_be_taken) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  std::filesystem::create_directory(world.path("state"));
  std::ofstream(world.path("state/nodes")) << "in the way\n";
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_EQ(node.end(), 77);
  EXPECT_TRUE(node.says("cronce: run: cannot take the name 'a': "));
}

TEST(NodeStart, makes_the_folder_of_the_default_store) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  NodeProcess& node = world.start_default({world.path("jobs.yaml"), "--once-until-idle"},
                                          {{"XDG_STATE_HOME", world.path("fresh/state")}});
  EXPECT_EQ(node.end(), 0);
  EXPECT_TRUE(std::filesystem::exists(world.path("fresh/state/cronce/cronce.db")));
}

// A path that is not right must not become a new, empty store.
TEST(NodeStart, makes_no_folder_for_a_store_that_was_named) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  world.store = "sqlite:" + world.path("typo/cronce.db");
  EXPECT_NE(world.start("a", {world.path("jobs.yaml")}).end(), 0);
  EXPECT_FALSE(std::filesystem::exists(world.path("typo")));
}

// Not again by the next process, nor if its state was lost: the store knows the boot.
TEST(NodeStart, runs_what_a_crontab_says_of_a_boot_once) {
  World world;
  world.write("crontab", "CRON_TZ=UTC\n@reboot " + world.telling() + "\n");
  const std::vector<std::string> arguments{world.path("crontab")};
  for (const bool state_is_lost : {false, false, true}) {
    if (state_is_lost) std::filesystem::remove_all(world.path("state/boots"));
    NodeProcess& node = world.start("a", arguments);
    EXPECT_TRUE(world.sees_slots(1));
    EXPECT_TRUE(node.says("registered"));
    EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(world.path("state/boots")); }));
    node.send(SIGTERM);
    EXPECT_EQ(node.end(), 0);
  }
  EXPECT_EQ(world.starts().size(), 1U);
}

TEST(NodeStart, gives_a_second_node_of_a_name_another_one) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  EXPECT_TRUE(world.start("a", {world.path("jobs.yaml")}).says("ready node=a "));
  EXPECT_TRUE(world.start("a", {world.path("jobs.yaml")}).says("ready node=a-2 "));
}

/// Has read its file, about which there is something to say, and waits for the store.
NodeProcess& start_without_store(World& world, const std::vector<std::string>& flags = {}) {
  world.write("jobs.yaml", "jobs:\n  odd:\n    schedule: \"*/70 * * * *\"\n    run: \"true\"\n");
  std::vector<std::string> arguments{world.path("jobs.yaml")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  NodeProcess& node = world.start("a", arguments);
  EXPECT_TRUE(node.says("jobs.yaml:3"));
  return node;
}

TEST(NodeStart, sees_a_file_that_changes_while_the_store_is_away) {
  World world;
  world.runs();  // makes the store
  {
    const Descriptor lock = world.lock_store();
    start_without_store(world);
    world.write("jobs.yaml",
                fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n",
                            world.telling()));
  }
  EXPECT_TRUE(world.sees("start"));
}

TEST(NodeStart, reads_its_files_again_at_a_hangup_that_came_too_early) {
  World world;
  world.runs();
  std::optional<Descriptor> lock = world.lock_store();
  NodeProcess& node = start_without_store(world, {"--no-watch"});
  node.send(SIGHUP);
  lock.reset();
  EXPECT_TRUE(node.says("ready"));
  EXPECT_TRUE(node.says("the job files were read again"));
}

TEST(NodeStart, tells_its_supervisor) {
  World world;
  world.write("jobs.yaml", "jobs: {}\n");
  const Descriptor listener(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = world.path("notify");
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const timeval most{patience().count(), 0};
  setsockopt(listener.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  const auto hear = [&](const std::string& word) {
    for (;;) {
      std::array<char, 256> room{};
      const auto size = recv(listener.get(), room.data(), room.size(), 0);
      if (size <= 0) return false;
      if (std::string(room.data(), static_cast<std::size_t>(size)) == word) return true;
    }
  };
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")},
                                  {{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "200000"}});
  EXPECT_TRUE(hear("READY=1"));
  EXPECT_TRUE(hear("WATCHDOG=1"));
  node.send(SIGTERM);
  EXPECT_TRUE(hear("STOPPING=1"));
  EXPECT_EQ(node.end(), 0);
}

TEST(NodeStart, runs_what_is_due_and_leaves) {
  World world;
  world.write("jobs.yaml",
              fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n",
                          world.telling()));
  EXPECT_EQ(world.start("a", {world.path("jobs.yaml"), "--once-until-idle"}).end(), 0);
  const Time then = cronce::system_clock().wall();
  EXPECT_TRUE(wait_until([&] { return cronce::system_clock().wall() > then + Seconds{1}; }));
  EXPECT_EQ(world.start("a", {world.path("jobs.yaml"), "--once-until-idle"}).end(), 0);
  EXPECT_FALSE(world.starts().empty());
  EXPECT_GE(world.starts().back().slot, then - Seconds{1}) << "the newest that was owed";
  world.expect_once();
}

}  // namespace
}  // namespace cronce::test
