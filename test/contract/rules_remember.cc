// What nodes put back in a closed epoch: S161-S165, S180-S183, S203, S214.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

Job with(const std::string& name, OnLost on_lost) {
  Job job = job_named(name);
  job.on_lost = on_lost;
  return job;
}

/// All that came after is forgotten, and the node has noticed.
void forget(World& w, Actor& node, const PutBack& image) {
  w.put_back(image);
  EXPECT_TRUE(node.beat().closed);
}

void S161_a_claim_whose_row_is_absent_pending_or_held_is_put_back_as_it_was(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid absent = w.job(b, job_named("absent"));
  const JobUid pending = w.job(b, job_named("pending"));
  const JobUid held = w.job(b, with("held", OnLost::hold));
  w.pass(10s);
  Actor& c = w.node("c");
  c.start(held);
  b.sweep(c);
  b.run(pending, SlotToRun::How::enqueue);
  const PutBack image = w.image();
  b.control(ReleaseRun{slot_of(held, 10, 2)});
  a.start(absent);
  a.take(slot_of(pending, 10));
  a.take(slot_of(held, 10, 2));
  ASSERT_EQ(a.claims().size(), 3U);
  forget(w, a, image);
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(a.remember(), ControlAnswer{});
    EXPECT_EQ(w.ledger(absent), "10#1 running");
    EXPECT_EQ(w.ledger(pending), "10#1 running");
    EXPECT_EQ(w.ledger(held), "10#1 lost: node, 10#2 running");
    EXPECT_EQ(a.beat().held, a.claims());  // with fence, key and times
    EXPECT_EQ(w.row(absent).fence_count, 1U);
  }
}

void S162_a_claim_that_is_recorded_already_changes_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(10s);
  const Claim live = a.start(j);
  const Claim ended = a.start(k);
  a.finish(ended, RunState::failed, Reason::exit);
  forget(w, a, w.image());
  EXPECT_EQ(a.control(Remember{*a.mark(), {live, ended}}), ControlAnswer{});
  EXPECT_EQ(w.ledger(j), "10#1 running");
  EXPECT_EQ(w.ledger(k), "10#1 failed: exit");
}

void S163_a_claim_that_the_store_cannot_believe_is_named_and_changes_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid l = w.job(a, job_named("l"));
  w.pass(10s);
  const Claim live = a.start(j);
  const PutBack image = w.image();
  const Claim forgotten = a.start(l);
  const JobUid k = w.job(a, job_named("k"));
  w.pass(10s);
  const Claim unknown = a.start(k);
  forget(w, a, image);
  Claim other = live;
  ++other.fence.value;
  const std::vector<RunId> both{live.run, unknown.run};
  EXPECT_EQ(a.control(Remember{*a.mark(), {other, unknown}}).unknown, both);
  Mark elsewhere = *a.mark();
  elsewhere.store = StoreId{{7, 7}};
  EXPECT_EQ(a.control(Remember{elsewhere, {forgotten}}).unknown, std::vector{forgotten.run});
  EXPECT_EQ(w.ledger(l), "");
  EXPECT_EQ(w.row(j).live, (std::vector<LiveRun>{{live.run, live.incarnation, live.fence}}));
  EXPECT_EQ(a.remember().unknown, std::vector{unknown.run});
}

void S164_a_claim_of_an_incarnation_that_does_not_live_is_put_back_as_lost(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, with("j", OnLost::rerun));
  w.pass(10s);
  const PutBack image = w.image();
  Actor& b = w.node("b");  // and its host restarts
  const auto claim = b.lane().decide({{w.owed(j)}, {}, {}}).entries.at(0).runs.at(0).claim;
  forget(w, a, image);
  EXPECT_EQ(a.control(Remember{*a.mark(), {claim.value()}}), ControlAnswer{});
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed");
  EXPECT_EQ(a.control(BackfillSlot{j, at(10), false}).refused, Refused::closed);
}

void S165_remember_and_open_belong_to_a_closed_epoch_and_to_the_living(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  EXPECT_EQ(a.remember().refused, Refused::moved);
  EXPECT_EQ(a.open().refused, Refused::moved);
  a.sweep(b);
  forget(w, a, w.image());
  EXPECT_EQ(b.remember().refused, Refused::ended);
  EXPECT_EQ(b.open().refused, Refused::ended);
  EXPECT_EQ(a.control(OpenEpoch{Epoch{99}}).refused, Refused::moved);
  EXPECT_TRUE(a.beat().closed);
  EXPECT_EQ(a.open().refused, Refused::stale);
  a.remember();
  EXPECT_EQ(a.open().refused, Refused::none);
  EXPECT_FALSE(a.beat().closed);
}

