// Finish: the moves out of running, and what follows them: S66-S78, S111, S205, S217.
#include <algorithm>

#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

Job retrying(std::int64_t max) {
  Job job = job_named("j");
  job.retries = Retries{.max = max, .backoff = 5s, .factor = 2, .limit = 8s, .jitter_percent = 0};
  return job;
}

void S66_finish_needs_the_fence_and_the_incarnation_of_the_row(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  Claim old = claim, other = claim;
  --old.fence.value;
  other.incarnation = b.incarnation();
  EXPECT_EQ(a.finish(old, RunState::succeeded).refused, Refused::stale);
  EXPECT_EQ(b.finish(other, RunState::succeeded).refused, Refused::stale);
  EXPECT_EQ(w.ledger(j), "10#1 running");
  EXPECT_EQ(b.finish(claim, RunState::succeeded).state, RunState::succeeded);  // from the spool
}

void S67_finish_records_the_end_and_frees_the_job(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  FinishEntry end{claim.run, claim.fence, claim.incarnation, RunState::succeeded};
  end.started_at = at(11);
  end.finished_at = at(15);
  end.exit_code = 0;
  end.output_tail = "done";
  EXPECT_EQ(a.finish(end).refused, Refused::none);
  const Run row = w.run(claim.run).value();
  EXPECT_EQ(row.state, RunState::succeeded);
  EXPECT_EQ(row.started_at, at(11));
  EXPECT_EQ(row.finished_at, at(15));
  EXPECT_EQ(row.exit_code, 0);
  EXPECT_EQ(row.output_tail, "done");
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "running");
}

void S68_repeating_finish_changes_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retrying(3));
  w.pass(10s);
  const Claim claim = a.start(j);
  a.finish(claim, RunState::failed, Reason::exit);
  for (const RunState again : {RunState::failed, RunState::succeeded, RunState::lost}) {
    const auto answer = a.finish(claim, again);
    EXPECT_EQ(answer.refused, Refused::none);
    EXPECT_EQ(answer.state, RunState::failed);
  }
  EXPECT_EQ(w.ledger(j), "10#1 failed: exit, 10#2 pending");
}

void S69_finish_of_an_unknown_row_is_gone(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const Claim claim{slot_of(j, 10), a.incarnation(), make_fence(Epoch{1}, 1), "", at(10), at(10)};
  EXPECT_EQ(a.finish(claim, RunState::succeeded).refused, Refused::gone);
  EXPECT_EQ(w.ledger(j), "");
}

void S70_only_the_ways_out_of_running_can_be_reported(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  for (const RunState state : {RunState::pending, RunState::held, RunState::running}) {
    EXPECT_EQ(a.finish(claim, state).refused, Refused::invalid);
  }
  EXPECT_EQ(a.finish(claim, RunState::skipped, Reason::overlap).refused, Refused::invalid);
  EXPECT_EQ(a.finish(claim, RunState::skipped, Reason::guard).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10#1 skipped: guard");
}

/// How long the retries of some slots wait, whose back-off of 100 s has jitter.
std::vector<Duration> jittered_waits(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("jitter");
  job.retries = Retries{.max = 1, .backoff = 100s, .jitter_percent = 10};
  const JobUid j = w.job(a, job);
  std::vector<Duration> waits;
  for (const int slot : {10, 20, 30, 40, 50}) {
    w.pass(10s);
    a.finish(a.start(j), RunState::failed, Reason::exit);
    waits.push_back(w.run(slot_of(j, slot, 2)).value().due - w.now());
  }
  return waits;
}

void S71_a_failure_is_retried_with_the_same_key_after_its_back_off(World& w) {
  const auto waits = jittered_waits(w);
  EXPECT_GT(*std::ranges::min_element(waits), 100s);
  EXPECT_LE(*std::ranges::max_element(waits), 110s);
  World other(stores()[0]);
  EXPECT_EQ(jittered_waits(other), waits);  // whoever computes it
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retrying(3));
  w.pass(10s);
  Claim claim = a.start(j);
  const std::string key = claim.key;
  for (const Duration wait : {5s, 8s, 8s}) {  // doubled, up to the limit
    a.finish(claim, RunState::timed_out);
    ++claim.run.attempt.value;
    const Run next = w.run(claim.run).value();
    EXPECT_EQ(next.due - w.now(), wait);
    EXPECT_EQ(next.kind, RunKind::retry);
    EXPECT_EQ(next.key, key);
    w.pass(wait);
    claim = a.take(claim.run).claim.value();
  }
  a.finish(claim, RunState::failed, Reason::exit);
  EXPECT_EQ(w.row(j).pending.size(), 0U);
}

