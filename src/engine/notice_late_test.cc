// Lateness: of slots that wait, that were claimed late, or that nobody decides.
#include <initializer_list>

#include <gtest/gtest.h>

#include "engine/notice_test.h"
#include "schedule/schedule.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Notices, of_lateness_need_a_slot_that_was_not_claimed_in_time) {
  struct Row {
    const char* what;
    LedgerRow run;
    const char* told;
  };
  const auto claimed = [](Duration after, RunState state = RunState::succeeded) {
    return but(ran(state), [=](LedgerRow& r) { r.claimed_at = kSlot + after; });
  };
  const auto of_kind = [](RunKind kind) {
    return but(ran(RunState::pending), [=](LedgerRow& r) { r.kind = kind; });
  };
  const auto skipped = [](Reason reason) { return ran(RunState::skipped, reason); };
  for (const Row& row : std::vector<Row>{
           {"waits", ran(RunState::pending), "late#1"},
           {"is held", ran(RunState::held), "late#1"},
           {"waits for a later due",
            but(ran(RunState::pending), [](LedgerRow& r) { r.due = kNow - minutes(1); }),
            "nothing"},
           {"claimed at the last moment", claimed(minutes(1)), "nothing"},
           {"claimed too late", claimed(minutes(1) + milliseconds(1)), "late#1"},
           {"claimed too late, and runs", claimed(minutes(2), RunState::running), "late#1"},
           {"claimed too late, and lost", claimed(minutes(2), RunState::lost), "late#1"},
           {"claimed again, after it was given back",
            but(claimed(minutes(2)), [](LedgerRow& r) { r.id.attempt = Attempt{2}; }), "nothing"},
           {"missed", skipped(Reason::missed), "late#1"},
           {"expired", skipped(Reason::expired), "late#1"},
           {"no node", skipped(Reason::no_node), "late#1"},
           {"queue full", skipped(Reason::queue_full), "late#1"},
           {"overlap", skipped(Reason::overlap), "nothing"},
           {"paused", skipped(Reason::paused), "nothing"},
           {"calendar", skipped(Reason::calendar), "nothing"},
           {"retired", skipped(Reason::retired), "nothing"},
           {"cancelled before it was claimed",
            but(ran(RunState::cancelled), [](LedgerRow& r) { r.claimed_at.reset(); }), "nothing"},
           {"a retry", of_kind(RunKind::retry), "nothing"},
           {"a rerun", of_kind(RunKind::rerun), "nothing"},
           {"a person's", of_kind(RunKind::manual), "nothing"},
           {"a backfill", of_kind(RunKind::backfill), "nothing"},
           {"an exec", of_kind(RunKind::exec), "nothing"},
           {"at boot", but(ran(RunState::pending), [](LedgerRow& r) { r.id.space = Space::boot; }),
            "nothing"},
       }) {
    EXPECT_EQ(told_of(noticed({"late"}), {row.run}), row.told) << row.what;
  }
}

TEST(Notices, of_lateness_follow_expect_or_else_the_grace) {
  struct Row {
    const char* what;
    std::function<void(Job&)> change;
    Duration on_time;
  };
  for (const Row& row : std::vector<Row>{
           {"a minute", {}, minutes(1)},
           {"grace", [](Job& j) { j.grace = seconds(5); }, seconds(5)},
           {"expect", [](Job& j) { j.expect_within = minutes(10); }, minutes(10)},
           {"a short expect", [](Job& j) { j.expect_within = seconds(1); }, seconds(1)},
       }) {
    const JobRow job = noticed({"late"}, row.change);
    const std::vector<LedgerRow> runs{ran(RunState::pending)};
    EXPECT_EQ(told_of(job, runs, kSlot + row.on_time), "nothing") << row.what;
    EXPECT_EQ(told_of(job, runs, kSlot + row.on_time + milliseconds(1)), "late#1") << row.what;
  }
}

