#include "model/describe.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

JobName named(std::string_view text) { return parse_job_name(text).value(); }

TEST(Describe, shows_a_slot_as_job_and_instant) {
  EXPECT_EQ(describe(Slot{named("billing"), utc("2026-03-29T01:30:00Z")}),
            "billing@2026-03-29T01:30:00Z");
  EXPECT_EQ(describe(Slot{named("a/b"), utc("2026-03-29T01:30:00.250Z")}),
            "a/b@2026-03-29T01:30:00.250Z");
}

TEST(Describe, shows_the_id_of_a_run_in_its_space) {
  RunId id{.slot = utc("2026-03-29T01:30:00Z"), .attempt = Attempt{2}};
  EXPECT_EQ(describe(id), "slot 2026-03-29T01:30:00Z #2");
  id = {.space = Space::manual, .request = "r-17"};
  EXPECT_EQ(describe(id), "manual r-17 #1");
  id = {.space = Space::boot, .request = "b1\nx"};
  EXPECT_EQ(describe(id), "boot b1 x #1");
}

TEST(Describe, shows_a_reason_after_its_state) {
  EXPECT_EQ(describe(RunState::skipped, Reason::overlap), "skipped: overlap");
  EXPECT_EQ(describe(RunState::cancelled, Reason::by_operator), "cancelled: operator");
  EXPECT_EQ(describe(RunState::succeeded, Reason::none), "succeeded");
}

TEST(Describe, shows_what_a_run_has) {
  cronce::Run run;
  run.id.slot = utc("2026-03-29T01:30:00Z");
  run.state = RunState::running;
  EXPECT_EQ(describe(run), "slot 2026-03-29T01:30:00Z #1 running");
  run.fence = make_fence(Epoch{1}, 1);
  run.node = "a";
  EXPECT_EQ(describe(run), "slot 2026-03-29T01:30:00Z #1 running fence 1099511627777 on node a");
  run.state = RunState::failed;
  run.reason = Reason::exit;
  run.exit_code = 3;
  EXPECT_EQ(describe(run),
            "slot 2026-03-29T01:30:00Z #1 failed: exit fence 1099511627777 on node a exit 3");
}

TEST(Describe, shows_a_range_with_its_end_and_count) {
  cronce::Run run;
  run.id.slot = utc("2026-03-29T01:00:00Z");
  run.slot_to = utc("2026-03-29T03:00:00Z");
  run.count = 3;
  run.state = RunState::skipped;
  run.reason = Reason::missed;
  EXPECT_EQ(describe(run),
            "slot 2026-03-29T01:00:00Z #1 to 2026-03-29T03:00:00Z (3 slots) skipped: missed");
}

TEST(Describe, shows_a_node) {
  Node node;
  node.name = "a";
  node.incarnation = {{0x6f3c000000000000, 0}};
  node.beat = Beat{12};
  node.running = 3;
  node.max_running = 8;
  EXPECT_EQ(describe(node), "a/6f3c0000 beat 12, 3 of 8 running");
  node.leaving = true;
  EXPECT_EQ(describe(node), "a/6f3c0000 beat 12, 3 of 8 running, leaving");
}

TEST(Describe, shows_where_a_job_stands) {
  JobRow job{JobUid{3}, Job{.name = named("billing")}};
  job.sources.edit()["shop"] = "d1";
  job.plan.cursor = utc("2026-03-29T01:30:00Z");
  EXPECT_EQ(describe(job), "billing: cursor 2026-03-29T01:30:00Z, next none");
  job.plan.next = utc("2026-03-29T01:45:00Z");
  job.live.resize(1);
  job.pending.resize(2);
  job.pause = Pause{};
  job.sources = {};
  EXPECT_EQ(describe(job),
            "billing: cursor 2026-03-29T01:30:00Z, next 2026-03-29T01:45:00Z, 1 live, 2 pending, "
            "paused, retired");
}

TEST(Describe, shows_a_claim_and_a_mark) {
  Claim claim;
  claim.run.slot = utc("2026-03-29T01:30:00Z");
  claim.fence = make_fence(Epoch{1}, 1);
  EXPECT_EQ(describe(claim), "slot 2026-03-29T01:30:00Z #1 fence 1099511627777");
  EXPECT_EQ(describe(Mark{{}, Epoch{1}, 17, utc("2026-03-29T01:30:00Z")}),
            "epoch 1, position 17 at 2026-03-29T01:30:00Z");
}

TEST(Describe, shows_each_kind_of_schedule) {
  EXPECT_EQ(describe(ElementSpec{CronSpec{"0 2 * * *"}}), "0 2 * * *");
  EXPECT_EQ(describe(ElementSpec{EverySpec{Duration{900'000}, {}}}), "every 15m");
  EXPECT_EQ(describe(ElementSpec{EverySpec{Duration{900'000}, written("2026-01-01")}}),
            "every 15m from 2026-01-01");
  EXPECT_EQ(describe(ElementSpec{AtSpec{written("2026-12-24T18:00")}}), "at 2026-12-24T18:00:00");
  EXPECT_EQ(describe(ElementSpec{AfterSpec{Duration{600'000}}}), "after 10m");
  EXPECT_EQ(describe(ElementSpec{RebootSpec{}}), "@reboot");
}

TEST(Describe, joins_elements_and_names_the_zone_unless_it_is_utc) {
  ScheduleSpec schedule{.elements = {CronSpec{"@daily"}, AfterSpec{Duration{1'000}}}};
  EXPECT_EQ(describe(schedule), "@daily + after 1s");
  schedule.timezone = "Europe/Berlin";
  EXPECT_EQ(describe(schedule), "@daily + after 1s Europe/Berlin");
}

TEST(Describe, shows_each_kind_of_command_in_one_line) {
  EXPECT_EQ(describe(Command{ArgvCommand{{"./bill", "--all"}}}), "./bill --all");
  EXPECT_EQ(describe(Command{ShellCommand{.line = "a |\n\tb\x7f"}}), "a |  b ");
  EXPECT_EQ(describe(Command{HttpCall{.url = "https://example.com/x"}}),
            "POST https://example.com/x");
  for (const auto& [url, shown] : std::map<std::string, std::string>{
           {"https://me:s@example.com/x", "POST https://***@example.com/x"},
           {"https://token@example.com", "POST https://***@example.com"},
           {"https://a@b:c@example.com?x", "POST https://***@example.com?x"},
           {"https://example.com/a@b", "POST https://example.com/a@b"},
           {"https://example.com?a@b", "POST https://example.com?a@b"}}) {
    EXPECT_EQ(describe(Command{HttpCall{.url = url}}), shown);
  }
}

TEST(Describe, shows_a_job) {
  EXPECT_EQ(describe(Job{named("billing"),
                         {.elements = {CronSpec{"0 0 * * *"}}, .timezone = "Europe/Berlin"},
                         ArgvCommand{{"./bill", "--all"}}}),
            "billing: 0 0 * * * Europe/Berlin -> ./bill --all");
}

}  // namespace
}  // namespace cronce
