// Registration of jobs, their schedules, names and ends: S23-S35, S114.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

/// The same job every so often.
Job every(Duration period) {
  Job job = job_named("j");
  job.schedule.elements = {EverySpec{period, std::nullopt}};
  return job;
}

void S23_a_conflicting_definition_holds_back_the_whole_set(World& w) {
  Actor& a = w.node("a");
  w.job(a);
  const auto answer = a.enroll(w.set_of("s", "1", {every(20s), job_named("k")}));
  EXPECT_EQ(answer.registered, Registered::conflict);
  EXPECT_EQ(answer.jobs, std::vector<std::string>{"j"});
  EXPECT_EQ(w.row(w.find("j").value()).definition, job_named("j"));
  EXPECT_EQ(w.find("k"), std::nullopt);
}

void S24_a_job_of_two_sources_is_one_job_until_the_last_drops_it(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  EXPECT_EQ(w.find("j"), j);
  EXPECT_EQ(w.row(j).sources->size(), 2U);
  a.enroll(w.set_of("j", "2", {}));
  EXPECT_FALSE(w.row(j).retired());
  a.enroll(w.set_of("s", "2", {}));
  EXPECT_TRUE(w.row(j).retired());
}

void S25_another_command_or_policy_keeps_cursor_and_next(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const JobRow before = w.row(j);
  w.pass(12s);  // a slot is owed: it runs with the new definition
  Job changed = job_named("j");
  changed.overlap = Overlap::queue;
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {changed})).registered, Registered::current);
  EXPECT_EQ(w.row(j).plan.cursor, before.plan.cursor);
  EXPECT_EQ(w.row(j).plan.next, before.plan.next);
  EXPECT_GT(w.row(j).plan.turn, before.plan.turn);
  EXPECT_GT(w.row(j).revision, before.revision);
  EXPECT_EQ(told(a.run(j)), "running");
}

void S26_another_schedule_waits_until_nothing_is_owed(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(12s);
  const auto owing = a.enroll(w.set_of("j", "2", {every(60s)}));
  EXPECT_EQ(owing.registered, Registered::owing);
  EXPECT_EQ(owing.jobs, std::vector<std::string>{"j"});
  EXPECT_EQ(w.row(j).definition, job_named("j"));
  RegisterAsk settling = w.set_of("j", "2", {every(60s)});
  settling.settle = {w.owed(j)};
  const auto granted = a.enroll(settling);
  EXPECT_EQ(granted.registered, Registered::current);
  ASSERT_EQ(granted.settled.size(), 1U);
  EXPECT_EQ(told(granted.settled[0]), "running");
  EXPECT_EQ(w.ledger(j), "10#1 running");
  EXPECT_EQ(w.row(j).plan.next, at(60));
}

void S27_another_schedule_begins_at_store_time(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(4s);
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {every(7s)})).registered, Registered::current);
  EXPECT_EQ(w.row(j).plan.cursor, at(4));
  EXPECT_GT(w.row(j).plan.next, at(4));
  EXPECT_EQ(w.find("j"), j);
}

void S28_a_next_that_is_not_the_first_slot_after_what_is_settled_is_early(World& w) {
  Actor& a = w.node("a");
  RegisterAsk stale = w.set_of("j", "1", {job_named("j")});
  w.pass(15s);  // its next is over
  EXPECT_EQ(a.enroll(stale).registered, Registered::early);
  RegisterAsk ahead = w.set_of("j", "1", {job_named("j")});
  ahead.jobs[0].base = at(16);  // it did not look at (15, 16)
  EXPECT_EQ(a.enroll(ahead).registered, Registered::early);
  EXPECT_EQ(w.find("j"), std::nullopt);
}

void S29_a_job_that_is_dropped_is_retired(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim live = a.start(j);
  a.control(TriggerJob{j, "r"});
  a.enroll(w.set_of("j", "2", {}));
  EXPECT_TRUE(w.row(j).retired());
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);
  EXPECT_EQ(w.ledger(j), "10#1 running, r#1 skipped: retired");
  EXPECT_EQ(a.finish(live, RunState::succeeded).state, RunState::succeeded);
}

void S114_a_job_that_owes_a_slot_is_dropped_only_when_it_is_settled(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  w.pass(12s);
  const auto left = a.enroll(w.set_of("j", "2", {}));  // another source keeps it
  EXPECT_EQ(left.registered, Registered::current);
  const auto owing = a.enroll(w.set_of("s", "2", {}));
  EXPECT_EQ(owing.registered, Registered::owing);
  EXPECT_EQ(owing.jobs, std::vector<std::string>{"j"});
  EXPECT_FALSE(w.row(j).retired());
  RegisterAsk settling = w.set_of("s", "2", {});
  settling.settle = {w.owed(j)};
  EXPECT_EQ(a.enroll(settling).registered, Registered::current);
  EXPECT_TRUE(w.row(j).retired());
  EXPECT_EQ(w.ledger(j), "10#1 running");
}

