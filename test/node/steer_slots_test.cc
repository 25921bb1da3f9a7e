// People hold jobs back, ask for what was skipped, and end jobs.
#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/clock.h"
#include "test/node/steer.h"

namespace cronce::test {
namespace {

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

/// Nobody is there to settle what it covers: the end of the pause does, at once.
TEST(NodeSteer, a_pause_over_an_outage_becomes_one_range) {
  World world;
  world.write("jobs.yaml", every_second(world));
  NodeProcess& first = start_ready(world, "a");
  ASSERT_TRUE(world.sees_slots(1));
  first.send(SIGTERM);
  EXPECT_EQ(first.end(), 0);
  const std::size_t before = world.starts().size();
  expect_said(world.command({"pause", "job"}), 0, "job is paused");
  const Time begin = system_clock().wall();
  ASSERT_TRUE(wait_until([&] { return system_clock().wall() > begin + Seconds{3}; }));
  expect_said(world.command({"resume", "job"}), 0, "goes on from now");
  const Skipped paused = skipped_for(world, Reason::paused);
  EXPECT_EQ(paused.rows, 1U);
  EXPECT_GE(paused.slots, 3);
  start_ready(world, "b");
  ASSERT_TRUE(wait_until([&] { return world.starts().size() > before + 1; }));
  const auto starts = world.starts();
  for (std::size_t i = before; i < starts.size(); ++i) {
    EXPECT_GT(starts[i].slot, paused.last) << "catch_up: all is not for what a pause covered";
  }
  // What nobody could start after the pause is caught up: it would have been before, too.
  EXPECT_TRUE(world.sees(
      fmt::format("start job {} ", print(std::chrono::ceil<Seconds>(paused.last + Duration{1})))));
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