TEST(Notices, of_lateness_see_the_slot_that_nobody_decides) {
  struct Row {
    const char* what;
    std::function<void(JobRow&)> change;
    std::vector<LedgerRow> runs;
    const char* told;
  };
  const Time later = kSlot + hours(2);
  const auto range = but(ran(RunState::skipped, Reason::overlap), [](LedgerRow& r) {
    r.id.slot = kSlot;
    r.slot_to = kSlot + hours(1);
  });
  for (const Row& row : std::vector<Row>{
           {"due", {}, {}, "late#1"},
           {"due, after another one", {}, {ran(RunState::succeeded)}, "late#1"},
           {"not yet", [](JobRow& j) { j.plan.next = kSlot + hours(2); }, {}, "nothing"},
           {"none", [](JobRow& j) { j.plan.next.reset(); }, {}, "nothing"},
           {"decided since",
            {},
            {but(ran(RunState::succeeded),
                 [](LedgerRow& r) {
                   r.id.slot = kSlot + hours(1);
                   r.due = r.claimed_at.emplace(kSlot + hours(1));
                 })},
            "nothing"},
           {"skipped since", {}, {range}, "nothing"},
           {"a person's run is none of the schedule",
            {},
            {but(ran(RunState::succeeded),
                 [](LedgerRow& r) { r.id = {JobUid{7}, Space::manual, kSlot + hours(2), "r"}; })},
            "late#1"},
           {"paused by a person", [](JobRow& j) { j.pause = Pause{}; }, {}, "nothing"},
           {"paused by its file",
            [](JobRow& j) {
              Job job = *j.definition;
              job.paused = true;
              j.definition = job;
            },
            {},
            "nothing"},
           {"retired", [](JobRow& j) { j.sources.edit().clear(); }, {}, "nothing"},
       }) {
    JobRow job = noticed({"late"});
    if (row.change) row.change(job);
    EXPECT_EQ(told_of(job, row.runs, later), row.told) << row.what;
  }
  EXPECT_EQ(told_of(noticed({"failed"}), {}, later), "nothing") << "nobody asked";
}

TEST(Notices, name_the_slot_that_nobody_decides) {
  const JobRow job = noticed({"late"}, [](Job& j) { j.jitter = minutes(10); });
  const Time next = kSlot + hours(1);
  const Time due = next + jitter("billing", next, minutes(10));
  ASSERT_NE(due, next);
  EXPECT_TRUE(notices_of(job, {}, due + minutes(1)).empty()) << "its jitter is no lateness";
  const auto notices = notices_of(job, {}, due + minutes(1) + milliseconds(1));
  ASSERT_EQ(notices.size(), 1U);
  LedgerRow run;
  run.id = {JobUid{7}, Space::slot, next, "", Attempt{1}};
  run.due = due;
  EXPECT_EQ(notices.front(), (Notice{"late", run, false}));
}

/// A row whose slots wait since these minutes after noon.
JobRow queued(std::initializer_list<int> dues) {
  JobRow job = noticed({"late"});
  for (const int due : dues) {
    const Time at = kSlot + minutes(due);
    job.pending.push_back(
        {{JobUid{7}, Space::slot, at, "", Attempt{1}}, RunKind::scheduled, at, false});
  }
  return job;
}

TEST(LateAt, is_the_first_moment_at_which_a_look_would_find_more) {
  struct Row {
    const char* what;
    JobRow job;
    const char* at;
  };
  const auto with_kind = [](RunKind kind) {
    JobRow job = queued({0});
    job.pending.front().kind = kind;
    return job;
  };
  const auto at_boot = [] {
    JobRow job = queued({0});
    job.pending.front().id.space = Space::boot;
    return job;
  };
  const auto changed = [](const std::function<void(JobRow&)>& change) {
    JobRow job = queued({4});
    change(job);
    return job;
  };
  const char* next = "2026-01-01T13:01:00.001Z";
  for (const Row& row : std::vector<Row>{
           {"the next slot", noticed({"late"}), next},
           {"nobody asked", noticed({"failed", "lost"}), "none"},
           {"by expect", noticed({"late"}, [](Job& j) { j.expect_within = seconds(5); }),
            "2026-01-01T13:00:05.001Z"},
           {"one that waits", queued({4}), "2026-01-01T12:05:00.001Z"},
           {"it is late already", queued({0}), next},
           {"one is late, another is not", queued({0, 5, 6}), "2026-01-01T12:06:00.001Z"},
           {"a retry", with_kind(RunKind::retry), next},
           {"a person's", with_kind(RunKind::manual), next},
           {"at boot", at_boot(), next},
           {"no next", changed([](JobRow& j) { j.plan.next.reset(); }), "2026-01-01T12:05:00.001Z"},
           {"paused", changed([](JobRow& j) { j.pause = Pause{}; }), "none"},
           {"retired", changed([](JobRow& j) { j.sources.edit().clear(); }), "none"},
       }) {
    EXPECT_EQ(show(late_at(row.job, kNow)), row.at) << row.what;
  }
}

TEST(LateAt, agrees_with_the_notices) {
  const JobRow job = noticed({"late"}, [](Job& j) { j.jitter = minutes(10); });
  const auto at = late_at(job, kNow);
  ASSERT_TRUE(at);
  EXPECT_EQ(told_of(job, {}, *at - milliseconds(1)), "nothing");
  EXPECT_EQ(told_of(job, {}, *at), "late#1");
}

}  // namespace
}  // namespace cronce
