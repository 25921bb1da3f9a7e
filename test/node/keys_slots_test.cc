// Keys of the job file that say which slots there are, which of them run and what is kept of them,
// each on a real node.
#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "schedule/schedule.h"
#include "test/node/keys.h"
#include "test/node/steer.h"

namespace cronce::test {
namespace {

std::size_t count_rows(const World& world, RunState state) {
  const auto runs = world.runs();
  return static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const Row& run) { return run.state == state; }));
}

// ---- when

/// The hour of Kathmandu is never that of UTC: there this job would have no slot for hours.
TEST(NodeKeysSlots, timezone_is_that_of_the_fields) {
  constexpr std::chrono::minutes kOffset{5 * 60 + 45};
  World world;
  const auto local = std::chrono::floor<std::chrono::hours>(wall_time() + kOffset);
  const auto hour = (local - std::chrono::floor<std::chrono::days>(local)).count();
  world.write("jobs.yaml",
              fmt::format("jobs:\n  job:\n    schedule: \"* * {},{} * * *\"\n"
                          "    timezone: Asia/Kathmandu\n    run: \"{}\"\n",
                          hour, (hour + 1) % 24,
                          "echo local $CRONCE_SLOT_LOCAL >> " + world.path("witness")));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees("local "));
  EXPECT_TRUE(world.lines().front().ends_with("+05:45")) << world.lines().front();
}

TEST(NodeKeysSlots, jitter_delays_the_start_and_not_the_slot) {
  constexpr Duration kMost{900};
  World world;
  world.write("jobs.yaml", job_each_second("    jitter: 900ms\n",
                                           fmt::format("echo at $CRONCE_SLOT $(date +%s%3N) >> {}",
                                                       world.path("witness"))));
  start_ready(world, "a");
  ASSERT_TRUE(wait_until([&] { return count_lines(world, "at ") >= 2; }));
  for (const std::string& line : world.lines()) {
    std::istringstream words(line);
    std::string word, written;
    std::int64_t began = 0;
    ASSERT_TRUE(words >> word >> written >> began) << line;
    const Time slot = parse_time(written).value();
    EXPECT_EQ(slot, std::chrono::floor<Seconds>(slot));
    const Time due = slot + jitter("job", slot, kMost);
    EXPECT_GE(Time{Duration{began}}, due) << line;
    const auto rows = rows_of(world, slot);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].due, due);
  }
}

/// A neighbour without bounds shows that the node was at work before and after.
TEST(NodeKeysSlots, between_has_no_slots_outside) {
  World world;
  const auto job = [&](const std::string& name, const std::string& keys) {
    return fmt::format(
        "  {}:\n    schedule: \"* * * * * *\"\n    catch_up: all\n    overlap: allow\n{}"
        "    run: \"{}\"\n",
        name, keys, world.telling());
  };
  const Time from = std::chrono::ceil<Seconds>(wall_time()) + Seconds{4};
  const Time to = from + Seconds{2};
  world.write("jobs.yaml", "jobs:\n" + job("always", "") +
                               job("bounded", fmt::format("    between: {{ from: {}, to: {} }}\n",
                                                          print(from), print(to))));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees(fmt::format("start always {} ", print(to + Seconds{1}))));
  ASSERT_TRUE(world.sees(fmt::format("start bounded {} ", print(to))));
  for (const Start& start : world.starts()) {
    if (start.job != "bounded") continue;
    EXPECT_TRUE(start.slot >= from && start.slot <= to) << print(start.slot);
  }
  world.expect_once();
}

TEST(NodeKeysSlots, between_has_so_many_runs_and_no_more) {
  World world;
  world.write("jobs.yaml", job_each_second("    between: { max_runs: 1 }\n", world.telling()));
  start_ready(world, "a");
  ASSERT_TRUE(world.has_run([](const Row& run) { return run.reason == Reason::max_runs; }));
  ASSERT_TRUE(world.sees("start "));
  EXPECT_EQ(world.starts().size(), 1U);
}

