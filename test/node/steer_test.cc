// People start and stop runs while nodes are at work, and while they die.
#include "test/node/steer.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

namespace cronce::test {
namespace {

/// A job that only a person starts, and what else its file says.
std::string by_hand(const std::string& command, const std::string& keys = "") {
  return fmt::format("jobs:\n  job:\n    schedule: \"0 0 1 1 *\"\n    run: \"{}\"\n{}", command,
                     keys);
}

/// Says which run it is, then does `rest`.
std::string witness(const World& world, const std::string& rest = "true") {
  return fmt::format("echo ran $CRONCE_KEY $CRONCE_ATTEMPT $CRONCE_NODE >> {}; {}",
                     world.path("witness"), rest);
}

bool all_ended(const World& world, std::size_t count) {
  const auto runs = world.runs();
  return runs.size() == count && std::all_of(runs.begin(), runs.end(), [](const auto& run) {
           return run.state == RunState::succeeded;
         });
}

// ---- trigger

TEST(NodeSteer, trigger_waits_for_the_end_and_ends_as_the_run_does) {
  World world;
  world.write("jobs.yaml", by_hand(witness(world, "echo in mode $MODE; eval \\\"$DO\\\""),
                                   "    timeout: 1s\n    kill_after: 1s\n"));
  start_ready(world, "a");
  const auto run = [&](const std::string& what) {
    return world.command({"trigger", "job", "--wait", "--env", "MODE=full", "--env", "DO=" + what});
  };
  expect_said(run("true"), 0, "in mode full\n");
  expect_said(run("exit 7"), 7, " failed: exit\n");
  expect_said(run("sleep 1000"), 124, " timed_out\n");
  EXPECT_EQ(count_lines(world, "ran "), 3U);
}

/// A hint that got lost costs a beat, and nothing else: the file that the node watches is another.
TEST(NodeSteer, a_request_is_heard_without_a_hint_too) {
  World world;
  world.write("jobs.yaml", by_hand(witness(world)));
  start_ready(world, "a");
  std::filesystem::remove(world.path("store/cronce.db-hint"));
  expect_said(world.command({"trigger", "job", "--wait"}), 0, "succeeded");
}

/// Each is asked for right after a beat of a node that has nothing to do, and without hints would
/// start with the next one, five seconds later.
TEST(NodeSteer, nodes_act_on_a_word_without_waiting_for_their_beat) {
  constexpr std::size_t kRequests = 3;
  World world;
  world.lease = "60s";
  world.write("jobs.yaml", by_hand(witness(world)));
  start_ready(world, "a");
  std::chrono::steady_clock::duration waited{};
  for (std::size_t i = 1; i <= kRequests; ++i) {
    const std::uint64_t beats = beats_so_far(world);
    ASSERT_TRUE(wait_until([&] { return beats_so_far(world) > beats; }));
    const auto begin = std::chrono::steady_clock::now();
    expect_said(world.command({"trigger", "job"}), 0, "asked for");
    ASSERT_TRUE(wait_until([&] { return count_lines(world, "ran ") == i; }));
    waited += std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(wait_until([&] { return all_ended(world, i); }));
  }
  EXPECT_LT(waited, std::chrono::seconds{10});
}

TEST(NodeSteer, one_request_is_one_run_though_its_node_is_killed) {
  World world;
  world.write("jobs.yaml", by_hand(witness(world, "sleep 1000")));
  NodeProcess& first = start_ready(world, "a");
  expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0, "asked for");
  ASSERT_TRUE(world.sees("ran job@manual/r1 "));
  first.send(SIGKILL);
  first.end();
  expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0, "was asked for before");
  start_ready(world, "b");
  // Its keeper ended it, and the next node tells.
  expect_said(world.command({"trigger", "job", "--request-id", "r1", "--wait"}), 128 + SIGTERM,
              "failed: signal");
  // Another request is another run: this node would have started the first one again.
  expect_said(world.command({"trigger", "job", "--request-id", "r2"}), 0, "asked for");
  ASSERT_TRUE(world.sees("ran job@manual/r2 "));
  EXPECT_EQ(count_lines(world, "ran job@manual/r1 "), 1U);
}

TEST(NodeSteer, a_request_that_nobody_hears_waits_and_starts_once) {
  World world;
  world.write("jobs.yaml", by_hand(witness(world)));
  NodeProcess& first = start_ready(world, "a");
  first.send(SIGTERM);
  EXPECT_EQ(first.end(), 0);
  for (int i = 0; i < 2; ++i) {
    expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0,
                "no living node may run it");
  }
  start_ready(world, "b");
  expect_said(world.command({"trigger", "job", "--request-id", "r1", "--wait"}), 0, "succeeded");
  expect_said(world.command({"trigger", "job", "--request-id", "r2", "--wait"}), 0, "succeeded");
  EXPECT_EQ(count_lines(world, "ran job@manual/r1 "), 1U);
}

