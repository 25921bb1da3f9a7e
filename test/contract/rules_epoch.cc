// The epoch after one that was closed, and what may not run in it: S166-S177, S193.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

/// All that came after is forgotten but for what these nodes know; then a new epoch begins.
void forget(World& w, const PutBack& image, const std::vector<Actor*>& nodes) {
  w.put_back(image);
  for (Actor* node : nodes) {
    EXPECT_TRUE(node->beat().closed);
    EXPECT_EQ(node->remember().refused, Refused::none);
  }
  EXPECT_EQ(nodes.front()->open().refused, Refused::none);
  EXPECT_FALSE(nodes.front()->beat().closed);
}

void S166_what_is_still_pending_when_the_epoch_opens_is_lost_and_nothing_follows(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.on_lost = OnLost::rerun;
  job.overlap = Overlap::queue;
  const JobUid j = w.job(a, job);
  Job after = job_named("k");
  after.schedule.elements = {AfterSpec{5s}};
  const JobUid k = w.job(a, after);
  after.name = job_named("w").name;
  after.everywhere = true;
  const JobUid everywhere = w.job(a, after);
  w.pass(10s);
  a.start(j);
  a.run(k, SlotToRun::How::enqueue);
  a.control(TriggerJob{j, "r"});
  w.pass(10s);
  a.run(j);
  forget(w, w.image(), {&a});
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 lost: regressed, r#1 lost: regressed");
  EXPECT_EQ(w.ledger(k), "5#1 lost: regressed");
  EXPECT_EQ(w.row(k).plan.next, at(25));  // it counts on
  EXPECT_EQ(w.row(everywhere).plan.next, std::nullopt);
}

void S167_an_epoch_is_greater_than_any_that_is_known_and_all_rows_are_told_anew(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const PutBack image = w.image();
  for (int i = 0; i < 5; ++i) a.control(PauseJob{j, {}});
  const auto known = a.beat();
  const Turn turn = w.row(j).plan.turn;
  w.put_back(image);
  a.beat();
  a.mark()->epoch = Epoch{7};
  a.remember();
  a.open();
  EXPECT_EQ(a.beat().epoch, Epoch{8});
  EXPECT_EQ(w.direct().open()->epoch, Epoch{8});
  EXPECT_GT(w.row(j).plan.turn, turn);
  ++a.self().beat.value;
  const auto answer = w.direct().beat({a.self(), {}, known.changes});
  EXPECT_EQ(answer->changed.size(), 1U);
  EXPECT_GT(answer->changes, known.changes);
}

void S168_fences_of_a_new_epoch_are_greater_and_no_uid_is_given_twice(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const PutBack image = w.image();
  Fence fence;
  for (int slot = 10; slot <= 50; slot += 10) {
    fence = a.start(j).fence;
    a.finish(a.claims().at(0), RunState::succeeded);
    w.pass(10s);
  }
  const JobUid forgotten = w.job(a, job_named("k"));
  const Fence key = a.once(BeginKey{"key"}).fence.value();
  forget(w, image, {&a});
  EXPECT_NE(w.job(a, job_named("l")), forgotten);
  w.pass(10s);
  EXPECT_GT(a.start(j).fence, fence);
  EXPECT_GT(a.once(BeginKey{"key"}).fence.value(), key);
}

/// It is 35, and a store that knows nothing of 10, 20 and 30 has been told of 30 seconds.
JobUid three_forgotten(World& w, Actor& a, const Job& job) {
  const JobUid j = w.job(a, job);
  const PutBack image = w.image();
  w.pass(30s);
  a.beat();
  w.pass(5s);
  forget(w, image, {&a});
  return j;
}

void S169_no_slot_up_to_the_remembered_time_runs(World& w) {
  Actor& a = w.node("a");
  const JobUid j = three_forgotten(w, a, job_named("j"));
  EXPECT_EQ(told(a.run(j)), "skipped: store_regressed");
  EXPECT_EQ(w.ledger(j), "10-20#1 skipped: store_regressed (2), 30#1 skipped: store_regressed");
  w.pass(5s);
  EXPECT_EQ(told(a.run(j)), "running");
}

