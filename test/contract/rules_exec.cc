// exec: one slot, claimed by the process that runs it: S137-S148, S184, S185, S200, S201.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

SlotOutcome outcome(RunState state, Reason reason = Reason::none) {
  return {state, reason, std::nullopt};
}

/// What a first exec ran.
Claim ended_at_ten(World& w, Actor& a, RunState state) {
  w.pass(10s);
  const Claim claim = a.exec(job_named("j"), at(10)).claim.value();
  a.finish(claim, state);
  return claim;
}

void S137_exec_makes_node_job_and_run_in_one_step(World& w) {
  Actor& a = w.stranger("a");
  w.pass(10s);
  const auto answer = a.exec(job_named("j"), at(10));
  EXPECT_EQ(answer.refused, Refused::none);
  const JobUid j = w.find("j").value();
  const Claim claim = answer.claim.value();
  EXPECT_EQ(claim.run, slot_of(j, 10));
  EXPECT_EQ(answer.run, claim.run);
  EXPECT_EQ(claim.claimed_at, at(10));
  EXPECT_EQ(w.run(claim.run).value().kind, RunKind::exec);
  EXPECT_EQ(w.direct().nodes().value().at(0), a.self());
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);
  EXPECT_FALSE(w.row(j).retired());
  EXPECT_EQ(a.beat().held, std::vector{claim});
  EXPECT_EQ(a.finish(claim, RunState::succeeded).state, RunState::succeeded);
  w.pass(10s);
  ++a.self().beat.value;
  EXPECT_TRUE(a.exec(job_named("j"), at(20)).claim);
  EXPECT_EQ(w.direct().nodes().value().at(0), a.self());  // it counts as a beat
}

void S138_a_slot_that_exec_ran_is_settled_for_everybody(World& w) {
  Actor& a = w.stranger("a");
  Actor& b = w.stranger("b");
  w.pass(10s);
  const Claim claim = a.exec(job_named("j"), at(10)).claim.value();
  auto other = b.exec(job_named("j"), at(10));
  EXPECT_EQ(other.settled, outcome(RunState::running));
  EXPECT_FALSE(other.claim);
  a.finish(claim, RunState::failed, Reason::exit);
  other = b.exec(job_named("j"), at(10));
  EXPECT_EQ(other.settled, outcome(RunState::failed, Reason::exit));
  EXPECT_EQ(w.ledger(claim.run.job), "10#1 failed: exit");
}

void S139_exec_claims_no_slot_of_the_future(World& w) {
  Actor& a = w.stranger("a");
  w.pass(8s);
  EXPECT_EQ(a.exec(job_named("j"), at(10)).refused, Refused::future);
  EXPECT_EQ(w.find("j"), std::nullopt);
  w.pass(2s);
  EXPECT_TRUE(a.exec(job_named("j"), at(10)).claim);
}

void S223_exec_claims_nothing_where_its_clock_and_the_stores_disagree(World& w) {
  Actor& a = w.stranger("a");
  w.pass(100s);
  const Job j = job_named("j");
  EXPECT_EQ(a.exec_by(at(69), j, at(10)).refused, Refused::clock);    // the store's may have leapt
  EXPECT_EQ(a.exec_by(at(131), j, at(10)).refused, Refused::clock);   // or its own
  EXPECT_EQ(a.exec_by(at(131), j, at(120)).refused, Refused::clock);  // not waited for
  a.lane().doubt(at(90));  // a course does not hide what the store's clock shows
  EXPECT_EQ(a.exec_by(at(69), j, at(10)).refused, Refused::clock);
  EXPECT_EQ(w.find("j"), std::nullopt);
  EXPECT_TRUE(w.direct().nodes().value().empty());
  EXPECT_TRUE(a.exec_by(at(70), j, at(10)).claim);
  EXPECT_TRUE(a.exec_by(at(130), job_named("k"), at(10)).claim);
}