void S72_a_returned_attempt_waits_again_and_counts_for_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retrying(1));
  w.pass(10s);
  const Claim claim = a.start(j);
  w.pass(3s);
  EXPECT_EQ(a.finish(claim, RunState::returned, Reason::drain).state, RunState::returned);
  EXPECT_EQ(w.ledger(j), "10#1 returned: drain, 10#2 pending");
  const Claim second = a.take(slot_of(j, 10, 2)).claim.value();
  EXPECT_EQ(second.key, claim.key);
  EXPECT_EQ(second.due, claim.due);
  a.finish(second, RunState::failed, Reason::exit);
  EXPECT_EQ(w.state(slot_of(j, 10, 3)), "pending");
}

void S73_success_cancellation_and_a_guard_are_not_followed_by_an_attempt(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retrying(3));
  const std::vector<std::pair<RunState, Reason>> ends{{RunState::succeeded, Reason::none},
                                                      {RunState::cancelled, Reason::by_operator},
                                                      {RunState::skipped, Reason::guard}};
  for (const auto& [state, reason] : ends) {
    w.pass(10s);
    a.finish(a.start(j), state, reason);
  }
  EXPECT_EQ(w.ledger(j), "10#1 succeeded, 20#1 cancelled: operator, 30#1 skipped: guard");
}

void S74_a_run_that_its_own_node_calls_lost_follows_on_lost(World& w) {
  struct Following {
    OnLost on_lost;
    const char* state;
  };
  Actor& a = w.node("a");
  for (const auto& [on_lost, state] :
       {Following{OnLost::rerun, "pending"}, {OnLost::hold, "held"}, {OnLost::skip, "none"}}) {
    Job job = job_named(state);
    job.on_lost = on_lost;
    const JobUid j = w.job(a, job);
    w.pass(10s);
    Claim claim = a.start(j);
    EXPECT_EQ(a.finish(claim, RunState::lost, Reason::keeper).refused, Refused::none);
    EXPECT_EQ(a.finish(claim, RunState::lost, Reason::keeper).refused, Refused::none);
    EXPECT_EQ(w.state(claim.run), "lost: keeper");
    ++claim.run.attempt.value;
    EXPECT_EQ(w.state(claim.run), state);
    ++claim.run.attempt.value;
    EXPECT_EQ(w.state(claim.run), "none");
  }
}

void S75_the_true_finish_of_a_lost_run_is_taken_once_and_marked_late(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a, retrying(3));
  w.pass(10s);
  const Claim claim = a.start(j);
  b.sweep(a);
  EXPECT_EQ(b.finish(claim, RunState::returned).refused, Refused::stale);
  EXPECT_EQ(b.finish(claim, RunState::failed, Reason::exit).state, RunState::failed);
  EXPECT_EQ(b.finish(claim, RunState::succeeded).state, RunState::failed);
  EXPECT_EQ(w.ledger(j), "10#1 failed: late");  // and no retry
  EXPECT_TRUE(w.row(j).live.empty());
}

void S76_a_late_success_closes_the_next_attempt_while_it_is_pending(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::rerun;
  const JobUid j = w.job(b, job);
  w.pass(10s);
  const Claim first = a.start(j);
  b.sweep(a);
  b.finish(first, RunState::succeeded);
  EXPECT_EQ(w.ledger(j), "10#1 succeeded: late, 10#2 skipped: superseded");
  Actor& c = w.node("c");
  w.pass(10s);
  const Claim second = c.start(j);
  b.sweep(c);
  const Claim rerun = b.take(slot_of(j, 20, 2)).claim.value();
  b.finish(second, RunState::succeeded);
  EXPECT_EQ(w.state(second.run), "succeeded: late");
  EXPECT_EQ(w.state(rerun.run), "running");
}

void S111_a_slot_that_succeeded_late_is_not_started_again(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::rerun;
  const JobUid j = w.job(b, job);
  w.pass(10s);
  const Claim first = a.start(j);
  b.sweep(a);
  const Claim rerun = b.take(slot_of(j, 10, 2)).claim.value();
  b.finish(first, RunState::succeeded);
  b.finish(rerun, RunState::returned);  // the third attempt waits
  EXPECT_EQ(b.take(slot_of(j, 10, 3)).refused, Refused::gone);
  EXPECT_EQ(w.ledger(j), "10#1 succeeded: late, 10#2 returned, 10#3 skipped: superseded");
}

void run_by_hand(Actor& node, JobUid job, const std::string& request) {
  node.control(TriggerJob{job, request});
  node.finish(node.take(request_of(job, request)).claim.value(), RunState::succeeded);
}

void S77_after_counts_from_the_end_of_the_last_attempt(World& w) {
  Actor& a = w.node("a");
  Job job = retrying(1);
  job.on_lost = OnLost::hold;
  job.schedule.elements = {AfterSpec{30s}};
  const JobUid j = w.job(a, job);
  EXPECT_EQ(w.row(j).plan.next, at(30));
  w.pass(30s);
  const Claim first = a.start(j);
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);
  w.pass(5s);
  a.finish(first, RunState::failed, Reason::exit);
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);  // a retry waits
  w.pass(5s);
  const Claim second = a.take(slot_of(j, 30, 2)).claim.value();
  w.pass(5s);
  a.finish(second, RunState::succeeded);
  EXPECT_EQ(w.row(j).plan.next, at(75));
  w.pass(30s + 1ms);
  a.finish(a.start(j), RunState::lost, Reason::keeper);
  run_by_hand(a, j, "q");
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);  // one is held
  a.control(ReleaseRun{slot_of(j, 75, 2)});
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);
  a.finish(a.take(slot_of(j, 75, 2)).claim.value(), RunState::succeeded);
  EXPECT_EQ(w.row(j).plan.next, at(106));  // from 75.001, rounded up
  w.pass(10s);
  run_by_hand(a, j, "r");
  EXPECT_EQ(w.row(j).plan.next, at(106));
}

