// Control: pause, resume, trigger, cancel, release, retire, recede: S89-S99, S115.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

ResumeJob resume(World& w, JobUid job, std::int64_t covered) {
  return {job, w.now(), w.next_slot(job), covered};
}

void S89_what_a_pause_covered_becomes_one_range_and_is_not_caught_up(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(5s);
  const Turn before = w.row(j).plan.turn;
  a.control(PauseJob{j, {std::nullopt, "holiday"}});
  EXPECT_TRUE(w.row(j).paused());
  EXPECT_GT(w.row(j).plan.turn, before);
  w.pass(30s);
  EXPECT_EQ(a.control(resume(w, j, 3)).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10-35#1 skipped: paused (3)");
  EXPECT_EQ(w.row(j).plan.cursor, at(35));
  EXPECT_EQ(w.row(j).plan.next, at(40));
  w.pass(5s);
  EXPECT_EQ(told(a.run(j)), "running");
}

void S90_resume_of_a_job_that_nobody_paused_changes_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(12s);  // a slot is owed, and no pause covers it
  EXPECT_EQ(a.control(resume(w, j, 1)).refused, Refused::moved);
  EXPECT_EQ(told(a.run(j)), "running");
}

void S91_resume_needs_the_first_slot_after_what_is_settled(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.control(PauseJob{j, {}});
  ResumeJob early = resume(w, j, 1);
  w.pass(15s);
  EXPECT_EQ(a.control(early).refused, Refused::future);
  EXPECT_TRUE(w.row(j).paused());
  EXPECT_EQ(w.ledger(j), "");
}

void S92_a_request_makes_one_run_however_often_it_is_asked(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  a.control(PauseJob{j, {}});
  const auto first = a.control(TriggerJob{j, "r"});
  EXPECT_EQ(first.run, request_of(j, "r"));
  EXPECT_EQ(b.control(TriggerJob{j, "r"}), first);
  a.finish(a.take(request_of(j, "r")).claim.value(), RunState::succeeded);
  EXPECT_EQ(a.control(TriggerJob{j, "r"}), first);
  EXPECT_EQ(w.ledger(j), "r#1 succeeded");
  EXPECT_EQ(a.control(TriggerJob{j, ""}).refused, Refused::invalid);
}

void S93_a_manual_run_does_not_touch_the_plan(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Plan plan = w.row(j).plan;
  a.control(TriggerJob{j, "r"});
  a.finish(a.take(request_of(j, "r")).claim.value(), RunState::succeeded);
  EXPECT_EQ(w.row(j).plan, plan);
  EXPECT_EQ(told(a.run(j)), "running");
}

void S94_cancel_ends_what_waits_and_asks_what_runs_to_stop(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  for (const char* request : {"p", "q"}) a.control(TriggerJob{j, request});
  const Claim live = a.take(request_of(j, "q")).claim.value();
  EXPECT_EQ(a.control(CancelRun{request_of(j, "p")}).refused, Refused::none);
  EXPECT_EQ(a.control(CancelRun{live.run}).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "p#1 cancelled: operator, q#1 running");
  EXPECT_EQ(a.beat().stops.size(), 1U);
  a.finish(live, RunState::succeeded);
  EXPECT_EQ(a.control(CancelRun{live.run}).refused, Refused::moved);
  EXPECT_EQ(w.ledger(j), "p#1 cancelled: operator, q#1 succeeded");
}

void S95_only_a_held_run_is_released_and_it_can_be_cancelled(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::hold;
  job.overlap = Overlap::allow;
  const JobUid j = w.job(a, job);
  for (int i = 0; i < 2; ++i) {
    w.pass(10s);
    a.start(j);
  }
  b.sweep(a);
  EXPECT_EQ(b.control(ReleaseRun{slot_of(j, 10, 2)}).refused, Refused::none);
  EXPECT_EQ(b.control(ReleaseRun{slot_of(j, 10, 2)}).refused, Refused::moved);
  EXPECT_EQ(b.control(CancelRun{slot_of(j, 20, 2)}).refused, Refused::none);
  EXPECT_EQ(w.ledger(j),
            "10#1 lost: node, 10#2 pending, 20#1 lost: node, 20#2 cancelled: operator");
  EXPECT_TRUE(b.take(slot_of(j, 10, 2)).claim);
}

