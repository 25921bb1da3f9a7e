// Reading, and clocks: S105-S110, S191, S192, S194.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

std::size_t count(World& w, const RunFilter& filter) {
  return w.direct().runs(filter).value().size();
}

void S105_runs_are_chosen_by_job_and_time_and_a_range_by_any_of_its_slots(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(40s);  // 10, 20 and 30 are one range
  a.start(j);
  a.control(TriggerJob{k, "r"});
  EXPECT_EQ(count(w, {}), 3U);
  EXPECT_EQ(count(w, {.job = j}), 2U);
  EXPECT_EQ(count(w, {.job = j, .from = at(20), .to = at(20)}), 1U);
  EXPECT_EQ(count(w, {.job = j, .from = at(31), .to = at(39)}), 0U);
  EXPECT_EQ(count(w, {.job = j, .from = at(40), .to = at(40)}), 1U);
  EXPECT_EQ(count(w, {.job = k, .from = at(35), .to = at(45)}), 1U);  // by its due time
  EXPECT_EQ(count(w, {.limit = 2}), 2U);
}

/// `40 30-10 j`: what a query answers, by second or request.
std::string found(World& w, const RunFilter& filter) {
  std::string text;
  const std::vector<Run> runs = w.direct().runs(filter).value();
  for (const Run& run : runs) {
    const Time time = run.slot_to.value_or(run.id.slot);
    text += (text.empty() ? "" : " ") +
            (run.id.space == Space::slot ? std::to_string((time - kStart) / 1s) : run.id.request) +
            (run.slot_to ? "-" : "") + "#" + std::to_string(run.id.attempt.value);
  }
  return text;
}

/// Of `j`: 10 is a range, 20 failed, was tried again and succeeded; of `k`: 20 and 40 have
/// succeeded, and a request was made at 31.
void S191_runs_come_newest_first_and_the_newest_are_kept(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retried("j"));
  w.pass(20s);
  const JobUid k = w.job(a, job_named("k"));
  a.finish(a.start(j), RunState::failed, Reason::exit);
  w.pass(11s);
  const TakeAnswer again = a.take(slot_of(j, 20, 2));
  a.finish(again.claim.value(), RunState::succeeded);
  a.control(TriggerJob{k, "r"});
  w.pass(9s);
  a.finish(a.start(k), RunState::succeeded);
  EXPECT_EQ(found(w, {}), "40#1 r#1 30-#1 20#2 20#1 10-#1");
  EXPECT_EQ(found(w, {.limit = 3}), "40#1 r#1 30-#1");
  EXPECT_EQ(found(w, {.job = j}), "20#2 20#1 10-#1");
  EXPECT_EQ(found(w, {.job = j, .limit = 1}), "20#2");
  EXPECT_EQ(found(w, {.job = k, .limit = 2}), "40#1 r#1");
  EXPECT_EQ(found(w, {.job = k, .to = at(35)}), "r#1 30-#1");
}

void S192_runs_are_chosen_by_state_and_of_a_slot_the_last_attempt(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retried("j"));
  w.pass(20s);
  const Claim claim = a.start(j);
  a.finish({claim.run,
            claim.fence,
            claim.incarnation,
            RunState::failed,
            Reason::exit,
            {},
            {},
            1,
            "tail",
            ""});
  EXPECT_EQ(found(w, {.states = {RunState::failed}}), "20#1");
  EXPECT_EQ(found(w, {.states = {RunState::failed, RunState::pending}}), "20#2 20#1");
  EXPECT_EQ(found(w, {.states = {RunState::timed_out, RunState::cancelled, RunState::failed}}),
            "20#1");
  EXPECT_EQ(found(w, {.states = {RunState::pending, RunState::running}}), "20#2");
  EXPECT_EQ(found(w, {.states = {RunState::lost, RunState::running}}), "");
  EXPECT_EQ(found(w, {.states = {RunState::skipped}}), "10-#1");
  EXPECT_EQ(found(w, {.last_attempts = true}), "20#2 10-#1");
  EXPECT_EQ(found(w, {.job = j, .states = {RunState::failed}, .last_attempts = true}), "");
  EXPECT_EQ(w.run(slot_of(j, 20)).value().output_tail, "tail");
  const std::vector<Run> silent =
      w.direct().runs({.states = {RunState::failed}, .output = false}).value();
  EXPECT_EQ(silent.at(0).output_tail, "");
}

/// `a 30 1`: who, at which second, by which revision.
std::string told_of(const Run& run) {
  return fmt::format("{} {} {}", run.decided.by, (run.decided.at.value() - kStart) / 1s,
                     run.decided.revision);
}

