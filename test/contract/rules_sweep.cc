// Sweep and purge: S79-S87.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

Job with(OnLost on_lost) {
  Job job = job_named("j");
  job.on_lost = on_lost;
  return job;
}

/// Sweeps nobody: only what comes with every sweep happens.
void purge(Actor& node) { node.lane().sweep({}); }

void S79_a_sweep_ends_an_incarnation_whose_number_stood_still(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  const Beat seen = a.last_beat();
  a.beat();
  const std::vector<SweepAnswer> nothing{{false, 0}};
  EXPECT_EQ(b.lane().sweep({{a.incarnation(), seen}}), nothing);
  EXPECT_EQ(w.state(claim.run), "running");
  const auto answer = b.sweep(a);
  EXPECT_TRUE(answer.ended);
  EXPECT_EQ(answer.lost, 1);
  EXPECT_EQ(w.state(claim.run), "lost: node");
}

void S80_a_sweep_settles_each_run_once_and_no_other_nodes(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Actor& c = w.node("c");
  const JobUid j = w.job(a, with(OnLost::rerun));
  const JobUid k = w.job(c, job_named("k"));
  w.pass(10s);
  a.start(j);
  c.start(k);
  EXPECT_TRUE(b.sweep(a).ended);
  EXPECT_FALSE(c.sweep(a).ended);
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 10#2 pending");
  EXPECT_EQ(w.ledger(k), "10#1 running");
}

void S81_on_lost_skip_starts_nothing_and_frees_the_job(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a, with(OnLost::skip));
  w.pass(10s);
  a.start(j);
  w.pass(10s);
  EXPECT_EQ(told(b.run(j)), "skipped: overlap");
  b.sweep(a);
  w.pass(10s);
  EXPECT_EQ(told(b.run(j)), "running");
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 20#1 skipped: overlap, 30#1 running");
}

void S82_on_lost_rerun_tries_again_up_to_its_limit(World& w) {
  Actor& b = w.node("b");
  const JobUid j = w.job(b, with(OnLost::rerun));
  w.pass(10s);
  b.run(j, SlotToRun::How::enqueue);
  for (std::uint64_t attempt = 1; attempt <= 4; ++attempt) {  // without retries: 3 reruns
    Actor& a = w.node("a");
    const Claim claim = a.take(slot_of(j, 10, attempt)).claim.value();
    EXPECT_EQ(claim.key, "j@2026-01-01T00:00:10Z");
    b.sweep(a);
  }
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 10#2 lost: node, 10#3 lost: node, 10#4 lost: node");
}

void S83_on_lost_hold_waits_for_a_person(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a, with(OnLost::hold));
  w.pass(10s);
  a.start(j);
  b.sweep(a);
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 10#2 held");
  EXPECT_EQ(b.take(slot_of(j, 10, 2)).refused, Refused::gone);
}