void S96_retire_ends_the_plan_and_what_waits(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::hold;
  const JobUid j = w.job(b, job);
  w.pass(10s);
  a.start(j);
  b.sweep(a);
  b.control(TriggerJob{j, "r"});
  EXPECT_EQ(b.control(RetireJob{j}).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 10#2 held, r#1 skipped: retired");
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);
  EXPECT_EQ(b.control(TriggerJob{j, "s"}).refused, Refused::retired);
  EXPECT_EQ(b.control(ReleaseRun{slot_of(j, 10, 2)}).refused, Refused::retired);
  EXPECT_EQ(b.control(RecedeJob{j, w.now(), at(20)}).refused, Refused::retired);
}

void S115_what_a_retired_job_owed_becomes_one_range(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(25s);
  EXPECT_EQ(a.control(RetireJob{j, 2}).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10-25#1 skipped: retired (2)");
  EXPECT_EQ(w.row(j).plan.cursor, at(25));
}

/// The cursor goes far ahead without a record, and then the clock comes back.
void poison(World& w, Actor& node, const Job& job) {
  const std::string& name = job.name.text();
  node.enroll(w.set_of(name, "2", {}));
  w.set_clock(at(100));
  node.enroll(w.set_of(name, "3", {job}));
  w.set_clock(at(5));
}

void S97_recede_brings_a_poisoned_cursor_back_to_store_time(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  DecideEntry entry = w.owed(j);
  entry.label = CivilTime{10s};
  a.finish(a.decide(entry).runs.at(0).claim.value(), RunState::succeeded);
  poison(w, a, job_named("j"));
  EXPECT_EQ(w.row(j).plan.label, CivilTime{10s});
  w.set_clock(at(15));
  const Turn before = w.row(j).plan.turn;
  EXPECT_EQ(a.control(RecedeJob{j, at(15), at(20)}).refused, Refused::none);
  EXPECT_EQ(w.row(j).plan.cursor, at(15));
  EXPECT_EQ(w.row(j).plan.next, at(20));
  EXPECT_EQ(w.row(j).plan.label, std::nullopt);
  EXPECT_EQ(w.row(j).since, at(15));  // its slots from here on are this definition's
  EXPECT_GT(w.row(j).plan.turn, before);
  EXPECT_EQ(a.control(RecedeJob{j, at(15), at(20)}).refused, Refused::moved);
}

void S98_recede_stops_above_everything_that_is_or_was_recorded(World& w) {
  Actor& a = w.node("a");
  Job purged = job_named("j");
  purged.history.edit().succeeded = 0;
  const JobUid j = w.job(a, purged);
  const JobUid k = w.job(a, job_named("k"));
  const JobUid l = w.job(a, job_named("l"));
  w.pass(30s);
  for (const JobUid job : {j, l}) a.finish(a.start(job), RunState::succeeded);
  a.lane().sweep({});
  DecideEntry missed = w.owed(k);
  missed.runs.clear();
  missed.skipped = {{at(10), at(30), 3, Reason::missed}};
  a.decide(missed);
  for (const Job& job : {purged, job_named("k"), job_named("l")}) {
    w.set_clock(at(30));
    poison(w, a, job);
  }
  for (const JobUid job : {j, k, l}) {  // 30 was purged, is the last of a range, or has a row
    EXPECT_EQ(a.control(RecedeJob{job, at(5), at(10)}).refused, Refused::future);
    EXPECT_EQ(a.control(RecedeJob{job, at(5), at(40)}).refused, Refused::none);
    EXPECT_EQ(w.row(job).plan.cursor, at(30));
  }
}

void S99_what_does_not_exist_is_gone(World& w) {
  Actor& a = w.node("a");
  const JobUid none{99};
  const RunId run = slot_of(none, 10);
  const std::vector<ControlAsk> asks{PauseJob{none, {}},    ResumeJob{none, {}, {}, 0},
                                     TriggerJob{none, "r"}, CancelRun{run},
                                     ReleaseRun{run},       BackfillSlot{none, at(0), true},
                                     RetireJob{none},       RecedeJob{none, {}, {}}};
  for (const ControlAsk& ask : asks) EXPECT_EQ(a.control(ask).refused, Refused::gone);
}

void S206_what_a_request_adds_to_the_environment_comes_with_every_claim_of_it(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retried("j"));
  const std::map<std::string, std::string> env{{"MODE", "dry run"}, {"EMPTY", ""}};
  a.control(TriggerJob{j, "r", env});
  a.control(TriggerJob{j, "r", std::map<std::string, std::string>{{"MODE", "other"}}});
  const Claim first = a.take(request_of(j, "r")).claim.value();
  EXPECT_EQ(*first.env, env);
  a.finish(first, RunState::failed, Reason::exit);
  w.pass(10min);
  EXPECT_EQ(*a.take(request_of(j, "r", 2)).claim.value().env, env);
}