void S194_a_row_tells_who_made_it_when_and_by_which_revision(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job twice = retried("j");
  const JobUid j = w.job(a, twice);
  w.pass(25s);
  const Claim claim = b.start(j);  // 10 is a range
  twice.priority = 1;
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {twice})).registered, Registered::current);
  w.pass(5s);
  a.finish(claim, RunState::failed, Reason::exit);
  w.stranger("person").control(TriggerJob{j, "r"});
  const auto rows = w.direct().runs({.job = j}).value();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(told_of(rows[0]), " 30 2");
  EXPECT_EQ(told_of(rows[1]), "a 30 2");
  EXPECT_EQ(told_of(rows[2]), "b 25 1");
  EXPECT_EQ(told_of(rows[3]), "b 25 1");
}

void S106_nodes_are_the_living_and_jobs_are_all(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  a.control(RetireJob{j});
  b.sweep(a);
  ASSERT_EQ(w.direct().nodes().value().size(), 1U);
  EXPECT_EQ(w.direct().nodes().value()[0], b.self());
  EXPECT_EQ(w.direct().jobs().value().size(), 1U);
}

void S107_a_store_keeps_its_identity(World& w) {
  const Opened first = w.direct().open().value();
  w.job(w.node("a"));
  w.pass(1h);
  const Opened later = w.direct().open().value();
  EXPECT_EQ(first.id, later.id);
  EXPECT_EQ(first.epoch, later.epoch);
  EXPECT_EQ(later.store_time, w.now());
  EXPECT_NE(first.id, StoreId{});
}

void S108_times_are_those_of_the_stores_clock(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.self().clock_reading = std::chrono::hours{1000};  // a wall clock far off
  w.pass(12s);
  EXPECT_EQ(a.beat().store_time, at(12));
  EXPECT_EQ(a.start(j).claimed_at, at(12));
  EXPECT_EQ(w.direct().sweep({a.incarnation(), 5, 1}, {})->store_time, at(12));
}

void S109_after_a_step_back_what_is_settled_stays_settled(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(30s);
  const DecideEntry entry = w.owed(j);
  a.finish(a.decide(entry).runs.at(0).claim.value(), RunState::succeeded);
  w.set_clock(at(5));
  EXPECT_EQ(told(a.decide(entry)), "moved");
  EXPECT_EQ(told(a.run(j)), "future");
  w.set_clock(at(40));
  EXPECT_EQ(told(a.run(j)), "running");
}

void S110_after_a_step_back_no_cursor_and_no_next_goes_back(World& w) {
  Actor& a = w.node("a");
  Job later = job_named("j");
  later.schedule.elements = {EverySpec{20s, std::nullopt}};
  Job after = job_named("k");
  after.schedule.elements = {AfterSpec{5s}};
  w.set_clock(at(100));
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(a, after);
  w.pass(5s);
  const Claim claim = a.start(k);
  w.set_clock(at(20));
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {later})).registered, Registered::early);
  a.control(PauseJob{j, {}});
  EXPECT_EQ(a.control(ResumeJob{j, at(20), at(30), 0}).refused, Refused::future);
  EXPECT_EQ(a.control(ResumeJob{j, at(20), at(110), 0}).refused, Refused::none);
  EXPECT_EQ(w.row(j).plan.cursor, at(100));
  a.finish(claim, RunState::succeeded);
  EXPECT_GT(w.row(k).plan.next, at(105));
}

constexpr Rule kQueryRules[] = {
    CRONCE_RULE(S105_runs_are_chosen_by_job_and_time_and_a_range_by_any_of_its_slots),
    CRONCE_RULE(S191_runs_come_newest_first_and_the_newest_are_kept),
    CRONCE_RULE(S192_runs_are_chosen_by_state_and_of_a_slot_the_last_attempt),
    CRONCE_RULE(S194_a_row_tells_who_made_it_when_and_by_which_revision),
    CRONCE_RULE(S106_nodes_are_the_living_and_jobs_are_all),
    CRONCE_RULE(S107_a_store_keeps_its_identity),
    CRONCE_RULE(S108_times_are_those_of_the_stores_clock),
    CRONCE_RULE(S109_after_a_step_back_what_is_settled_stays_settled),
    CRONCE_RULE(S110_after_a_step_back_no_cursor_and_no_next_goes_back),
};

}  // namespace

std::span<const Rule> query_rules() { return kQueryRules; }

}  // namespace cronce::contract
