// Plans that nodes change: repoint and the end of `until`; and doubt of the store's clock:
// S129-S136, S186.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

/// A node of that program with that zone data.
Actor& node_with(World& w, const std::string& name, const std::string& version,
                 const std::string& zone_data) {
  Actor& node = w.stranger(name);
  node.self().version = version;
  node.self().zone_data = zone_data;
  node.beat();
  return node;
}

Repoint to(World& w, JobUid job, int second) {
  return {job, w.row(job).plan.turn, w.now(), at(second)};
}

void S129_only_a_node_that_knows_more_computes_another_next(World& w) {
  Actor& old = node_with(w, "a", "1.9", "2025b");
  Actor& same = node_with(w, "b", "1.9", "2025b");
  Actor& zones = node_with(w, "c", "1.9", "2026a");
  Actor& program = node_with(w, "d", "1.10", "2020a");
  const JobUid j = w.job(old);
  w.pass(3s);
  const JobRow before = w.row(j);
  EXPECT_EQ(same.change(to(w, j, 12)), Refused::stale);
  EXPECT_EQ(zones.change(to(w, j, 12)), Refused::none);
  EXPECT_EQ(w.row(j).plan.next, at(12));
  EXPECT_EQ(w.row(j).plan.cursor, before.plan.cursor);
  EXPECT_GT(w.row(j).plan.turn, before.plan.turn);
  EXPECT_EQ(old.change(to(w, j, 10)), Refused::stale);
  EXPECT_EQ(program.change(to(w, j, 15)), Refused::none);
  EXPECT_EQ(w.row(j).plan.next, at(15));
}

void S130_another_next_needs_a_plan_that_owes_nothing_and_the_first_slot_after_it(World& w) {
  Actor& a = w.node("a");
  Actor& b = node_with(w, "b", "1.0", "2026a");
  const JobUid j = w.job(a);
  w.pass(3s);
  Repoint stale = to(w, j, 12);
  --stale.turn.value;
  EXPECT_EQ(b.change(stale), Refused::moved);
  EXPECT_EQ(b.change(to(w, j, 2)), Refused::future);
  Repoint ahead = to(w, j, 12);
  ahead.base = at(4);  // it did not look at (3, 4)
  EXPECT_EQ(b.change(ahead), Refused::future);
  w.pass(7s);
  EXPECT_EQ(b.change(to(w, j, 22)), Refused::busy);
  a.control(RetireJob{j, 1});
  EXPECT_EQ(b.change(to(w, j, 22)), Refused::retired);
  EXPECT_EQ(b.change(Repoint{JobUid{99}, Turn{1}, w.now(), at(22)}), Refused::gone);
}

void S131_whoever_sets_the_next_slot_is_whom_another_must_know_more_than(World& w) {
  const Knowledge zones{"1.0", "2026a"};
  Actor& a = w.node("a");
  Actor& b = node_with(w, "b", zones.version, zones.zone_data);
  const JobUid j = w.job(a);
  EXPECT_EQ(w.row(j).pointed_by, Knowledge{});
  w.pass(10s);
  b.finish(b.start(j), RunState::succeeded);
  EXPECT_EQ(w.row(j).pointed_by, zones);
  a.control(PauseJob{j, {}});
  EXPECT_EQ(w.row(j).pointed_by, zones);  // nothing was computed
  w.stranger("person").control(ResumeJob{j, w.now(), at(20), 0});
  EXPECT_EQ(w.row(j).pointed_by, Knowledge{});
  Job changed = job_named("j");
  changed.schedule.elements = {EverySpec{7s, std::nullopt}};
  b.enroll(w.set_of("j", "2", {changed}));
  EXPECT_EQ(w.row(j).pointed_by, zones);
  Job everywhere = job_named("k");
  everywhere.everywhere = true;
  const JobUid whole = w.job(a, everywhere);
  b.change(JoinMember{whole, w.now(), at(20)});
  EXPECT_EQ(w.row(w.member(whole, "b").value()).pointed_by, zones);
  w.set_clock(at(1000));
  const JobUid ahead = w.job(a, job_named("l"));
  w.set_clock(at(15));
  b.control(RecedeJob{ahead, at(15), at(20)});
  EXPECT_EQ(w.row(ahead).pointed_by, zones);
}

ResumeJob by_timer(World& w, JobUid job, std::int64_t covered) {
  return {job, w.now(), w.next_slot(job), covered, w.row(job).plan.turn};
}

void S132_a_pause_whose_time_is_over_is_ended_by_a_node(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.control(PauseJob{j, {at(25), "holiday"}});
  w.pass(25s);
  EXPECT_EQ(a.change(by_timer(w, j, 2)), Refused::none);
  EXPECT_FALSE(w.row(j).paused());
  EXPECT_EQ(w.ledger(j), "10-25#1 skipped: paused (2)");
  EXPECT_EQ(w.row(j).plan.next, at(30));
}

