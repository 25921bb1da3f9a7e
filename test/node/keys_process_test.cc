// Keys of the job file that say how a command is run, each on a real node.
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "test/node/keys.h"
#include "test/node/steer.h"

namespace cronce::test {
namespace {

/// The last attempt of the one run that a person asks for.
Row run_on_request(World& world, const std::string& keys, const std::string& command) {
  world.write("jobs.yaml", job_on_request(keys, command));
  start_ready(world, "a");
  const auto said = world.command({"trigger", "job", "--wait"});
  const auto runs = world.runs();
  EXPECT_FALSE(runs.empty()) << said.text;
  const auto last = std::max_element(runs.begin(), runs.end(), [](const Row& a, const Row& b) {
    return a.id.attempt < b.id.attempt;
  });
  return last == runs.end() ? Row{} : *last;
}

std::string output_of(World& world, const std::string& keys, const std::string& command) {
  const Row run = run_on_request(world, keys, command);
  EXPECT_EQ(run.state, RunState::succeeded);
  return run.output_tail;
}

TEST(NodeKeys, env_joins_that_of_the_node_less_its_secrets) {
  World world;
  world.write("jobs.yaml", job_on_request("    env: { MODE: full, EMPTY: \"\" }\n",
                                          "echo $MODE ${EMPTY-unset} $KEPT ${PGPASSWORD-none}"));
  NodeProcess& node =
      world.start("a", {world.path("jobs.yaml")},
                  {{"MODE", "of-the-node"}, {"KEPT", "of-the-node"}, {"PGPASSWORD", "secret"}});
  ASSERT_TRUE(node.says("ready"));
  expect_said(world.command({"trigger", "job", "--wait"}), 0, "full of-the-node none\n");
}

TEST(NodeKeys, cwd_is_seen_from_the_job_file) {
  World world;
  std::filesystem::create_directory(world.path("below"));
  EXPECT_EQ(output_of(world, "    cwd: below\n", "pwd -P"),
            std::filesystem::canonical(world.path("below")).string() + "\n");
}

TEST(NodeKeys, umask_is_set) {
  World world;
  EXPECT_EQ(output_of(world, "    umask: \"027\"\n", "umask"), "0027\n");
}

TEST(NodeKeys, nice_is_added_to_that_of_the_node) {
  World world;
  const int own = getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(output_of(world, "    nice: 3\n", "nice"), fmt::format("{}\n", std::min(own + 3, 19)));
}

TEST(NodeKeys, limits_are_set) {
  World world;
  const std::string all = output_of(
      world, "    limits: { nofile: 77, cpu: 600s, memory: 1GiB, processes: 5000, core: 0 }\n",
      "cat /proc/self/limits");
  for (const char* line : {"Max open files            77                   77 ",
                           "Max cpu time              600                  600 ",
                           "Max address space         1073741824           1073741824 ",
                           "Max processes             5000                 5000 ",
                           "Max core file size        0                    0 "}) {
    EXPECT_NE(all.find(line), std::string::npos) << line << "\n" << all;
  }
}

/// Without the rights of root one can only stay who one is.
TEST(NodeKeys, user_is_whom_it_runs_as) {
  World world;
  const passwd* user = geteuid() == 0 ? getpwnam("nobody") : getpwuid(geteuid());
  ASSERT_NE(user, nullptr);
  const std::string name = user->pw_name;
  const std::string expected = fmt::format("{} {} {} {}\n", user->pw_uid, user->pw_gid, name, name);
  EXPECT_EQ(output_of(world, fmt::format("    user: {}\n    cwd: /\n", name),
                      "echo $(id -u) $(id -g) $LOGNAME $(id -un)"),
            expected);
}

TEST(NodeKeys, output_is_kept_from_its_end) {
  World world;
  const std::string kept = output_of(world, "    output: { keep: 1KiB }\n", "seq 10000");
  EXPECT_TRUE(kept.ends_with("9999\n10000\n")) << kept;
  EXPECT_NE(kept.find(" bytes left out]\n"), std::string::npos) << kept;
  const std::size_t rest = kept.size() - kept.find('\n') - 1;
  EXPECT_LE(rest, 1'024U);
  EXPECT_GT(rest, 1'000U);
}

TEST(NodeKeys, kill_after_is_from_term_to_kill) {
  World world;
  const Row run = run_on_request(world, "    timeout: 2s\n    kill_after: 700ms\n",
                                 "trap 'echo told' TERM; while :; do sleep 0.05; done");
  EXPECT_EQ(run.state, RunState::timed_out);
  EXPECT_EQ(run.exit_code, 128 + SIGKILL);
  EXPECT_NE(run.output_tail.find("told\n"), std::string::npos) << run.output_tail;
  EXPECT_GE(run.finished_at.value() - run.started_at.value(), Duration{2'700});
}

/// With the last failure of an attempt the next one would be recorded in the same step.
TEST(NodeKeys, retries_are_attempts_under_one_key_and_have_an_end) {
  World world;
  const Row last = run_on_request(
      world, "    retries: { max: 2, backoff: 100ms, factor: 3, jitter: 0% }\n",
      fmt::format("echo ran $CRONCE_KEY $CRONCE_ATTEMPT >> {}; exit 3", world.path("witness")));
  EXPECT_EQ(last.id.attempt, Attempt{3});
  EXPECT_EQ(last.state, RunState::failed);
  EXPECT_EQ(last.reason, Reason::retries_exhausted);
  EXPECT_EQ(last.exit_code, 3);
  const auto runs = world.runs();
  EXPECT_EQ(runs.size(), 3U);
  for (const Row& run : runs) {
    EXPECT_EQ(run.key, last.key);
    if (run.id == last.id) continue;
    EXPECT_EQ(run.reason, Reason::exit) << run.id.attempt.value;
  }
  const auto lines = world.lines();
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lines[i], fmt::format("ran {} {}", last.key, i + 1));
  }
  EXPECT_GE(last.started_at.value() - runs.back().finished_at.value(), Duration{400})
      << "100 ms, and three times that";
}

}  // namespace
}  // namespace cronce::test