void S170_a_range_that_begins_at_or_before_the_remembered_time_says_so(World& w) {
  Actor& a = w.node("a");
  const JobUid j = three_forgotten(w, a, job_named("j"));
  w.pass(25s);
  EXPECT_EQ(told(a.run(j)), "running");
  EXPECT_EQ(w.ledger(j), "10-50#1 skipped: store_regressed (5), 60#1 running");
}

void S171_exec_runs_no_slot_up_to_the_remembered_time_either(World& w) {
  Actor& a = w.node("a");
  const JobUid j = three_forgotten(w, a, job_named("j"));
  const SlotOutcome regressed{RunState::skipped, Reason::store_regressed, std::nullopt};
  EXPECT_EQ(a.exec(job_named("j"), at(30)).settled, regressed);
  EXPECT_EQ(a.exec(job_named("k"), at(30)).settled, regressed);  // nobody knows of it any more
  EXPECT_EQ(w.ledger(j), "");
  EXPECT_TRUE(a.exec(job_named("k"), at(31)).claim);
}

void S172_a_slot_that_the_store_has_forgotten_is_backfilled_only_when_told_so(World& w) {
  Actor& a = w.node("a");
  const JobUid j = three_forgotten(w, a, job_named("j"));
  a.run(j);
  for (const Time slot : {at(20), at(30)}) {  // in a range, and by a row
    EXPECT_EQ(a.control(BackfillSlot{j, slot, false}).refused, Refused::stale);
    const RunId again = a.control(BackfillSlot{j, slot, true}).run.value();
    EXPECT_NE(w.run(again).value().key, "j@" + print(slot));
  }
}

void S193_what_was_held_before_the_store_forgot_is_not_released(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::hold;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  b.start(j);
  a.sweep(b);
  const PutBack image = w.image();
  const RunId held = slot_of(j, 10, 2);
  a.control(ReleaseRun{held});
  Actor& c = w.node("c");
  c.take(held);
  ASSERT_EQ(c.claims().size(), 1U);
  c.finish(c.claims().front(), RunState::succeeded);  // and dies with what it knows
  a.beat();
  forget(w, image, {&a});
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 10#2 held");
  EXPECT_EQ(a.control(ReleaseRun{held}).refused, Refused::stale);
  a.control(CancelRun{held});
  const std::string key = w.run(held).value().key;
  const RunId again = a.control(BackfillSlot{j, at(10), true}).run.value();
  EXPECT_EQ(w.run(again).value().key, key + "+2.3");  // as no key was before
}

void S173_a_new_job_begins_after_the_remembered_time(World& w) {
  Actor& a = w.node("a");
  three_forgotten(w, a, job_named("j"));
  w.set_clock(at(15));  // the other server's clock is behind
  EXPECT_EQ(a.enroll(w.set_of("k", "1", {job_named("k")})).registered, Registered::early);
  RegisterAsk later = w.set_of("k", "1", {job_named("k")});
  later.jobs[0].next = at(40);
  EXPECT_EQ(a.enroll(later).registered, Registered::current);
  EXPECT_EQ(w.row(w.find("k").value()).plan.cursor, at(30));
}