void S84_no_clock_ends_a_run_or_an_incarnation(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  w.pass(std::chrono::hours{100'000});
  purge(b);
  EXPECT_EQ(w.state(claim.run), "running");
  EXPECT_EQ(a.beat().held, std::vector{claim});
}

/// Three slots that failed and three that a guard skipped: of each the newest stays.
void expect_a_limit_for_each_end(World& w, Actor& a, const Shared<HistoryLimits>& history) {
  Job job = job_named("k");
  job.history = history;
  w.set_clock(at(40));
  const JobUid k = w.job(a, job);
  for (const RunState state : {RunState::failed, RunState::skipped}) {
    for (int slot = 0; slot < 3; ++slot) {
      w.pass(10s);
      a.finish(a.start(k), state, state == RunState::failed ? Reason::exit : Reason::guard);
    }
  }
  purge(a);
  EXPECT_EQ(w.ledger(k), "70#1 failed: exit, 100#1 skipped: guard");
  EXPECT_EQ(w.row(k).floor, at(90));
}

void S85_purge_removes_whole_ended_slots_oldest_first_and_remembers_the_newest(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.retries = Retries{.max = 1, .backoff = 1s, .jitter_percent = 0};
  job.history = HistoryLimits{.succeeded = 1, .failed = 1, .skipped = 1};
  const JobUid j = w.job(a, job);
  for (int slot = 10; slot <= 30; slot += 10) {
    w.pass(at(slot) - w.now());
    a.finish(a.start(j), RunState::failed, Reason::exit);
    w.pass(1s);
    a.finish(a.take(slot_of(j, slot, 2)).claim.value(), RunState::succeeded);
  }
  purge(a);
  EXPECT_EQ(w.ledger(j), "30#1 failed: exit, 30#2 succeeded");
  EXPECT_EQ(w.row(j).floor, at(20));
  expect_a_limit_for_each_end(w, a, job.history);
}

void S86_purge_never_removes_what_has_not_ended_nor_what_is_not_settled(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.overlap = Overlap::queue;
  job.on_lost = OnLost::hold;
  job.history = HistoryLimits{.succeeded = 0, .failed = 0, .skipped = 0, .age = 1s};
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.start(j);
  a.sweep(a);
  Actor& b = w.node("b");
  w.pass(10s);
  b.start(j);
  w.pass(10s);
  b.run(j);
  w.pass(std::chrono::hours{1000});
  purge(b);
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 10#2 held, 20#1 running, 30#1 pending");
}

void S87_a_purged_slot_is_settled_for_ever(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history.edit().succeeded = 0;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  const DecideEntry entry = w.owed(j);
  const Claim claim = a.decide(entry).runs.at(0).claim.value();
  a.finish(claim, RunState::succeeded);
  purge(a);
  EXPECT_EQ(w.ledger(j), "");
  EXPECT_EQ(told(a.decide(entry)), "moved");
  EXPECT_EQ(a.finish(claim, RunState::succeeded).refused, Refused::gone);
  EXPECT_EQ(a.control(BackfillSlot{j, at(10), false}).refused, Refused::stale);
  const auto again = a.control(BackfillSlot{j, at(10), true});
  EXPECT_GT(again.run.value().attempt, Attempt{1});  // the number is not given twice
  EXPECT_NE(w.run(again.run.value()).value().key, claim.key);
}

void S88_a_request_id_is_known_for_seven_days_at_least(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history = HistoryLimits{.succeeded = 0, .failed = 0, .skipped = 0, .age = 1s};
  const JobUid j = w.job(a, job);
  a.control(TriggerJob{j, "r"});
  a.finish(a.take(request_of(j, "r")).claim.value(), RunState::succeeded);
  w.pass(std::chrono::hours{24 * 7});
  purge(a);
  a.control(TriggerJob{j, "r"});
  EXPECT_EQ(w.ledger(j), "r#1 succeeded");
  w.pass(1ms);
  purge(a);
  EXPECT_EQ(w.ledger(j), "");
}

constexpr Rule kSweepRules[] = {
    CRONCE_RULE(S79_a_sweep_ends_an_incarnation_whose_number_stood_still),
    CRONCE_RULE(S80_a_sweep_settles_each_run_once_and_no_other_nodes),
    CRONCE_RULE(S81_on_lost_skip_starts_nothing_and_frees_the_job),
    CRONCE_RULE(S82_on_lost_rerun_tries_again_up_to_its_limit),
    CRONCE_RULE(S83_on_lost_hold_waits_for_a_person),
    CRONCE_RULE(S84_no_clock_ends_a_run_or_an_incarnation),
    CRONCE_RULE(S85_purge_removes_whole_ended_slots_oldest_first_and_remembers_the_newest),
    CRONCE_RULE(S86_purge_never_removes_what_has_not_ended_nor_what_is_not_settled),
    CRONCE_RULE(S87_a_purged_slot_is_settled_for_ever),
    CRONCE_RULE(S88_a_request_id_is_known_for_seven_days_at_least),
};

}  // namespace

std::span<const Rule> sweep_rules() { return kSweepRules; }

}  // namespace cronce::contract
