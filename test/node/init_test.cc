// A node as process 1 of a container.
#include <csignal>
#include <fstream>

#include <fmt/format.h>

#include "test/node/keys.h"

namespace cronce::test {
namespace {

/// Runs these words in a pid name space of their own, which ends with it.
NodeProcess start_contained(const World& world, const std::vector<std::string>& words) {
  std::vector<std::string> all{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
  all.insert(all.end(), words.begin(), words.end());
  return {"/usr/bin/unshare", all, world.path("log"), {}};
}

/// As it is seen from here.
pid_t first_process_of(const NodeProcess& container) {
  pid_t first = 0;
  wait_until([&] {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", container.pid()));
    return static_cast<bool>(children >> first);
  });
  return first;
}

/// Its command does not end at TERM, and leaves orphans that end at once.
std::string stubborn(const World& world) {
  return job_each_second(
      "    kill_after: 1s\n",
      world.telling(fmt::format("trap 'echo told >> {0}' TERM; (setsid true &); (setsid true &); "
                                "while grep -qs '^State:.Z' /proc/[0-9]*/status; do sleep 0.05; "
                                "done; echo reaped >> {0}; while :; do sleep 0.05; done",
                                world.path("witness"))));
}

void expect_handed_on(const World& world, NodeProcess& container) {
  ASSERT_TRUE(world.sees("reaped")) << container.log();
  kill(first_process_of(container), SIGTERM);
  EXPECT_EQ(container.end(), 0) << container.log();
  EXPECT_TRUE(world.sees("told"));
  ASSERT_EQ(world.starts().size(), 1U);
  const auto rows = rows_of(world, world.starts().front().slot);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].state, RunState::cancelled);
  EXPECT_EQ(rows[0].reason, Reason::drain);
  EXPECT_EQ(rows[0].exit_code, 128 + SIGKILL);
}

TEST(NodeInit, F4_hands_term_on_kills_in_time_reaps_and_records_the_end) {
  World world;
  world.write("jobs.yaml", stubborn(world));
  NodeProcess container = start_contained(
      world, {CRONCE_PROGRAM, "run", "--store", world.store, "--state", world.path("state"),
              "--lease", "3s", "--drain", "0s", world.path("jobs.yaml")});
  expect_handed_on(world, container);
}

/// One that stays process 1 keeps every signal to itself, and no child can hear of it.
TEST(NodeInit, F4_is_the_same_under_a_shell_that_becomes_the_node) {
  World world;
  world.write("jobs.yaml", stubborn(world));
  NodeProcess container = start_contained(
      world,
      {"/bin/sh", "-c",
       fmt::format("exec {} run --store {} --state {} --lease 3s --drain 0s {}", CRONCE_PROGRAM,
                   world.store, world.path("state"), world.path("jobs.yaml"))});
  expect_handed_on(world, container);
}

}  // namespace
}  // namespace cronce::test