void S174_a_slot_that_was_put_back_is_settled_and_the_cursor_moves_on(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const PutBack image = w.image();
  const Claim claim = b.start(j);
  w.pass(10s);
  forget(w, image, {&a, &b});
  DecideEntry entry = w.owed(j);
  entry.through = at(10);
  entry.skipped.clear();
  entry.runs = {{at(10), at(10)}};
  entry.next = at(20);
  const auto answer = a.decide(entry);
  EXPECT_EQ(told(answer), "running");
  EXPECT_FALSE(answer.runs.at(0).claim);
  EXPECT_EQ(w.row(j).plan.next, at(20));
  EXPECT_EQ(b.finish(claim, RunState::succeeded).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10#1 succeeded");
}

void S175_an_attempt_that_was_put_back_is_not_made_again(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.on_lost = OnLost::rerun;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  b.start(j);
  const PutBack image = w.image();
  a.sweep(b);
  a.take(slot_of(j, 10, 2));
  forget(w, image, {&a});
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed, 10#2 running");
  EXPECT_TRUE(a.sweep(b).ended);
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed, 10#2 running");
}

void S176_a_new_and_empty_store_begins_after_the_time_that_a_node_knows_of(World& w) {
  const Mark other{StoreId{{7, 7}}, Epoch{1}, 9, at(100)};
  Actor& a = w.node("a", other);
  RegisterAsk ask = w.set_of("j", "1", {job_named("j")});
  EXPECT_EQ(a.enroll(ask).registered, Registered::early);
  ask.jobs[0].next = at(110);
  EXPECT_EQ(a.enroll(ask).registered, Registered::current);
  const JobUid j = w.find("j").value();
  EXPECT_EQ(w.row(j).plan.cursor, at(100));
  w.node("b", Mark{StoreId{{7, 7}}, Epoch{1}, 9, at(1000)});  // it is not empty any more
  w.set_clock(at(110));
  EXPECT_EQ(told(a.run(j)), "running");
}

void S177_adopt_ends_everybody_and_nothing_of_the_past_runs(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.on_lost = OnLost::rerun;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  const Claim live = a.start(j);
  a.control(TriggerJob{j, "r"});
  a.once(BeginKey{"key"});
  w.pass(10s);
  const Epoch before = a.beat().epoch;
  EXPECT_EQ(w.stranger("person").control(Adopt{}).refused, Refused::none);
  EXPECT_EQ(a.beat().refused, Refused::ended);
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed, r#1 lost: regressed");
  Actor& b = w.node("b");
  EXPECT_GT(b.beat().epoch, before);
  EXPECT_EQ(told(b.run(j)), "skipped: store_regressed");
  EXPECT_EQ(b.once(BeginKey{"key"}).state, KeyState::lost);
  w.pass(10s);
  EXPECT_GT(b.start(j).fence, live.fence);
}

void S178_adopt_opens_a_closed_epoch(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  w.put_back(w.image());
  EXPECT_EQ(told(a.run(j)), "closed");
  EXPECT_EQ(w.stranger("person").control(Adopt{}).refused, Refused::none);
  EXPECT_FALSE(w.node("b").beat().closed);
}

constexpr Rule kEpochRules[] = {
    CRONCE_FORGETTING_RULE(
        S166_what_is_still_pending_when_the_epoch_opens_is_lost_and_nothing_follows),
    CRONCE_FORGETTING_RULE(
        S167_an_epoch_is_greater_than_any_that_is_known_and_all_rows_are_told_anew),
    CRONCE_FORGETTING_RULE(S168_fences_of_a_new_epoch_are_greater_and_no_uid_is_given_twice),
    CRONCE_FORGETTING_RULE(S169_no_slot_up_to_the_remembered_time_runs),
    CRONCE_FORGETTING_RULE(S170_a_range_that_begins_at_or_before_the_remembered_time_says_so),
    CRONCE_FORGETTING_RULE(S171_exec_runs_no_slot_up_to_the_remembered_time_either),
    CRONCE_FORGETTING_RULE(
        S172_a_slot_that_the_store_has_forgotten_is_backfilled_only_when_told_so),
    CRONCE_FORGETTING_RULE(S193_what_was_held_before_the_store_forgot_is_not_released),
    CRONCE_FORGETTING_RULE(S173_a_new_job_begins_after_the_remembered_time),
    CRONCE_FORGETTING_RULE(S174_a_slot_that_was_put_back_is_settled_and_the_cursor_moves_on),
    CRONCE_FORGETTING_RULE(S175_an_attempt_that_was_put_back_is_not_made_again),
    CRONCE_RULE(S176_a_new_and_empty_store_begins_after_the_time_that_a_node_knows_of),
    CRONCE_RULE(S177_adopt_ends_everybody_and_nothing_of_the_past_runs),
    CRONCE_FORGETTING_RULE(S178_adopt_opens_a_closed_epoch),
};

}  // namespace

std::span<const Rule> epoch_rules() { return kEpochRules; }

}  // namespace cronce::contract