TEST(NodeKeysSlots, paused_is_skipped_until_the_file_says_otherwise) {
  World world;
  world.write("jobs.yaml", job_each_second("    paused: true\n", world.telling()));
  start_ready(world, "a");
  ASSERT_TRUE(world.has_run([](const Row& run) { return run.reason == Reason::paused; }));
  EXPECT_TRUE(world.starts().empty());
  world.write("jobs.yaml", job_each_second("    paused: false\n", world.telling()));
  ASSERT_TRUE(world.sees("start job "));
  for (const Start& start : world.starts()) {
    EXPECT_EQ(rows_of(world, start.slot).size(), 1U) << "skipped before, and run";
  }
}

// ---- overlap

TEST(NodeKeysOverlap, skip_leaves_a_slot_out_while_a_run_lives) {
  World world;
  world.write("jobs.yaml",
              job_each_second("    overlap: skip\n", world.telling(until_gate(world))));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees("start "));
  ASSERT_TRUE(world.has_run([](const Row& run) { return run.reason == Reason::overlap; }));
  EXPECT_EQ(world.starts().size(), 1U);
  world.write("gate", "");
  ASSERT_TRUE(world.sees_slots(2));
  EXPECT_FALSE(saw_two_at_a_time(world));
  for (const Start& start : world.starts()) EXPECT_EQ(rows_of(world, start.slot).size(), 1U);
}

TEST(NodeKeysOverlap, queue_runs_each_slot_after_the_other) {
  World world;
  world.write("jobs.yaml", job_each_second("    overlap: queue\n    catch_up: all\n",
                                           world.telling(until_gate(world))));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees("start "));
  ASSERT_TRUE(wait_until([&] { return count_rows(world, RunState::pending) >= 2; }));
  EXPECT_EQ(world.starts().size(), 1U);
  world.write("gate", "");
  ASSERT_TRUE(world.sees_slots(3));
  EXPECT_FALSE(saw_two_at_a_time(world));
  EXPECT_EQ(count_rows(world, RunState::skipped), 0U);
  std::set<Time> first;
  for (const Start& start : world.starts()) {
    if (first.size() < 3) first.insert(start.slot);
  }
  EXPECT_EQ(*first.rbegin() - *first.begin(), Seconds{2}) << "those that waited, before any other";
}

TEST(NodeKeysOverlap, replace_starts_when_the_other_has_ended) {
  World world;
  const std::string endless =
      fmt::format("trap 'sleep 0.3; echo end >> {}; exit 0' TERM; while :; do sleep 0.05; done",
                  world.path("witness"));
  world.write("jobs.yaml", job_each_second("    overlap: replace\n", world.telling(endless)));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(2));
  EXPECT_FALSE(saw_two_at_a_time(world));
  const auto rows = rows_of(world, world.starts().front().slot);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].state, RunState::cancelled);
  EXPECT_EQ(rows[0].reason, Reason::replaced);
}

TEST(NodeKeysOverlap, allow_starts_beside_the_other) {
  World world;
  world.write("jobs.yaml",
              job_each_second("    overlap: allow\n", world.telling(until_gate(world))));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(2));
  EXPECT_TRUE(saw_two_at_a_time(world));
}

// ---- where, and in which order

/// Jobs that only a person starts, and which share one place; `first` keeps it until the gate.
std::string sharing(const World& world, const std::string& keys) {
  std::string text = "defaults: { concurrency: { group: db, max: 1 } }\njobs:\n";
  for (const std::string name : {"first", "second", "third"}) {
    text += fmt::format("  {0}:\n    schedule: \"0 0 1 1 *\"\n{1}    run: \"{2}\"\n", name,
                        name == "third" ? keys : "",
                        world.telling(name == "first" ? until_gate(world)
                                                      : "echo end >> " + world.path("witness")));
  }
  return text;
}

