// Keys that say what becomes of a run whose node vanished, or could not renew its lease.
#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "test/node/keys.h"
#include "test/node/steer.h"

namespace cronce::test {
namespace {

/// Node and keeper die in the middle of the first slot, and another node comes.
Time lose_the_first(World& world, const std::string& keys) {
  world.write("jobs.yaml", job_each_second(keys, world.telling("sleep 1000")));
  NodeProcess& first = start_ready(world, "a");
  EXPECT_TRUE(world.sees("start "));
  const Time slot = world.starts().at(0).slot;
  kill_with_keepers(first);
  NodeProcess& second = start_ready(world, "b");
  EXPECT_TRUE(second.says("ended a former node of this machine lost=1"));
  return slot;
}

/// What follows a loss is recorded in the step that finds it.
TEST(NodeKeysLoss, on_lost_skip_does_not_run_it_again) {
  World world;
  const Time slot = lose_the_first(world, "    on_lost: skip\n");
  const auto rows = rows_of(world, slot);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].state, RunState::lost);
  ASSERT_TRUE(world.sees_slots(2)) << "the job goes on";
  EXPECT_EQ(count_lines(world, fmt::format("start job {} ", print(slot))), 1U);
}

TEST(NodeKeysLoss, on_lost_rerun_is_another_attempt_under_a_greater_fence) {
  World world;
  const Time slot = lose_the_first(world, "    on_lost: rerun\n");
  ASSERT_TRUE(world.sees(fmt::format("start job {} 2 ", print(slot))));
  const auto rows = rows_of(world, slot);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].state, RunState::lost);
  EXPECT_EQ(rows[1].kind, RunKind::rerun);
  EXPECT_EQ(rows[1].node, "b");
  EXPECT_EQ(rows[1].key, rows[0].key);
  world.expect_once();
  world.expect_growing_fences();
}

TEST(NodeKeysLoss, on_lost_hold_waits_for_a_person) {
  World world;
  const Time slot = lose_the_first(world, "    on_lost: hold\n");
  const auto rows = rows_of(world, slot);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].state, RunState::lost);
  EXPECT_EQ(rows[1].state, RunState::held);
  ASSERT_TRUE(world.sees_slots(2)) << "later slots do not wait for the person";
  EXPECT_EQ(count_lines(world, fmt::format("start job {} ", print(slot))), 1U);
}

/// Nobody can reach the store for longer than a lease.
TEST(NodeKeysLoss, on_lease_loss_kills_or_continues) {
  World world;
  std::string jobs = "jobs:\n";
  for (const std::string what : {"kill", "continue"}) {
    jobs += fmt::format(
        "  {0}:\n    schedule: \"0 0 1 1 *\"\n    on_lease_loss: {0}\n    run: \"{1}\"\n", what,
        fmt::format("echo {} $$ >> {}; {}", what, world.path("witness"), until_gate(world)));
  }
  world.write("jobs.yaml", jobs);
  start_ready(world, "a");
  const auto start = [&](const std::string& job) {
    expect_said(world.command({"trigger", job}), 0, "asked for");
    EXPECT_TRUE(world.sees(job + " "));
    return static_cast<pid_t>(std::stol(world.lines().back().substr(job.size() + 1)));
  };
  const pid_t killed = start("kill");
  const pid_t goes_on = start("continue");
  {
    const Descriptor lock = world.lock_store();
    ASSERT_TRUE(wait_until([&] { return !is_alive(killed); }));
  }
  EXPECT_TRUE(is_alive(goes_on));
  world.write("gate", "");
  ASSERT_TRUE(world.sees("end"));
  ASSERT_TRUE(wait_until([&] {
    const auto runs = world.runs();
    return std::all_of(runs.begin(), runs.end(),
                       [](const Row& run) { return is_ended(run.state); });
  }));
  EXPECT_EQ(count_lines(world, "end"), 1U);
  for (const Row& run : world.runs()) {
    const bool survived = run.id.job == uid_of(world, "continue");
    EXPECT_EQ(run.state, survived ? RunState::succeeded : RunState::failed);
  }
}

}  // namespace
}  // namespace cronce::test
