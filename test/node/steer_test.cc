// People steer jobs while nodes are at work, and while they die.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "test/node/world.h"

namespace cronce::test {
namespace {

using Said = World::Said;

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

std::size_t count_lines(const World& world, const std::string& beginning) {
  const auto lines = world.lines();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [&](const std::string& line) { return line.starts_with(beginning); }));
}

void expect_said(const Said& said, int exit_code, const std::string& text) {
  EXPECT_EQ(said.exit_code, exit_code) << said.text;
  EXPECT_NE(said.text.find(text), std::string::npos) << said.text;
}

NodeProcess& start_ready(World& world, const std::string& name) {
  NodeProcess& node = world.start(name, {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("ready"));
  return node;
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

/// Each is asked for right after a beat, and without hints would start with the next one, five
/// seconds later.
TEST(NodeSteer, nodes_act_on_a_word_without_waiting_for_their_beat) {
  constexpr std::size_t kRequests = 8;
  World world;
  world.lease = "60s";
  world.write("jobs.yaml", by_hand(witness(world)));
  start_ready(world, "a");
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 1; i <= kRequests; ++i) {
    expect_said(world.command({"trigger", "job"}), 0, "asked for");
    ASSERT_TRUE(wait_until([&] { return count_lines(world, "ran ") == i; }));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
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
  EXPECT_TRUE(world.sees("ran job/a@manual/r1") || world.sees("ran job@manual/r1"));
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
  const std::string pid = fmt::format(">> {}", world.path("witness"));
  world.write("jobs.yaml",
              by_hand(fmt::format("trap : TERM; setsid sleep 1000 & echo pid $! {0}; "
                                  "(trap '' TERM; sleep 1000) & echo pid $! {0}; echo pid $$ {0}; "
                                  "echo ran {0}; while :; do wait; done",
                                  pid),
                      "    kill_after: 1s\n    retries: 3\n"));
  start_ready(world, "a");
  expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0, "asked for");
  ASSERT_TRUE(world.sees("ran"));
  expect_said(world.command({"cancel", "job", "--note", "wrong month"}), 0, "a is told to stop it");
  ASSERT_TRUE(world.has_run([](const auto& run) { return run.state == RunState::cancelled; }));
  for (const std::string& line : world.lines()) {
    if (line.starts_with("pid ")) {
      EXPECT_FALSE(is_alive(static_cast<pid_t>(std::stol(line.substr(4))))) << line;
    }
  }
  EXPECT_EQ(count_lines(world, "pid "), 3U);
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

// ---- pause, resume, backfill

/// They may overlap: what is asked for does not wait for the slots of each second.
std::string every_second(const World& world) {
  return fmt::format(
      "jobs:\n  job:\n    schedule: \"* * * * * *\"\n    catch_up: all\n    overlap: allow\n"
      "    run: \"{}\"\n",
      world.telling(
          fmt::format("echo key $CRONCE_KEY $CRONCE_ATTEMPT >> {}", world.path("witness"))));
}

/// How many slots were settled for that reason, and in how many rows.
struct Skipped {
  std::int64_t slots = 0;
  std::size_t rows = 0;
  Time first = kMaxTime;
  Time last = kMinTime;
};
Skipped skipped_for(const World& world, Reason reason) {
  Skipped found;
  for (const Run& run : world.runs()) {
    if (run.reason != reason) continue;
    found.slots += run.count;
    ++found.rows;
    found.first = std::min(found.first, run.id.slot);
    found.last = std::max(found.last, run.slot_to.value_or(run.id.slot));
  }
  return found;
}

TEST(NodeSteer, what_a_pause_covered_is_not_caught_up_and_is_run_by_a_backfill) {
  World world;
  world.write("jobs.yaml", every_second(world));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(2));
  expect_said(world.command({"pause", "job", "--note", "the disk moves"}), 0, "job is paused");
  ASSERT_TRUE(wait_until([&] { return skipped_for(world, Reason::paused).slots >= 3; }));
  const std::size_t before = world.starts().size();
  expect_said(world.command({"resume", "job"}), 0, "goes on from now");
  ASSERT_TRUE(wait_until([&] { return world.starts().size() >= before + 3; }));
  const Skipped paused = skipped_for(world, Reason::paused);
  for (const Start& start : world.starts()) {
    EXPECT_TRUE(start.slot < paused.first || start.slot > paused.last) << print(start.slot);
  }
  EXPECT_EQ(paused.slots, (paused.last - paused.first) / Seconds{1} + 1) << "none is unaccounted";
  world.expect_once();
  const std::string slot = print(paused.first);
  expect_said(world.command({"why", "job", slot}), 0, "by anna@desk: the disk moves");

  expect_said(world.command({"backfill", "job", slot}), 0, "asked for");
  EXPECT_TRUE(world.sees(fmt::format("key job@{} 2", slot))) << "the slot's own key";
  const std::string ran = print(world.starts().front().slot);
  expect_said(world.command({"backfill", "job", ran}), 75, "--again");
  expect_said(world.command({"backfill", "job", ran, "--again"}), 0, "again");
  EXPECT_TRUE(world.sees(fmt::format("key job@{}+2 2", ran))) << "a new key";
  EXPECT_EQ(count_lines(world, fmt::format("start job {} ", ran)), 2U);
}

TEST(NodeSteer, a_pause_ends_by_itself) {
  World world;
  world.write("jobs.yaml", every_second(world));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(1));
  expect_said(world.command({"pause", "--all", "--until", "2s"}), 0, "job is paused until");
  ASSERT_TRUE(wait_until([&] { return skipped_for(world, Reason::paused).slots > 0; }));
  const std::size_t before = world.starts().size();
  EXPECT_TRUE(wait_until([&] { return world.starts().size() > before; }));
  expect_said(world.command({"resume", "job"}), 0, "is not paused");
  world.expect_once();
}

// ---- retire, recede

/// A living node would bring the job back with its next start: what is neither here nor there is
/// refused. When nobody has the file, the job ends; with the file it comes back, from then on.
TEST(NodeSteer, a_retired_job_comes_back_with_its_file_and_goes_on_from_then) {
  World world;
  world.write("jobs.yaml", every_second(world));
  NodeProcess& first = start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(1));
  expect_said(world.command({"recede", "job"}), 0, "need not recede");
  expect_said(world.command({"retire", "job"}), 75, "jobs.yaml still defines it, for a");
  first.send(SIGTERM);
  EXPECT_EQ(first.end(), 0);
  expect_said(world.command({"retire", "job", "--note", "its host is gone"}), 0, "job is retired");
  expect_said(world.command({"retire", "job"}), 0, "is retired already");
  expect_said(world.command({"trigger", "job"}), 66, "the job is retired");
  const std::size_t before = world.starts().size();
  const Time retired = system_clock().wall();
  const Time away = retired + Seconds{2};  // slots that nobody has, though it would catch up all
  ASSERT_TRUE(wait_until([&] { return system_clock().wall() > away; }));
  start_ready(world, "b");
  ASSERT_TRUE(wait_until([&] { return world.starts().size() > before + 1; }));
  for (std::size_t i = before; i < world.starts().size(); ++i) {
    EXPECT_GT(world.starts()[i].slot, away) << "nothing of the time between";
  }
  expect_said(world.command({"show", "job"}), 0, "by anna@desk: its host is gone");
  world.expect_once();
}

}  // namespace
}  // namespace cronce::test