void S140_a_schedule_passes_over_a_slot_that_exec_ran(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = w.stranger("b").exec(job_named("j"), at(10)).claim.value();
  const auto answer = a.run(j);
  EXPECT_EQ(told(answer), "running");
  EXPECT_FALSE(answer.runs.at(0).claim);
  EXPECT_EQ(w.row(j).plan.cursor, at(10));
  EXPECT_EQ(w.row(j).plan.next, at(20));
  EXPECT_EQ(w.ledger(j), "10#1 running");
  EXPECT_EQ(w.row(j).live, (std::vector<LiveRun>{{claim.run, claim.incarnation, claim.fence}}));
}

void S141_below_the_cursor_of_a_files_job_exec_is_told_what_became_of_the_slot(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history.edit().succeeded = 0;
  const JobUid j = w.job(a, job);
  w.pass(30s);
  a.finish(a.start(j), RunState::failed, Reason::exit);
  w.pass(10s);
  a.finish(a.start(j), RunState::succeeded);
  a.lane().sweep({});
  Actor& b = w.stranger("b");
  EXPECT_EQ(b.exec(job, at(20)).settled, outcome(RunState::skipped, Reason::missed));
  EXPECT_EQ(b.exec(job, at(30)).settled, outcome(RunState::failed, Reason::exit));
  EXPECT_EQ(b.exec(job, at(40)).refused, Refused::too_old);  // it was purged
  EXPECT_EQ(b.exec(job, at(0)).refused, Refused::too_old);   // it was before the job
  w.pass(1s);
  EXPECT_TRUE(b.exec(job, at(41)).claim);
  EXPECT_EQ(w.row(j).plan.cursor, at(40));
  EXPECT_EQ(w.row(j).plan.next, at(50));
}

void S142_exec_waits_for_nobody(World& w) {
  Actor& a = w.stranger("a");
  Actor& b = w.stranger("b");
  Job job = job_named("j");
  job.overlap = Overlap::queue;
  job.concurrency = Concurrency{"g", 1};
  Job other = job_named("k");
  other.concurrency = job.concurrency;
  w.pass(10s);
  const Claim claim = a.exec(job, at(10)).claim.value();
  w.pass(10s);
  const SlotOutcome overlap = outcome(RunState::skipped, Reason::overlap);
  EXPECT_EQ(b.exec(job, at(20)).settled, overlap);
  EXPECT_EQ(b.exec(other, at(20)).settled, overlap);  // the group is full
  EXPECT_EQ(w.ledger(claim.run.job), "10#1 running, 20#1 skipped: overlap");
  EXPECT_EQ(w.ledger(w.find("k").value()), "20#1 skipped: overlap");
}

void S143_of_a_job_that_only_exec_knows_nothing_is_settled(World& w) {
  Actor& a = w.stranger("a");
  w.pass(100s);
  for (const Time slot : {at(90), at(20), Time{} - 1s, at(50)}) {
    const Claim claim = a.exec(job_named("j"), slot).claim.value();
    a.finish(claim, RunState::succeeded);
    EXPECT_TRUE(a.exec(job_named("j"), slot).settled);
  }
  EXPECT_EQ(w.runs(w.find("j").value()).size(), 4U);
}

void S144_purge_settles_for_ever_what_only_exec_knew(World& w) {
  Actor& a = w.stranger("a");
  Job job = job_named("j");
  job.history.edit().succeeded = 1;
  w.pass(100s);
  for (const int second : {20, 50, 90}) {
    a.finish(a.exec(job, at(second)).claim.value(), RunState::succeeded);
  }
  a.lane().sweep({});
  const JobUid j = w.find("j").value();
  EXPECT_EQ(w.ledger(j), "90#1 succeeded");
  EXPECT_EQ(w.row(j).plan.cursor, at(50));
  for (const int second : {20, 30, 50}) {
    EXPECT_EQ(a.exec(job, at(second)).refused, Refused::too_old);
  }
  EXPECT_TRUE(a.exec(job, at(60)).claim);
}