/// The first runs, the others wait, asked for in this order.
void ask_for_three(World& world) {
  start_ready(world, "a");
  world.command({"trigger", "first"});
  ASSERT_TRUE(world.sees("start first "));
  for (const char* name : {"second", "third"}) {
    expect_said(world.command({"trigger", name}), 0, "asked for");
  }
  ASSERT_EQ(count_rows(world, RunState::pending), 2U);
  EXPECT_EQ(world.starts().size(), 1U);
  world.write("gate", "");
  ASSERT_TRUE(world.sees("start second ") && world.sees("start third "));
}

TEST(NodeKeysSlots, concurrency_is_counted_over_the_jobs_of_a_group) {
  World world;
  world.write("jobs.yaml", sharing(world, ""));
  ask_for_three(world);
  EXPECT_FALSE(saw_two_at_a_time(world));
  EXPECT_EQ(world.starts().at(1).job, "second") << "of those that wait the oldest";
}

TEST(NodeKeysSlots, priority_says_who_of_those_that_wait_is_next) {
  World world;
  world.write("jobs.yaml", sharing(world, "    priority: 5\n"));
  ask_for_three(world);
  EXPECT_FALSE(saw_two_at_a_time(world));
  EXPECT_EQ(world.starts().at(1).job, "third");
}

TEST(NodeKeysSlots, on_is_for_nodes_with_these_labels) {
  World world;
  world.write("jobs.yaml", job_on_request("    on: { disk: fast, region: eu }\n", world.telling()));
  start_ready(world, "a");
  NodeProcess& near = world.start("b", {world.path("jobs.yaml"), "--labels", "disk=fast"});
  EXPECT_TRUE(near.says("ready"));
  expect_said(world.command({"trigger", "job", "--request-id", "r1"}), 0,
              "no living node may run it");
  NodeProcess& right =
      world.start("c", {world.path("jobs.yaml"), "--labels", "disk=fast,region=eu"});
  EXPECT_TRUE(right.says("ready"));
  expect_said(world.command({"trigger", "job", "--request-id", "r1", "--wait"}), 0, "succeeded");
  EXPECT_EQ(world.runs().at(0).node, "c");
}

// ---- what is known of it

/// Under its new name it goes on where it was: no slot again, and fences grow.
TEST(NodeKeysSlots, was_is_the_same_job_under_another_name) {
  World world;
  world.write("jobs.yaml", job_each_second("", world.telling()));
  start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(1));
  std::string renamed = job_each_second("    was: job\n", world.telling());
  renamed.replace(renamed.find("  job:"), 6, "  renamed:");
  world.write("jobs.yaml", renamed);
  ASSERT_TRUE(world.sees("start renamed "));
  std::set<Time> slots;
  std::uint64_t fence = 0;
  for (const Start& start : world.starts()) {
    EXPECT_TRUE(slots.insert(start.slot).second) << print(start.slot) << " under both names";
    EXPECT_GT(start.fence, fence);
    fence = start.fence;
  }
  for (const Row& run : world.runs()) EXPECT_EQ(run.id.job, world.runs().at(0).id.job);
  expect_said(world.command({"history", "renamed", "--json"}), 0, print(*slots.begin()));
}

/// A sweep also purges, and a dead node is swept; what is purged stays settled.
TEST(NodeKeysSlots, history_keeps_so_many_and_forgets_none_as_run) {
  World world;
  world.write("jobs.yaml",
              job_each_second("    between: { max_runs: 2 }\n    history: { succeeded: 1 }\n",
                              world.telling()));
  NodeProcess& first = start_ready(world, "a");
  ASSERT_TRUE(wait_until([&] { return count_rows(world, RunState::succeeded) == 2; }));
  kill_with_keepers(first);
  start_ready(world, "b");
  ASSERT_TRUE(wait_until([&] { return count_rows(world, RunState::succeeded) == 1; }));
  const auto starts = world.starts();
  EXPECT_TRUE(rows_of(world, starts.front().slot).empty());
  EXPECT_EQ(rows_of(world, starts.back().slot).size(), 1U) << "the newest stays";
  expect_said(world.command({"backfill", "job", print(starts.front().slot)}), 75, "--again");
}

}  // namespace
}  // namespace cronce::test
