// A disk that hangs: the process that writes to it stands still, and nothing else does.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "keeper/spool.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Disk : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(wait_until([&] {
      const auto scribes = below(getpid(), "cronce-scribe");
      if (!scribes.empty()) scribe_ = scribes[0];
      return !scribes.empty();
    }));
    kill(scribe_, SIGSTOP);
  }
  void TearDown() override { kill(scribe_, SIGCONT); }

  World world_{GetParam()};
  pid_t scribe_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Keeper, Disk, testing::Bool(), mode_name);

TEST_P(Disk, that_hangs_keeps_no_run_alive) {
  Witness witness(world_.folder.path() + "/witness");
  Start start = order(
      1, {"/bin/sh", "-c", "exec 5>" + witness.path() + "; printf x >&5; exec cat /dev/zero"});
  start.log_path = world_.folder.path() + "/log";
  start.timeout = Duration{1'500};
  world_.keeper.start(start);
  ASSERT_TRUE(witness.sees_begin());
  world_.keeper.start(order(2, {"true"}));
  EXPECT_EQ(world_.events.end(2).state, RunState::succeeded);
  EXPECT_EQ(world_.events.end(1).state, RunState::timed_out);
  EXPECT_TRUE(witness.sees_end());
}

TEST_P(Disk, that_hung_for_a_while_has_every_line_in_the_end) {
  Start start = order(1, {"/bin/sh", "-c", "seq 1 400000"});  // more than anybody has room for
  start.log_path = world_.folder.path() + "/log";
  world_.keeper.start(start);
  ASSERT_NE(world_.events.started(1), nullptr);
  kill(scribe_, SIGCONT);
  EXPECT_EQ(world_.events.end(1).state, RunState::succeeded);
  std::ostringstream expected;
  for (int i = 1; i <= 400'000; ++i) expected << i << '\n';
  EXPECT_TRUE(wait_until([&] { return file_text(start.log_path) == expected.str(); }));
}

class StuckDisk : public Disk {};
INSTANTIATE_TEST_SUITE_P(Keeper, StuckDisk, testing::Values(false), mode_name);

/// The command waits for five seconds, and not for ever.
TEST_P(StuckDisk, costs_a_part_of_the_log_and_the_log_says_how_much) {
  Start start = order(1, {"/bin/sh", "-c", "seq 1 400000"});
  start.log_path = world_.folder.path() + "/log";
  world_.keeper.start(start);
  EXPECT_EQ(world_.events.end(1).state, RunState::succeeded);
  kill(scribe_, SIGCONT);
  std::string whole;
  for (int i = 1; i <= 400'000; ++i) whole += std::to_string(i) + '\n';
  std::string text;
  ASSERT_TRUE(wait_until([&] {
    text = file_text(start.log_path);
    return text.ends_with("stuck]\n");
  }));
  const std::size_t kept = text.rfind("\n[");
  EXPECT_EQ(text, fmt::format("{}\n[{} bytes left out: the disk was stuck]\n",
                              whole.substr(0, kept), whole.size() - kept));
}

TEST_P(Disk, that_hangs_delays_the_spool_and_no_end) {
  world_.events.stores = false;
  world_.keeper.start(order(1, {"true"}));
  EXPECT_EQ(world_.events.end(1).state, RunState::succeeded);
  const Spool spool(world_.settings.spool_folder());
  EXPECT_TRUE(spool.read_all(store(), "test").value().ends.empty());
  kill(scribe_, SIGCONT);
  EXPECT_TRUE(wait_until([&] { return spool.read_all(store(), "test").value().ends.size() == 1; }));
}

/// What was given to a scribe is written, however many keepers die meanwhile.
TEST_P(Disk, that_hangs_longer_than_two_keepers_live_has_all_in_the_end) {
  Start start = order(1, {"echo", "x"});
  start.log_path = world_.folder.path() + "/log";
  world_.keeper.start(start);
  EXPECT_EQ(world_.events.end(1).output_tail, "x\n");  // told after the scribe
  for (const int deaths : {1, 2}) {
    kill(world_.keeper.pid(), SIGKILL);
    ASSERT_TRUE(world_.events.wait([&] { return world_.events.replaced == deaths; }));
    ASSERT_TRUE(world_.events.wait([&] { return world_.keeper.pid() != 0; }));
  }
  kill(scribe_, SIGCONT);
  EXPECT_TRUE(wait_until([&] { return file_text(start.log_path) == "x\n"; }));
}

/// As often as it takes, for as long as there is a node.
TEST(FullDisk, is_asked_again_until_it_takes_the_end) {
  World world(false, [](KeeperSettings& settings) { settings.spool_after = Duration{10}; });
  world.events.stores = false;
  const std::string folder = world.settings.spool_folder();
  std::filesystem::remove(folder);
  std::ofstream(folder) << "no folder";
  world.keeper.start(order(1, {"true"}));
  EXPECT_EQ(world.events.end(1).state, RunState::succeeded);
  ASSERT_TRUE(world.events.wait([&] { return world.events.remarks.size() > 20; }));
  std::filesystem::remove(folder);
  EXPECT_TRUE(
      wait_until([&] { return Spool(folder).read_all(store(), "test").value().ends.size() == 1; }));
}

}  // namespace
}  // namespace cronce::test