void S145_what_exec_ran_above_the_cursor_of_a_files_job_is_not_purged(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history = HistoryLimits{.succeeded = 0, .failed = 0, .skipped = 0};
  const JobUid j = w.job(a, job);
  w.pass(10s);
  Actor& b = w.stranger("b");
  b.finish(b.exec(job, at(10)).claim.value(), RunState::succeeded);
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(j), "10#1 succeeded");
  EXPECT_EQ(w.row(j).plan.next, at(10));
  EXPECT_EQ(told(a.run(j)), "succeeded");
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(j), "");
}

void S146_a_file_takes_over_a_job_that_only_exec_knew(World& w) {
  Actor& a = w.node("a");
  w.pass(5s);
  const Claim claim = w.stranger("b").exec(job_named("j"), at(5)).claim.value();
  w.pass(20s);
  const JobUid j = w.job(a);
  EXPECT_EQ(j, claim.run.job);
  EXPECT_FALSE(w.row(j).only_exec);
  EXPECT_EQ(w.row(j).plan.cursor, at(25));
  EXPECT_EQ(w.row(j).plan.next, at(30));
  EXPECT_EQ(w.stranger("c").exec(job_named("j"), at(20)).refused, Refused::too_old);
  w.pass(5s);
  EXPECT_EQ(told(a.run(j)), "skipped: overlap");
}

void S147_exec_is_refused_to_the_ended_while_paused_and_for_jobs_that_run_everywhere(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  Job everywhere = job_named("k");
  everywhere.everywhere = true;
  w.job(a, everywhere);
  a.control(PauseJob{j, {}});
  w.pass(10s);
  EXPECT_EQ(b.exec(job_named("j"), at(10)).refused, Refused::paused);
  EXPECT_EQ(b.exec(everywhere, at(10)).refused, Refused::invalid);
  a.sweep(b);
  EXPECT_EQ(b.exec(job_named("l"), at(10)).refused, Refused::ended);
  const ExecSlot another{b.self(), job_named("l"), at(10)};
  EXPECT_EQ(a.control(another).refused, Refused::invalid);  // not its own node
  EXPECT_EQ(w.find("l"), std::nullopt);
  EXPECT_EQ(w.ledger(j), "");
}

void S148_a_range_leaves_the_run_of_exec_alone(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(20s);
  Actor& b = w.stranger("b");
  b.finish(b.exec(job_named("j"), at(10)).claim.value(), RunState::succeeded);
  b.finish(b.exec(job_named("k"), at(20)).claim.value(), RunState::succeeded);
  w.pass(20s);
  EXPECT_EQ(told(a.run(j)), "running");
  EXPECT_EQ(told(a.run(k)), "running");
  EXPECT_EQ(w.state(slot_of(j, 10)), "succeeded");
  EXPECT_EQ(w.state(slot_of(k, 20)), "succeeded");
  for (const Run& run : w.runs(j)) EXPECT_TRUE(!run.slot_to || run.id.slot > at(10));
  EXPECT_EQ(w.ledger(j), "10#1 succeeded, 10-30#1 skipped: missed (2), 40#1 running");
  EXPECT_EQ(a.control(BackfillSlot{j, at(10), false}).refused, Refused::stale);
  EXPECT_EQ(a.control(BackfillSlot{k, at(20), false}).refused, Refused::stale);
  EXPECT_EQ(a.control(BackfillSlot{k, at(10), false}).refused, Refused::none);
}

void S184_an_attempt_that_waits_is_taken_by_exec_of_its_slot(World& w) {
  Actor& a = w.stranger("a");
  const Claim claim = ended_at_ten(w, a, RunState::returned);
  const auto again = a.exec(job_named("j"), at(10));
  EXPECT_EQ(again.claim.value().run, slot_of(claim.run.job, 10, 2));
  EXPECT_GT(again.claim.value().fence, claim.fence);
  EXPECT_EQ(a.control(TriggerJob{claim.run.job, "r"}).refused, Refused::invalid);
  EXPECT_EQ(a.control(BackfillSlot{claim.run.job, at(0), true}).refused, Refused::invalid);
}

