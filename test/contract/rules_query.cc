// Reading, and clocks: S105-S111.
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

constexpr Rule kRules[] = {
    CRONCE_RULE(S105_runs_are_chosen_by_job_and_time_and_a_range_by_any_of_its_slots),
    CRONCE_RULE(S106_nodes_are_the_living_and_jobs_are_all),
    CRONCE_RULE(S107_a_store_keeps_its_identity),
    CRONCE_RULE(S108_times_are_those_of_the_stores_clock),
    CRONCE_RULE(S109_after_a_step_back_what_is_settled_stays_settled),
    CRONCE_RULE(S110_after_a_step_back_no_cursor_and_no_next_goes_back),
};

}  // namespace

std::span<const Rule> query_rules() { return kRules; }

}  // namespace cronce::contract
