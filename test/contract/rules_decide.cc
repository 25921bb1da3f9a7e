// Decide: what is granted, and what a grant changes: S36-S48, S116.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

void S36_a_due_slot_of_an_idle_job_runs_under_a_claim(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(11s);
  const Claim claim = a.start(j);
  EXPECT_EQ(claim.run, slot_of(j, 10));
  EXPECT_EQ(claim.incarnation, a.incarnation());
  EXPECT_EQ(claim.key, "j@2026-01-01T00:00:10Z");
  EXPECT_EQ(claim.due, at(10));
  EXPECT_EQ(claim.claimed_at, at(11));
  const auto row = w.run(claim.run);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->state, RunState::running);
  EXPECT_EQ(row->fence, claim.fence);
  EXPECT_EQ(row->incarnation, a.incarnation());
  EXPECT_EQ(row->node, "a");
  EXPECT_EQ(row->kind, RunKind::scheduled);
}

void S37_a_settled_slot_is_never_run_again(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const DecideEntry entry = w.owed(j);
  EXPECT_EQ(told(a.decide(entry)), "running");
  EXPECT_EQ(told(b.decide(entry)), "moved");
  EXPECT_EQ(told(a.decide(entry)), "moved");
  DecideEntry renewed = entry;
  renewed.turn = w.row(j).plan.turn;
  EXPECT_EQ(told(b.decide(renewed)), "moved");
  EXPECT_EQ(w.ledger(j), "10#1 running");
}

void S38_turn_and_from_must_be_the_jobs(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(20s);
  DecideEntry old_turn = w.owed(j);
  --old_turn.turn.value;
  EXPECT_EQ(told(a.decide(old_turn)), "moved");
  DecideEntry gap = w.owed(j);
  gap.from = at(20);  // leaves out the slot at 10
  gap.skipped.clear();
  EXPECT_EQ(told(a.decide(gap)), "moved");
  EXPECT_EQ(w.ledger(j), "");
}

void S39_nothing_is_decided_before_it_is_due_by_the_stores_clock(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s - 1ms);
  EXPECT_EQ(told(a.run(j)), "future");
  w.pass(1ms);
  DecideEntry later = w.owed(j);
  later.runs[0].due = at(12);  // jitter
  EXPECT_EQ(told(a.decide(later)), "future");
  DecideEntry beyond = w.owed(j);
  beyond.runs.clear();
  beyond.skipped = {{at(10), at(20), 2, Reason::missed}};
  beyond.through = at(20);
  beyond.next = at(30);
  EXPECT_EQ(told(a.decide(beyond)), "future");
  w.pass(2s);
  EXPECT_EQ(told(a.decide(later)), "running");
}

void S40_an_entry_that_cannot_be_right_is_invalid(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(30s);
  const DecideEntry good = w.owed(j);
  std::vector<DecideEntry> bad(6, good);
  bad[0].next = good.through;                          // next is not after through
  bad[1].runs[0].slot = at(40);                        // a slot beyond through
  bad[2].skipped[0].from = at(0);                      // a slot before from
  bad[3].skipped[0].to = at(30);                       // a slot in a range and a run
  bad[4].skipped.clear();                              // nothing settles `from`
  bad[5].runs = {{at(30), at(30)}, {at(20), at(20)}};  // not oldest first
  bad[5].skipped = {{at(10), at(10), 1, Reason::missed}};
  for (const DecideEntry& entry : bad) EXPECT_EQ(told(a.decide(entry)), "invalid");
  EXPECT_EQ(w.ledger(j), "");
  EXPECT_EQ(told(a.decide(good)), "running");
}

void S41_a_grant_moves_cursor_next_and_turn_in_the_same_step(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(34s);
  const Turn before = w.row(j).plan.turn;
  const auto answer = a.run(j);
  EXPECT_EQ(answer.plan, w.row(j).plan);
  EXPECT_EQ(answer.plan.cursor, at(30));
  EXPECT_EQ(answer.plan.next, at(40));
  EXPECT_GT(answer.plan.turn, before);
  EXPECT_EQ(w.ledger(j), "10-20#1 skipped: missed (2), 30#1 running");
}

void S42_a_refused_entry_changes_nothing_and_tells_the_plan(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  DecideEntry wrong = w.owed(j);
  ++wrong.turn.value;
  const Plan plan = w.row(j).plan;
  EXPECT_EQ(a.decide(wrong).plan, plan);
  EXPECT_EQ(w.row(j).plan, plan);
  wrong.job = JobUid{99};
  EXPECT_EQ(told(a.decide(wrong)), "gone");
}

void S116_a_refusal_names_who_moved_the_plan(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const DecideEntry entry = w.owed(j);
  b.decide(entry);
  const auto late = a.decide(entry);
  EXPECT_EQ(late.refused, Refused::moved);
  EXPECT_EQ(late.winner, "b");
  w.pass(10s);
  const DecideEntry next = w.owed(j);
  a.control(PauseJob{j, {}});
  EXPECT_EQ(b.decide(next).winner, "a");
}

void S43_of_two_entries_of_a_job_in_a_batch_one_is_granted(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const auto answers = a.decide(std::vector{w.owed(j), w.owed(j)});
  EXPECT_EQ(told(answers.at(0)), "running");
  EXPECT_EQ(told(answers.at(1)), "moved");
  EXPECT_EQ(a.finish(answers.at(0).runs.at(0).claim.value(), RunState::succeeded).refused,
            Refused::none);
}

