// Backfill: S100-S104, S113.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

void S100_a_skipped_slot_can_be_run_after_all_with_the_same_key(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(30s);  // 10 and 20 are one range
  const Claim live = a.start(j);
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "skipped: overlap");
  EXPECT_EQ(a.control(BackfillSlot{j, at(20), false}).run, slot_of(j, 20, 2));
  EXPECT_EQ(a.control(BackfillSlot{j, at(40), false}).run, slot_of(j, 40, 2));
  EXPECT_EQ(w.ledger(j),
            "10-20#1 skipped: missed (2), 20#2 pending, 30#1 running, "
            "40#1 skipped: overlap, 40#2 pending");
  a.finish(live, RunState::succeeded);
  const Claim claim = a.take(slot_of(j, 40, 2)).claim.value();
  EXPECT_EQ(claim.key, "j@2026-01-01T00:00:40Z");
  EXPECT_EQ(w.run(claim.run).value().kind, RunKind::backfill);
}

void S101_what_ran_or_may_have_run_is_run_again_only_when_told_so(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(b);
  w.pass(10s);
  const Claim ran = b.start(j);
  b.finish(ran, RunState::failed, Reason::exit);
  w.pass(10s);
  a.start(j);
  b.sweep(a);
  for (const Time slot : {at(10), at(20)}) {
    EXPECT_EQ(b.control(BackfillSlot{j, slot, false}).refused, Refused::stale);
  }
  const RunId again = b.control(BackfillSlot{j, at(10), true}).run.value();
  EXPECT_EQ(again, slot_of(j, 10, 2));
  EXPECT_NE(b.take(again).claim.value().key, ran.key);
}

void S102_a_slot_is_not_backfilled_above_the_cursor_nor_while_it_is_under_way(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  EXPECT_EQ(a.control(BackfillSlot{j, at(10), true}).refused, Refused::future);
  a.start(j);
  EXPECT_EQ(a.control(BackfillSlot{j, at(10), true}).refused, Refused::busy);
  EXPECT_EQ(w.ledger(j), "10#1 running");
}

void S113_a_slot_with_a_lost_attempt_may_have_run_even_if_its_last_record_is_skipped(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::rerun;
  job.catch_up.mode = CatchUp::Mode::none;
  const JobUid j = w.job(b, job);
  job.name = job_named("k").name;
  const JobUid k = w.job(b, job);
  w.pass(10s);
  for (const JobUid lost : {j, k}) a.start(lost);
  b.sweep(a);
  EXPECT_EQ(b.control(CancelRun{slot_of(j, 10, 2)}).refused, Refused::none);
  w.pass(job.grace + 1ms);
  EXPECT_EQ(b.lapse(slot_of(k, 10, 2), Reason::expired), Refused::none);
  EXPECT_EQ(w.ledger(k), "10#1 lost: node, 10#2 skipped: expired");
  for (const JobUid lost : {j, k}) {
    EXPECT_EQ(b.control(BackfillSlot{lost, at(10), false}).refused, Refused::stale);
    EXPECT_EQ(b.control(BackfillSlot{lost, at(10), true}).run, slot_of(lost, 10, 3));
  }
}

void S103_no_attempt_of_a_slot_is_ever_numbered_twice(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history = HistoryLimits{.succeeded = 0, .failed = 0, .skipped = 0};
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.finish(a.start(j), RunState::succeeded);
  for (std::uint64_t attempt = 2; attempt < 5; ++attempt) {
    a.lane().sweep({});  // the history keeps nothing
    EXPECT_EQ(w.ledger(j), "");
    const RunId again = a.control(BackfillSlot{j, at(10), true}).run.value();
    EXPECT_EQ(again.attempt, Attempt{attempt});
    a.finish(a.take(again).claim.value(), RunState::succeeded);
  }
}

void S104_a_backfilled_slot_of_a_range_stays_known_as_long_as_the_range(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history = HistoryLimits{.succeeded = 0};
  const JobUid j = w.job(a, job);
  w.pass(30s);
  a.finish(a.start(j), RunState::succeeded);
  const RunId filled = a.control(BackfillSlot{j, at(10), false}).run.value();
  a.finish(a.take(filled).claim.value(), RunState::succeeded);
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(j), "10-20#1 skipped: missed (2), 10#2 succeeded");
  EXPECT_EQ(a.control(BackfillSlot{j, at(10), false}).refused, Refused::stale);
}

void S213_a_backfill_does_not_expire(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.catch_up.mode = CatchUp::Mode::none;
  const JobUid j = w.job(a, job);
  w.pass(15min);
  a.run(j);
  const RunId slot = a.control(BackfillSlot{j, at(10)}).run.value();
  w.pass(15min);
  EXPECT_EQ(a.lapse(slot, Reason::expired), Refused::future);
  EXPECT_EQ(w.state(slot), "pending");
}

constexpr Rule kBackfillRules[] = {
    CRONCE_RULE(S100_a_skipped_slot_can_be_run_after_all_with_the_same_key),
    CRONCE_RULE(S101_what_ran_or_may_have_run_is_run_again_only_when_told_so),
    CRONCE_RULE(S102_a_slot_is_not_backfilled_above_the_cursor_nor_while_it_is_under_way),
    CRONCE_RULE(S103_no_attempt_of_a_slot_is_ever_numbered_twice),
    CRONCE_RULE(S104_a_backfilled_slot_of_a_range_stays_known_as_long_as_the_range),
    CRONCE_RULE(S113_a_slot_with_a_lost_attempt_may_have_run_even_if_its_last_record_is_skipped),
    CRONCE_RULE(S213_a_backfill_does_not_expire),
};

}  // namespace

std::span<const Rule> backfill_rules() { return kBackfillRules; }

}  // namespace cronce::contract