void S180_what_has_ended_is_lost_until_its_end_is_told_again_and_nothing_follows(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retried("j"));
  w.pass(10s);
  const Claim claim = a.start(j);
  const PutBack image = w.image();
  a.finish(claim, RunState::failed, Reason::exit);
  forget(w, a, image);
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {claim}}), ControlAnswer{});
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed");
  EXPECT_EQ(a.open().refused, Refused::none);
  EXPECT_EQ(a.finish(claim, RunState::failed, Reason::exit).state, RunState::failed);
  EXPECT_EQ(w.ledger(j), "10#1 failed: late");
}

void S181_a_run_that_nobody_names_is_lost_when_the_epoch_opens_and_nothing_follows(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a, with("j", OnLost::rerun));
  w.pass(10s);
  b.start(j);
  forget(w, a, w.image());
  EXPECT_EQ(a.remember(), ControlAnswer{});
  EXPECT_EQ(w.ledger(j), "10#1 running");
  EXPECT_EQ(a.open().refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed");
  EXPECT_TRUE(a.sweep(b).ended);
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed");
}

void S182_what_ended_and_was_purged_is_not_put_back(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.history.edit().succeeded = 0;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  const Claim claim = a.start(j);
  a.finish(claim, RunState::succeeded);
  a.lane().sweep({});
  ASSERT_EQ(w.ledger(j), "");
  forget(w, a, w.image());
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {claim}}), ControlAnswer{});
  EXPECT_EQ(w.ledger(j), "");
}

void S183_a_beat_tells_whether_its_node_has_remembered(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const PutBack image = w.image();
  forget(w, a, image);
  EXPECT_FALSE(a.beat().remembered);
  a.remember();
  EXPECT_TRUE(a.beat().remembered);
  EXPECT_FALSE(b.beat().remembered);
  w.put_back(image);
  EXPECT_FALSE(a.beat().remembered);
  a.remember();
  a.open();
  forget(w, a, w.image());
  EXPECT_FALSE(a.beat().remembered);
}

void S203_an_end_that_is_all_that_is_known_of_a_claim_puts_it_back_with_its_key(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retried("j"));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(10s);
  const Claim first = a.start(j);
  a.finish(first, RunState::failed, Reason::exit);
  const PutBack image = w.image();
  w.pass(60s);
  Claim retry = a.take(slot_of(j, 10, 2)).claim.value();
  Claim other = a.start(k);
  const std::string key = other.key;
  for (const Claim& claim : {retry, other}) a.finish(claim, RunState::succeeded);
  forget(w, a, image);
  for (Claim* claim : {&retry, &other}) {
    claim->key.clear();
    claim->claimed_at = claim->due = claim->run.slot;
  }
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {retry, other}}), ControlAnswer{});
  EXPECT_EQ(w.run(retry.run).value().key, first.key);
  EXPECT_EQ(w.run(other.run).value().key, key);
  EXPECT_EQ(w.state(other.run), "lost: regressed");
  const Claim asked{
      {k, Space::manual, {}, "r", Attempt{1}}, other.incarnation, Fence{3}, "", {}, {}};
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {asked}}), ControlAnswer{});
  EXPECT_EQ(w.run(asked.run).value().due, w.now());  // its id is kept as long as that of a new one
}

void S214_what_a_request_added_to_the_environment_is_put_back_with_its_claim(World& w) {
  Actor& a = w.node("a");
  const JobUid absent = w.job(a, retried("absent"));
  const JobUid pending = w.job(a, retried("pending"));
  const std::map<std::string, std::string> env{{"MODE", "dry run"}};
  a.control(TriggerJob{pending, "r", env});
  const PutBack image = w.image();
  a.control(TriggerJob{absent, "r", env});
  for (const JobUid job : {absent, pending}) a.take(request_of(job, "r"));
  forget(w, a, image);
  a.remember();
  a.open();
  for (const JobUid job : {absent, pending}) {
    EXPECT_EQ(*w.run(request_of(job, "r")).value().env, env);
  }
}

void S219_a_claim_of_which_no_more_is_known_is_lost_unless_the_store_has_it_running(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, retried("j"));
  const JobUid k = w.job(a, retried("k"));
  w.pass(10s);
  const Claim live = a.start(k);
  const Claim failed = a.start(j);
  a.finish(failed, RunState::failed, Reason::exit);
  const PutBack image = w.image();
  w.pass(60s);
  const Claim retry = a.take(slot_of(j, 10, 2)).claim.value();
  forget(w, a, image);
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {}, {live, retry}}), ControlAnswer{});
  EXPECT_EQ(w.ledger(k), "10#1 running");
  EXPECT_EQ(w.ledger(j), "10#1 failed: exit, 10#2 lost: regressed");
  // Who says then that it runs is too late.
  EXPECT_EQ(a.remember().unknown, std::vector{retry.run});
  EXPECT_EQ(a.open().refused, Refused::none);
  EXPECT_EQ(w.ledger(k), "10#1 running");
}