TEST(NodeSteer, who_stops_waiting_does_not_stop_the_run) {
  World world;
  const std::string gate = world.path("gate");
  world.write("jobs.yaml",
              by_hand(witness(world, fmt::format("until [ -e {} ]; do sleep 0.05; done", gate))));
  start_ready(world, "a");
  NodeProcess& waiting = world.start_command({"trigger", "job", "--wait", "--request-id", "r1"});
  ASSERT_TRUE(world.sees("ran "));
  ASSERT_TRUE(waiting.says("asked for"));
  waiting.send(SIGINT);
  EXPECT_EQ(waiting.end(), 128 + SIGINT);
  EXPECT_NE(waiting.log().find("stopped waiting; the run goes on"), std::string::npos);
  world.write("gate", "");
  expect_said(world.command({"trigger", "job", "--wait", "--request-id", "r1"}), 0, "succeeded");
  EXPECT_EQ(count_lines(world, "ran "), 1U);
}

TEST(NodeSteer, what_runs_everywhere_is_triggered_on_each_node) {
  World world;
  world.write("jobs.yaml", by_hand(witness(world), "    everywhere: true\n"));
  start_ready(world, "a");
  start_ready(world, "b");
  ASSERT_TRUE(wait_until([&] {
    return world.command({"jobs", "job/a"}).exit_code == 0 &&
           world.command({"jobs", "job/b"}).exit_code == 0;
  }));
  expect_said(world.command({"trigger", "job", "--wait", "--request-id", "r1"}), 0, "succeeded");
  for (const char* key : {"ran job/a@manual/r1 1 a", "ran job/b@manual/r1 1 b"}) {
    EXPECT_TRUE(world.sees(key));
  }
  EXPECT_EQ(count_lines(world, "ran "), 2U);
}

TEST(NodeSteer, a_run_reports_its_progress) {
  World world;
  world.write("jobs.yaml", by_hand(fmt::format("{} progress 40 copying", CRONCE_PROGRAM)));
  start_ready(world, "a");
  expect_said(world.command({"trigger", "job", "--wait", "--json"}), 0,
              "\"progress\":\"40 copying\"");
}

// ---- cancel, release

TEST(NodeSteer, cancel_leaves_nothing_of_a_tree) {
  World world;
  const std::string to_witness = fmt::format(">> {}", world.path("witness"));
  world.write("jobs.yaml",
              by_hand(fmt::format("trap : TERM; setsid sleep 1000 & echo pid $! {0}; "
                                  "(trap '' TERM; sleep 1000) & echo pid $! {0}; echo pid $$ {0}; "
                                  "echo ran {0}; while :; do wait; done",
                                  to_witness),
                      "    kill_after: 1s\n    retries: 3\n"));
  start_ready(world, "a");
  expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0, "asked for");
  ASSERT_TRUE(world.sees("ran"));
  std::vector<pid_t> tree;
  for (const std::string& line : world.lines()) {
    if (line.starts_with("pid ")) tree.push_back(static_cast<pid_t>(std::stol(line.substr(4))));
  }
  ASSERT_EQ(tree.size(), 3U);
  for (const pid_t pid : tree) EXPECT_TRUE(is_alive(pid));
  expect_said(world.command({"cancel", "job", "--note", "wrong month"}), 0, "a is told to stop it");
  ASSERT_TRUE(world.has_run([](const auto& run) { return run.state == RunState::cancelled; }));
  for (const pid_t pid : tree) EXPECT_FALSE(is_alive(pid));
  expect_said(world.command({"why", "job", "r1"}), 0, "by anna@desk: wrong month");
  expect_said(world.command({"cancel", "job"}), 66, "nothing runs, and nothing waits");
}

TEST(NodeSteer, a_held_run_starts_when_a_person_says_so) {
  World world;
  world.write("jobs.yaml", by_hand(witness(world, "[ $CRONCE_ATTEMPT -gt 1 ] || sleep 1000"),
                                   "    on_lost: hold\n"));
  NodeProcess& first = start_ready(world, "a");
  expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0, "asked for");
  ASSERT_TRUE(world.sees("ran job@manual/r1 1"));
  kill_with_keepers(first);
  start_ready(world, "b");
  ASSERT_TRUE(world.has_run([](const auto& run) { return run.state == RunState::held; }));
  EXPECT_EQ(count_lines(world, "ran "), 1U);
  expect_said(world.command({"release", "job", "--note", "it did not"}), 0, "released");
  expect_said(world.command({"trigger", "job", "--request-id", "r1", "--wait"}), 0, "succeeded");
  EXPECT_TRUE(world.sees("ran job@manual/r1 2 b"));
  expect_said(world.command({"release", "job"}), 66, "nothing is held");
}

}  // namespace
}  // namespace cronce::test