void S44_who_was_ended_or_never_beat_decides_nothing(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  b.sweep(a);
  EXPECT_EQ(told(a.run(j)), "ended");
  const auto unknown = w.direct().decide({Incarnation{{1, 2}}, 0, 1}, {{w.owed(j)}, {}});
  EXPECT_EQ(told(unknown->answer.entries.at(0)), "ended");
  EXPECT_EQ(told(b.run(j)), "running");
}

void S45_of_a_paused_job_only_skips_for_the_pause_are_granted(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.control(PauseJob{j, {}});
  w.pass(20s);
  DecideEntry entry = w.owed(j);
  EXPECT_EQ(told(a.decide(entry)), "paused");
  EXPECT_EQ(told(a.run(j, SlotToRun::How::enqueue)), "paused");
  entry.runs.clear();
  entry.skipped = {{at(10), at(20), 2, Reason::missed}};
  EXPECT_EQ(told(a.decide(entry)), "paused");
  entry.skipped[0].reason = Reason::paused;
  EXPECT_EQ(a.decide(entry).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10-20#1 skipped: paused (2)");
}

void S46_of_a_retired_job_nothing_is_decided(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const DecideEntry entry = w.owed(j);
  a.control(RetireJob{j});
  EXPECT_EQ(told(a.decide(entry)), "retired");
}

void S47_a_slot_older_than_its_window_does_not_run(World& w) {
  Actor& a = w.node("a");
  Job windowed = job_named("j");
  windowed.catch_up.window = 2min;
  Job none = job_named("k");
  none.catch_up.mode = CatchUp::Mode::none;
  Job narrow = job_named("l");
  narrow.catch_up.window = 1s;
  const JobUid j = w.job(a, windowed);
  const JobUid k = w.job(a, none);
  const JobUid l = w.job(a, narrow);
  w.pass(10s);
  DecideEntry of_j = w.owed(j), of_k = w.owed(k), of_l = w.owed(l);
  w.pass(1min + 1ms);  // beyond the grace of 60 s
  for (const DecideEntry& entry : {of_k, of_l}) EXPECT_EQ(told(a.decide(entry)), "too_old");
  w.pass(1min);
  EXPECT_EQ(told(a.decide(of_j)), "too_old");
  w.set_clock(at(70));  // exactly the grace
  for (const DecideEntry& entry : {of_k, of_l}) EXPECT_EQ(told(a.decide(entry)), "running");
  w.set_clock(at(131));
  of_j.runs.clear();
  of_j.skipped = {{at(10), at(10), 1, Reason::missed}};
  EXPECT_EQ(a.decide(of_j).refused, Refused::none);
}

/// What is owed runs, at that civil time.
void run_at(World& w, Actor& a, JobUid job, CivilTime label) {
  DecideEntry entry = w.owed(job);
  entry.label = label;
  a.finish(a.decide(entry).runs.at(0).claim.value(), RunState::succeeded);
}

void S48_the_greatest_civil_label_is_kept_until_the_schedule_changes(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  const JobUid j = w.job(a, job);
  const CivilTime label{std::chrono::seconds{7200}};
  w.pass(10s);
  run_at(w, a, j, label);
  w.pass(10s);
  run_at(w, a, j, label - 1h);  // the clocks of the zone went back
  job.overlap = Overlap::queue;
  a.enroll(w.set_of("j", "policy", {job}));
  EXPECT_EQ(w.row(j).plan.label, label);
  ScheduleSpec zone = job.schedule, dst = job.schedule, elements = job.schedule;
  zone.timezone = "Europe/Berlin";
  dst.dst.fold = Fold::second;
  elements.elements = {EverySpec{20s, std::nullopt}};
  int digest = 2;
  for (const ScheduleSpec& other : {zone, dst, elements}) {
    job.schedule = other;
    a.enroll(w.set_of("j", std::to_string(digest++), {job}));
    EXPECT_EQ(w.row(j).plan.label, std::nullopt);
    w.pass(20s);
    run_at(w, a, j, label - 1h);
    EXPECT_EQ(w.row(j).plan.label, label - 1h);
  }
}

constexpr Rule kDecideRules[] = {
    CRONCE_RULE(S36_a_due_slot_of_an_idle_job_runs_under_a_claim),
    CRONCE_RULE(S37_a_settled_slot_is_never_run_again),
    CRONCE_RULE(S38_turn_and_from_must_be_the_jobs),
    CRONCE_RULE(S39_nothing_is_decided_before_it_is_due_by_the_stores_clock),
    CRONCE_RULE(S40_an_entry_that_cannot_be_right_is_invalid),
    CRONCE_RULE(S41_a_grant_moves_cursor_next_and_turn_in_the_same_step),
    CRONCE_RULE(S42_a_refused_entry_changes_nothing_and_tells_the_plan),
    CRONCE_RULE(S116_a_refusal_names_who_moved_the_plan),
    CRONCE_RULE(S43_of_two_entries_of_a_job_in_a_batch_one_is_granted),
    CRONCE_RULE(S44_who_was_ended_or_never_beat_decides_nothing),
    CRONCE_RULE(S45_of_a_paused_job_only_skips_for_the_pause_are_granted),
    CRONCE_RULE(S46_of_a_retired_job_nothing_is_decided),
    CRONCE_RULE(S47_a_slot_older_than_its_window_does_not_run),
    CRONCE_RULE(S48_the_greatest_civil_label_is_kept_until_the_schedule_changes),
};

}  // namespace

std::span<const Rule> decide_rules() { return kDecideRules; }

}  // namespace cronce::contract