void S222_who_was_ended_stays_so_and_nothing_follows_from_what_it_ran(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a, with("j", OnLost::rerun));
  w.pass(10s);
  const Claim claim = b.start(j);
  const PutBack image = w.image();
  EXPECT_TRUE(a.sweep(b).ended);
  a.finish(a.take(slot_of(j, 10, 2)).claim.value(), RunState::succeeded);
  forget(w, a, image);
  EXPECT_EQ(w.ledger(j), "10#1 running");
  Mark elsewhere = *a.mark();
  elsewhere.store = StoreId{{7, 7}};
  a.control(Remember{elsewhere, {}, {}, {}, {b.incarnation()}});
  EXPECT_EQ(w.ledger(j), "10#1 running") << "that was another store";
  const std::vector<Incarnation> gone{b.incarnation(), a.incarnation(), Incarnation{{9, 9}}};
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {}, {}, gone}), ControlAnswer{});
  EXPECT_EQ(w.ledger(j), "10#1 lost: regressed");
  EXPECT_EQ(b.beat().refused, Refused::ended);
  EXPECT_EQ(a.open().refused, Refused::none);
  EXPECT_EQ(a.finish(claim, RunState::failed, Reason::exit).refused, Refused::none);
  EXPECT_EQ(w.ledger(j), "10#1 failed: late");
}

void S220_a_slot_is_purged_when_every_attempt_has_ended(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job job = retried("j");
  job.retries.edit().max = 2;
  job.history.edit().failed = 0;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.finish(a.start(j), RunState::failed, Reason::exit);
  const PutBack image = w.image();
  w.pass(60s);
  a.finish(a.take(slot_of(j, 10, 2)).claim.value(), RunState::failed, Reason::exit);
  w.pass(600s);
  const Claim last = a.take(slot_of(j, 10, 3)).claim.value();
  a.finish(last, RunState::succeeded);
  a.beat();
  // Nobody notices that it was put back, and the second attempt runs again.
  w.put_back(image, false);
  const Claim again = b.take(slot_of(j, 10, 2)).claim.value();
  EXPECT_TRUE(a.beat().closed);
  EXPECT_EQ(b.control(Remember{*b.mark(), {again}}), ControlAnswer{});
  EXPECT_EQ(a.control(Remember{*a.mark(), {}, {last}}), ControlAnswer{});
  EXPECT_EQ(a.open().refused, Refused::none);
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(j), "10#1 failed: exit, 10#2 running, 10#3 lost: regressed");
  b.beat();
  EXPECT_EQ(b.finish(again, RunState::failed, Reason::exit).refused, Refused::none);
  EXPECT_EQ(w.ledger(j).find("#4"), std::string::npos) << "what follows has been";
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(j), "");
}

constexpr Rule kRememberRules[] = {
    CRONCE_FORGETTING_RULE(S161_a_claim_whose_row_is_absent_pending_or_held_is_put_back_as_it_was),
    CRONCE_FORGETTING_RULE(S162_a_claim_that_is_recorded_already_changes_nothing),
    CRONCE_FORGETTING_RULE(S163_a_claim_that_the_store_cannot_believe_is_named_and_changes_nothing),
    CRONCE_FORGETTING_RULE(S164_a_claim_of_an_incarnation_that_does_not_live_is_put_back_as_lost),
    CRONCE_FORGETTING_RULE(S165_remember_and_open_belong_to_a_closed_epoch_and_to_the_living),
    CRONCE_FORGETTING_RULE(
        S180_what_has_ended_is_lost_until_its_end_is_told_again_and_nothing_follows),
    CRONCE_FORGETTING_RULE(
        S181_a_run_that_nobody_names_is_lost_when_the_epoch_opens_and_nothing_follows),
    CRONCE_FORGETTING_RULE(S182_what_ended_and_was_purged_is_not_put_back),
    CRONCE_FORGETTING_RULE(S183_a_beat_tells_whether_its_node_has_remembered),
    CRONCE_FORGETTING_RULE(
        S203_an_end_that_is_all_that_is_known_of_a_claim_puts_it_back_with_its_key),
    CRONCE_FORGETTING_RULE(S214_what_a_request_added_to_the_environment_is_put_back_with_its_claim),
    CRONCE_FORGETTING_RULE(
        S219_a_claim_of_which_no_more_is_known_is_lost_unless_the_store_has_it_running),
    CRONCE_FORGETTING_RULE(S220_a_slot_is_purged_when_every_attempt_has_ended),
    CRONCE_FORGETTING_RULE(S222_who_was_ended_stays_so_and_nothing_follows_from_what_it_ran),
};

}  // namespace

std::span<const Rule> remember_rules() { return kRememberRules; }

}  // namespace cronce::contract