void S30_a_retired_job_comes_back_at_store_time_with_its_uid_and_fence(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim first = a.start(j);
  a.finish(first, RunState::succeeded);
  a.enroll(w.set_of("j", "2", {}));
  w.pass(100s);
  a.enroll(w.set_of("j", "3", {job_named("j")}));
  EXPECT_EQ(w.find("j"), j);
  EXPECT_EQ(w.row(j).plan.cursor, at(110));
  w.pass(10s);
  EXPECT_GT(a.start(j).fence, first.fence);
  EXPECT_EQ(w.ledger(j), "10#1 succeeded, 120#1 running");
}

void S31_was_renames_the_row(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim live = a.start(j);
  a.control(TriggerJob{j, "r"});
  Job renamed = job_named("k");
  renamed.was = job_named("j").name;
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {renamed})).registered, Registered::current);
  EXPECT_EQ(w.find("k"), j);
  EXPECT_EQ(w.find("j"), std::nullopt);
  EXPECT_EQ(w.row(j).plan.cursor, at(10));
  EXPECT_EQ(w.ledger(j), "10#1 running, r#1 pending");
  EXPECT_EQ(a.finish(live, RunState::succeeded).refused, Refused::none);
  EXPECT_GT(a.take(request_of(j, "r")).claim.value().fence, live.fence);
}

void S32_was_renames_nothing_that_is_still_offered_or_already_known(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const JobUid known = w.job(a, job_named("known"));
  Job renamed = job_named("k");
  renamed.was = job_named("j").name;
  a.enroll(w.set_of("s", "1", {renamed}));  // another source still offers j
  EXPECT_EQ(w.find("j"), j);
  EXPECT_NE(w.find("k").value(), j);
  renamed.name = job_named("l").name;
  a.enroll(w.set_of("j", "2", {job_named("j"), renamed}));  // the set itself does
  EXPECT_EQ(w.find("j"), j);
  EXPECT_NE(w.find("l").value(), j);
  renamed.name = job_named("known").name;
  a.enroll(w.set_of("known", "2", {renamed}));
  EXPECT_EQ(w.find("known"), known);
}

void S33_an_instant_that_is_over_at_first_registration_is_recorded(World& w) {
  Actor& a = w.node("a");
  Job once = job_named("j");
  once.schedule.elements = {AtSpec{parse_written_time("2026-01-01T00:00:05Z").value()}};
  w.pass(8s);
  const JobUid j = w.job(a, once);
  EXPECT_EQ(w.ledger(j), "5#1 skipped: past");
  EXPECT_EQ(w.row(j).plan.next, std::nullopt);
  once.overlap = Overlap::queue;
  a.enroll(w.set_of("j", "2", {once}));  // recorded once
  EXPECT_EQ(w.ledger(j), "5#1 skipped: past");
}

void S34_a_file_that_no_longer_pauses_does_not_catch_up(World& w) {
  Actor& a = w.node("a");
  Job paused = job_named("j");
  paused.paused = true;
  const JobUid j = w.job(a, paused);
  w.pass(25s);
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {job_named("j")})).registered, Registered::owing);
  RegisterAsk settling = w.set_of("j", "2", {job_named("j")});
  DecideEntry covered = w.owed(j);
  covered.runs.clear();
  covered.skipped = {{at(10), at(20), 2, Reason::paused}};
  settling.settle = {covered};
  EXPECT_EQ(a.enroll(settling).registered, Registered::current);
  EXPECT_EQ(w.ledger(j), "10-20#1 skipped: paused (2)");
  EXPECT_EQ(w.row(j).plan.cursor, at(25));
}

void S35_an_ended_incarnation_registers_nothing(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  b.sweep(a);
  EXPECT_EQ(a.enroll(w.set_of("j", "1", {job_named("j")})).refused, Refused::ended);
  EXPECT_EQ(w.find("j"), std::nullopt);
}

constexpr Rule kDefinitionsRules[] = {
    CRONCE_RULE(S23_a_conflicting_definition_holds_back_the_whole_set),
    CRONCE_RULE(S24_a_job_of_two_sources_is_one_job_until_the_last_drops_it),
    CRONCE_RULE(S25_another_command_or_policy_keeps_cursor_and_next),
    CRONCE_RULE(S26_another_schedule_waits_until_nothing_is_owed),
    CRONCE_RULE(S27_another_schedule_begins_at_store_time),
    CRONCE_RULE(S28_a_next_that_is_not_the_first_slot_after_what_is_settled_is_early),
    CRONCE_RULE(S29_a_job_that_is_dropped_is_retired),
    CRONCE_RULE(S114_a_job_that_owes_a_slot_is_dropped_only_when_it_is_settled),
    CRONCE_RULE(S30_a_retired_job_comes_back_at_store_time_with_its_uid_and_fence),
    CRONCE_RULE(S31_was_renames_the_row),
    CRONCE_RULE(S32_was_renames_nothing_that_is_still_offered_or_already_known),
    CRONCE_RULE(S33_an_instant_that_is_over_at_first_registration_is_recorded),
    CRONCE_RULE(S34_a_file_that_no_longer_pauses_does_not_catch_up),
    CRONCE_RULE(S35_an_ended_incarnation_registers_nothing),
};

}  // namespace

std::span<const Rule> definition_rules() { return kDefinitionsRules; }

}  // namespace cronce::contract
