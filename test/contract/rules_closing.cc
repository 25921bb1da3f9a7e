// A store that has forgotten closes its epoch: S155-S160, S190, S221.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

constexpr bool kInPlace = false;  // as a restore: nothing but what nodes know shows it

void S155_after_a_fail_over_the_first_call_closes_the_epoch_whoever_asks(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const PutBack image = w.image();
  w.put_back(image);
  EXPECT_EQ(told(a.run(j)), "closed");
  EXPECT_TRUE(a.beat().closed);
  w.put_back(image);
  EXPECT_TRUE(w.stranger("b").beat().closed);
  w.put_back(image);
  EXPECT_EQ(w.stranger("c").control(TriggerJob{j, "r"}).refused, Refused::closed);
  EXPECT_EQ(w.ledger(j), "");
}

void S156_a_mark_that_is_ahead_closes_the_epoch_whoever_has_kept_it(World& w) {
  Actor& a = w.node("a");
  w.job(a);
  Mark mark = *a.mark();
  const PutBack image = w.image();
  w.put_back(image, kInPlace);
  EXPECT_FALSE(w.stranger("b", mark).beat().closed);  // nothing that it knows is missing
  for (int i = 0; i < 3; ++i) a.beat();
  w.put_back(image, kInPlace);
  EXPECT_TRUE(w.stranger("c", a.mark()).beat().closed);
  w.put_back(image, kInPlace);
  ++mark.epoch.value;
  EXPECT_TRUE(w.stranger("d", mark).beat().closed);
}

void S157_a_beat_that_was_granted_and_is_not_stored_closes_the_epoch(World& w) {
  Actor& a = w.node("a");
  const PutBack image = w.image();
  a.beat();
  Actor& b = w.node("b");
  for (Actor* node : {&a, &b}) {  // an older number is stored, or none
    w.put_back(image, kInPlace);
    node->mark().reset();
    EXPECT_TRUE(node->beat().closed);
  }
}

void S158_a_write_that_was_answered_and_is_not_known_closes_the_epoch(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const PutBack image = w.image();
  const Claim forgotten = a.start(j);
  w.put_back(image, kInPlace);
  EXPECT_EQ(a.finish(forgotten, RunState::succeeded).refused, Refused::closed);
  EXPECT_TRUE(w.stranger("b").beat().closed);
  EXPECT_EQ(w.ledger(j), "");
  a.remember();
}

void S159_what_was_known_of_another_store_or_of_an_epoch_that_is_over_closes_nothing(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Actor& c = w.node("c");
  const JobUid j = w.job(a);
  const PutBack image = w.image();
  for (int i = 0; i < 2; ++i) b.beat();
  for (int i = 0; i < 2; ++i) c.control(TriggerJob{j, "r"});
  w.put_back(image);
  a.beat();
  a.remember();
  EXPECT_EQ(a.open().refused, Refused::none);
  // Others were away meanwhile; their numbers are ahead.
  EXPECT_FALSE(b.beat().closed);
  EXPECT_EQ(c.control(TriggerJob{j, "s"}).refused, Refused::none);
  const Mark other{StoreId{{7, 7}}, Epoch{99}, 1'000'000, at(0)};
  EXPECT_FALSE(w.stranger("d", other).beat().closed);
}

/// Everything but what ends a closed epoch, each as it would be granted otherwise.
void expect_refusals(World& w, Actor& a, JobUid j, const Claim& live) {
  const RunId pending = request_of(j, "r");
  const Refused closed = Refused::closed;
  EXPECT_EQ(told(a.run(j)), "closed");
  EXPECT_EQ(a.lapse(pending, Reason::expired), closed);
  EXPECT_EQ(a.change(JoinMember{j, w.now(), w.next_slot(j)}), closed);
  for (const TakeAnswer& answer : a.lane().take({pending, slot_of(j, 10)})) {
    EXPECT_EQ(answer.refused, closed);
  }
  EXPECT_EQ(a.finish(live, RunState::succeeded).refused, closed);
  EXPECT_EQ(a.enroll(w.set_of("k", "1", {job_named("k")})).refused, closed);
  EXPECT_EQ(a.once(BeginKey{"key"}).refused, closed);
  EXPECT_EQ(a.exec(job_named("k"), w.now()).refused, closed);
  for (const ControlAsk& ask :
       {ControlAsk{PauseJob{j, {}}}, ControlAsk{TriggerJob{j, "s"}}, ControlAsk{CancelRun{pending}},
        ControlAsk{RetireJob{j}}, ControlAsk{AcceptClock{}}}) {
    EXPECT_EQ(a.control(ask).refused, closed);
  }
}