void S78_a_retired_job_gets_no_further_attempt(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retrying(3));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(10s);
  const Claim failing = a.start(j);
  const Claim returning = a.start(k);
  for (const JobUid job : {j, k}) a.control(RetireJob{job});
  a.finish(failing, RunState::failed, Reason::exit);
  a.finish(returning, RunState::returned);
  EXPECT_EQ(w.ledger(j), "10#1 failed: exit");
  EXPECT_EQ(w.ledger(k), "10#1 returned, 10#2 skipped: retired");
}

void S205_a_claim_tells_the_newest_earlier_slot_that_succeeded(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim first = a.start(j);
  EXPECT_EQ(first.previous, std::nullopt);
  a.finish(first, RunState::succeeded);
  w.pass(10s);
  const Claim second = a.start(j);
  EXPECT_EQ(second.previous, at(10));
  a.finish(second, RunState::failed, Reason::exit);
  w.pass(10s);
  const Claim third = a.start(j);
  EXPECT_EQ(third.previous, at(10));
  a.finish(third, RunState::succeeded);
  a.control(TriggerJob{j, "r"});
  const Claim manual = a.take(request_of(j, "r")).claim.value();
  EXPECT_EQ(manual.previous, at(30));
  a.finish(manual, RunState::succeeded);  // no slot
  const auto again = a.control(BackfillSlot{j, at(20), true});
  const Claim old = a.take(again.run.value()).claim.value();
  EXPECT_EQ(old.previous, at(10));
  a.finish(old, RunState::succeeded);
  const auto oldest = a.control(BackfillSlot{j, at(10), true});
  EXPECT_EQ(a.take(oldest.run.value()).claim.value().previous, std::nullopt);
}

void S217_a_failure_that_no_attempt_follows_says_that_all_are_used_up(World& w) {
  Actor& a = w.node("a");
  const JobUid none = w.job(a, job_named("none"));
  const JobUid j = w.job(a, retrying(1));
  w.pass(10s);
  a.finish(a.start(none), RunState::failed, Reason::exit);
  EXPECT_EQ(w.ledger(none), "10#1 failed: exit");  // there was nothing to use up
  a.finish(a.start(j), RunState::returned);
  a.finish(a.take(slot_of(j, 10, 2)).claim.value(), RunState::failed, Reason::exit);
  w.pass(1min);
  a.finish(a.take(slot_of(j, 10, 3)).claim.value(), RunState::failed, Reason::signal);
  EXPECT_EQ(w.ledger(j), "10#1 returned, 10#2 failed: exit, 10#3 failed: retries_exhausted");
}

constexpr Rule kFinishRules[] = {
    CRONCE_RULE(S66_finish_needs_the_fence_and_the_incarnation_of_the_row),
    CRONCE_RULE(S67_finish_records_the_end_and_frees_the_job),
    CRONCE_RULE(S68_repeating_finish_changes_nothing),
    CRONCE_RULE(S69_finish_of_an_unknown_row_is_gone),
    CRONCE_RULE(S70_only_the_ways_out_of_running_can_be_reported),
    CRONCE_RULE(S71_a_failure_is_retried_with_the_same_key_after_its_back_off),
    CRONCE_RULE(S72_a_returned_attempt_waits_again_and_counts_for_nothing),
    CRONCE_RULE(S73_success_cancellation_and_a_guard_are_not_followed_by_an_attempt),
    CRONCE_RULE(S74_a_run_that_its_own_node_calls_lost_follows_on_lost),
    CRONCE_RULE(S75_the_true_finish_of_a_lost_run_is_taken_once_and_marked_late),
    CRONCE_RULE(S76_a_late_success_closes_the_next_attempt_while_it_is_pending),
    CRONCE_RULE(S111_a_slot_that_succeeded_late_is_not_started_again),
    CRONCE_RULE(S77_after_counts_from_the_end_of_the_last_attempt),
    CRONCE_RULE(S78_a_retired_job_gets_no_further_attempt),
    CRONCE_RULE(S217_a_failure_that_no_attempt_follows_says_that_all_are_used_up),
    CRONCE_RULE(S205_a_claim_tells_the_newest_earlier_slot_that_succeeded),
};

}  // namespace

std::span<const Rule> finish_rules() { return kFinishRules; }

}  // namespace cronce::contract