void S133_a_node_ends_no_pause_before_its_time_and_none_that_it_does_not_know(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  EXPECT_EQ(a.change(by_timer(w, j, 0)), Refused::future);  // there is none
  b.control(PauseJob{j, {}});
  EXPECT_EQ(a.change(by_timer(w, j, 0)), Refused::future);  // only a person ends it
  b.control(PauseJob{j, {at(25), ""}});
  EXPECT_EQ(a.change(by_timer(w, j, 0)), Refused::future);
  w.pass(25s);
  const ResumeJob known = by_timer(w, j, 2);
  b.control(PauseJob{j, {at(100), ""}});
  EXPECT_EQ(a.change(known), Refused::moved);
  ResumeJob without = by_timer(w, j, 2);
  without.turn.reset();
  EXPECT_EQ(a.change(without), Refused::invalid);
  EXPECT_TRUE(w.row(j).paused());
}

void S134_a_write_with_a_course_is_judged_by_no_later_a_time(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.control(TriggerJob{j, "r"});
  w.pass(100s);  // the clock went ahead
  a.lane().doubt(at(15));
  EXPECT_EQ(told(a.run(j)), "future");
  DecideEntry known = w.owed(j);
  known.through = at(10);
  known.skipped.clear();
  known.runs = {{at(10), at(10)}};
  known.next = at(20);
  const Claim claim = a.decide(known).runs.at(0).claim.value();
  EXPECT_EQ(claim.claimed_at, at(15));
  a.finish(claim, RunState::succeeded);
  RegisterAsk ask = w.set_of("k", "1", {job_named("k")});
  ask.jobs[0].base = at(15);
  ask.jobs[0].next = at(20);
  EXPECT_EQ(a.enroll(ask).registered, Registered::current);
  EXPECT_EQ(w.row(w.find("k").value()).plan.cursor, at(15));
  a.lane().doubt(at(500));  // a course that is ahead changes nothing
  EXPECT_EQ(told(a.run(j)), "running");
  EXPECT_EQ(w.row(j).live.size(), 1U);
}

void S135_nothing_becomes_due_or_expires_by_a_time_that_is_doubted(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.catch_up.window = 60s;
  job.history.edit().age = 60s;
  job.retries = Retries{.max = 1, .backoff = 20s, .jitter_percent = 0};
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.finish(a.start(j), RunState::failed, Reason::exit);
  w.pass(10s);
  a.run(j, SlotToRun::How::enqueue);
  const Fence key = a.once(BeginKey{"key"}).fence.value();
  a.once(CompleteKey{"key", key, "result", 60s});
  w.pass(1000s);
  a.lane().doubt(at(25));
  EXPECT_EQ(a.take(slot_of(j, 10, 2)).refused, Refused::future);
  EXPECT_EQ(a.lapse(slot_of(j, 20), Reason::expired), Refused::future);
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(j), "10#1 failed: exit, 10#2 pending, 20#1 pending");
  EXPECT_EQ(a.once(BeginKey{"key"}).state, KeyState::done);
  a.lane().doubt(std::nullopt);
  EXPECT_EQ(a.lapse(slot_of(j, 20), Reason::expired), Refused::none);
}

void S136_beats_tell_how_often_a_person_has_accepted_the_clock(World& w) {
  Actor& a = w.node("a");
  const std::uint64_t before = a.beat().clock_word;
  const Time said = a.beat().store_time;
  EXPECT_EQ(w.stranger("person").control(AcceptClock{}).refused, Refused::none);
  w.pass(7s);
  for (const BeatAnswer& answer : {a.beat(), w.node("b").beat()}) {
    EXPECT_EQ(answer.clock_word, before + 1);
    EXPECT_LT(std::chrono::abs(answer.clock_word_at - said), 5s);
  }
}

void S186_a_pause_covers_nothing_after_its_end(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.control(PauseJob{j, {at(25), ""}});
  w.pass(41s);
  const ResumeJob resume{j, at(25), at(30), 2, w.row(j).plan.turn};
  EXPECT_EQ(a.change(resume), Refused::none);
  EXPECT_EQ(w.ledger(j), "10-25#1 skipped: paused (2)");
  EXPECT_EQ(w.row(j).plan.cursor, at(25));
  EXPECT_EQ(w.row(j).plan.next, at(30));
}

constexpr Rule kPlanRules[] = {
    CRONCE_RULE(S129_only_a_node_that_knows_more_computes_another_next),
    CRONCE_RULE(S130_another_next_needs_a_plan_that_owes_nothing_and_the_first_slot_after_it),
    CRONCE_RULE(S131_whoever_sets_the_next_slot_is_whom_another_must_know_more_than),
    CRONCE_RULE(S132_a_pause_whose_time_is_over_is_ended_by_a_node),
    CRONCE_RULE(S133_a_node_ends_no_pause_before_its_time_and_none_that_it_does_not_know),
    CRONCE_RULE(S134_a_write_with_a_course_is_judged_by_no_later_a_time),
    CRONCE_RULE(S135_nothing_becomes_due_or_expires_by_a_time_that_is_doubted),
    CRONCE_RULE(S136_beats_tell_how_often_a_person_has_accepted_the_clock),
    CRONCE_RULE(S186_a_pause_covers_nothing_after_its_end),
};

}  // namespace

std::span<const Rule> plan_rules() { return kPlanRules; }

}  // namespace cronce::contract