void S160_while_the_epoch_is_closed_every_entry_is_refused_and_beats_and_lanes_go_on(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = job_named("j");
  job.history.edit().skipped = 0;
  const JobUid j = w.job(a, job);
  w.pass(20s);
  const Claim live = a.start(j);
  a.control(TriggerJob{j, "r"});
  w.pass(10s);
  const std::string before = w.ledger(j);
  w.put_back(w.image());
  expect_refusals(w, a, j, live);
  EXPECT_FALSE(a.sweep(b).ended);  // and nothing is purged
  EXPECT_EQ(w.ledger(j), before);
  EXPECT_EQ(w.find("k"), std::nullopt);
  const BeatAnswer answer = b.beat();
  EXPECT_TRUE(answer.closed);
  EXPECT_EQ(answer.beat, b.last_beat());
  EXPECT_EQ(w.row(j).live.size(), 1U);
}

void S190_a_store_that_forgets_the_next_epoch_hears_everybody_again(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const auto all_remember = [&] {
    for (Actor* node : {&a, &b}) {
      node->beat();
      node->remember();
    }
    return w.image();
  };
  w.put_back(w.image());
  const PutBack image = all_remember();
  EXPECT_EQ(a.open().refused, Refused::none);
  a.beat();
  w.put_back(image, kInPlace);
  EXPECT_TRUE(b.beat().remembered);  // it has not heard of the next epoch
  EXPECT_FALSE(a.beat().remembered);
  EXPECT_EQ(b.open().refused, Refused::stale);
  const PutBack later = all_remember();
  EXPECT_EQ(a.open().refused, Refused::none);
  w.put_back(later);  // elsewhere shows it to everybody
  EXPECT_EQ(b.open().refused, Refused::stale);
}

void S221_a_store_that_forgets_in_a_closed_epoch_is_not_opened_by_who_was_told_more(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  w.put_back(w.image());
  a.beat();
  a.remember();
  const PutBack image = w.image();
  b.beat();
  b.remember();
  const Beat granted = a.beat().beat;
  w.put_back(image, kInPlace);
  EXPECT_EQ(a.control(OpenEpoch{Epoch{1}, granted}).refused, Refused::stale);
  EXPECT_FALSE(a.beat().remembered);
  EXPECT_EQ(a.open().refused, Refused::stale);
  a.remember();
  EXPECT_FALSE(b.beat().remembered);
  EXPECT_FALSE(a.beat().remembered) << "what it told was told before the other was heard";
  a.remember();
  b.remember();
  EXPECT_EQ(a.open().refused, Refused::none);
}

constexpr Rule kClosingRules[] = {
    CRONCE_FORGETTING_RULE(S155_after_a_fail_over_the_first_call_closes_the_epoch_whoever_asks),
    CRONCE_FORGETTING_RULE(S156_a_mark_that_is_ahead_closes_the_epoch_whoever_has_kept_it),
    CRONCE_FORGETTING_RULE(S157_a_beat_that_was_granted_and_is_not_stored_closes_the_epoch),
    CRONCE_FORGETTING_RULE(S158_a_write_that_was_answered_and_is_not_known_closes_the_epoch),
    CRONCE_FORGETTING_RULE(
        S159_what_was_known_of_another_store_or_of_an_epoch_that_is_over_closes_nothing),
    CRONCE_FORGETTING_RULE(
        S160_while_the_epoch_is_closed_every_entry_is_refused_and_beats_and_lanes_go_on),
    CRONCE_FORGETTING_RULE(S190_a_store_that_forgets_the_next_epoch_hears_everybody_again),
    CRONCE_FORGETTING_RULE(
        S221_a_store_that_forgets_in_a_closed_epoch_is_not_opened_by_who_was_told_more),
};

}  // namespace

std::span<const Rule> closing_rules() { return kClosingRules; }

}  // namespace cronce::contract