void S212_however_a_run_ends_that_a_person_cancelled_no_attempt_follows(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job rerun = job_named("k");
  rerun.on_lost = OnLost::rerun;
  const JobUid j = w.job(a, retried("j"));
  const JobUid k = w.job(a, rerun);
  const JobUid l = w.job(a, job_named("l"));
  w.pass(10s);
  const Claim failing = a.start(j);
  const Claim vanishing = a.start(k);
  const Claim unused = a.start(l);
  for (const Claim& claim : {failing, vanishing, unused}) a.control(CancelRun{claim.run});
  a.finish(failing, RunState::failed, Reason::exit);  // before it was told
  EXPECT_EQ(w.ledger(j), "10#1 failed: exit");
  a.finish(unused, RunState::returned);
  EXPECT_EQ(w.ledger(l), "10#1 cancelled: operator");
  b.sweep(a);
  EXPECT_EQ(w.ledger(k), "10#1 lost: node");
}

constexpr Rule kControlRules[] = {
    CRONCE_RULE(S89_what_a_pause_covered_becomes_one_range_and_is_not_caught_up),
    CRONCE_RULE(S90_resume_of_a_job_that_nobody_paused_changes_nothing),
    CRONCE_RULE(S91_resume_needs_the_first_slot_after_what_is_settled),
    CRONCE_RULE(S92_a_request_makes_one_run_however_often_it_is_asked),
    CRONCE_RULE(S93_a_manual_run_does_not_touch_the_plan),
    CRONCE_RULE(S94_cancel_ends_what_waits_and_asks_what_runs_to_stop),
    CRONCE_RULE(S95_only_a_held_run_is_released_and_it_can_be_cancelled),
    CRONCE_RULE(S96_retire_ends_the_plan_and_what_waits),
    CRONCE_RULE(S115_what_a_retired_job_owed_becomes_one_range),
    CRONCE_RULE(S97_recede_brings_a_poisoned_cursor_back_to_store_time),
    CRONCE_RULE(S98_recede_stops_above_everything_that_is_or_was_recorded),
    CRONCE_RULE(S99_what_does_not_exist_is_gone),
    CRONCE_RULE(S206_what_a_request_adds_to_the_environment_comes_with_every_claim_of_it),
    CRONCE_RULE(S212_however_a_run_ends_that_a_person_cancelled_no_attempt_follows),
};

}  // namespace

std::span<const Rule> control_rules() { return kControlRules; }

}  // namespace cronce::contract