void S185_a_pause_that_is_over_does_not_stop_exec(World& w) {
  Actor& a = w.stranger("a");
  const Claim claim = ended_at_ten(w, a, RunState::succeeded);
  a.control(PauseJob{claim.run.job, {at(15), ""}});
  w.pass(4s);
  EXPECT_EQ(a.exec(job_named("j"), at(14)).refused, Refused::paused);
  w.pass(1s);
  EXPECT_TRUE(a.exec(job_named("j"), at(15)).claim);
}

void S200_an_attempt_that_waits_is_not_taken_by_exec_while_the_job_is_paused(World& w) {
  Actor& a = w.stranger("a");
  const Claim claim = ended_at_ten(w, a, RunState::returned);
  a.control(PauseJob{claim.run.job, {at(15), ""}});
  EXPECT_EQ(a.exec(job_named("j"), at(10)).refused, Refused::paused);
  w.pass(5s);
  EXPECT_TRUE(a.exec(job_named("j"), at(10)).claim);
}

/// As the deploy of another schedule, or an exec between the slots, leaves them.
void S201_a_row_between_the_slots_of_a_range_stands_for_none_of_them(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(30s);
  Actor& b = w.stranger("b");
  for (const int slot : {10, 15, 30}) {
    b.finish(b.exec(job_named("j"), at(slot)).claim.value(), RunState::succeeded);
  }
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "running");  // 40, after the range of 10, 20 and 30
  EXPECT_EQ(a.control(BackfillSlot{j, at(20), false}).refused, Refused::none);
  b.finish(b.exec(job_named("k"), at(10)).claim.value(), RunState::succeeded);
  EXPECT_EQ(a.control(RetireJob{k, 0}).refused, Refused::none);  // nobody counted
  EXPECT_EQ(w.ledger(k), "10#1 succeeded, 10-40#1 skipped: retired (0)");
}

constexpr Rule kExecRules[] = {
    CRONCE_RULE(S137_exec_makes_node_job_and_run_in_one_step),
    CRONCE_RULE(S138_a_slot_that_exec_ran_is_settled_for_everybody),
    CRONCE_RULE(S139_exec_claims_no_slot_of_the_future),
    CRONCE_RULE(S140_a_schedule_passes_over_a_slot_that_exec_ran),
    CRONCE_RULE(S141_below_the_cursor_of_a_files_job_exec_is_told_what_became_of_the_slot),
    CRONCE_RULE(S142_exec_waits_for_nobody),
    CRONCE_RULE(S143_of_a_job_that_only_exec_knows_nothing_is_settled),
    CRONCE_RULE(S144_purge_settles_for_ever_what_only_exec_knew),
    CRONCE_RULE(S145_what_exec_ran_above_the_cursor_of_a_files_job_is_not_purged),
    CRONCE_RULE(S146_a_file_takes_over_a_job_that_only_exec_knew),
    CRONCE_RULE(S147_exec_is_refused_to_the_ended_while_paused_and_for_jobs_that_run_everywhere),
    CRONCE_RULE(S148_a_range_leaves_the_run_of_exec_alone),
    CRONCE_RULE(S184_an_attempt_that_waits_is_taken_by_exec_of_its_slot),
    CRONCE_RULE(S185_a_pause_that_is_over_does_not_stop_exec),
    CRONCE_RULE(S200_an_attempt_that_waits_is_not_taken_by_exec_while_the_job_is_paused),
    CRONCE_RULE(S201_a_row_between_the_slots_of_a_range_stands_for_none_of_them),
    CRONCE_RULE(S223_exec_claims_nothing_where_its_clock_and_the_stores_disagree),
};

}  // namespace

std::span<const Rule> exec_rules() { return kExecRules; }

}  // namespace cronce::contract
