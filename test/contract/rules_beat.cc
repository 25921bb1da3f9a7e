// Beats: S9-S15.
#include <algorithm>

#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

std::string names(const std::vector<Shared<Node>>& nodes) {
  std::vector<std::string> found;
  for (const Shared<Node>& node : nodes) found.push_back(node->name);
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string& name : found) text += name;
  return text;
}

void S9_only_a_greater_number_changes_the_node(World& w) {
  Actor& a = w.node("a");
  a.self().labels = {{"disk", "ssd"}};
  const Beat number = a.beat().beat;
  EXPECT_EQ(number, a.last_beat());
  Node old = a.self();
  old.labels.clear();
  for (const Beat beat : {number, Beat{number.value - 1}}) {
    old.beat = beat;
    const auto answer = w.direct().beat({old, {}, 0});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->refused, Refused::none);
    EXPECT_EQ(answer->beat, number);
  }
  EXPECT_EQ(w.direct().nodes()->at(0), a.self());
}

void S10_a_beat_is_refused_only_to_an_ended_incarnation_and_for_ever(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  w.pass(std::chrono::hours{1000});  // silence alone ends nobody
  EXPECT_EQ(a.beat().refused, Refused::none);
  EXPECT_TRUE(b.sweep(a).ended);
  EXPECT_EQ(a.beat().refused, Refused::ended);
  a.self().beat.value += 1000;
  EXPECT_EQ(a.beat().refused, Refused::ended);
  EXPECT_EQ(w.node("a").beat().refused, Refused::none);  // a new incarnation of the same name
}

void S11_a_beat_names_the_living(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Actor& c = w.node("c");
  b.sweep(c);
  const auto answer = a.beat();
  EXPECT_EQ(names(answer.nodes), "ab");
  EXPECT_EQ(answer.store_time, w.now());
  EXPECT_EQ(names(b.beat().nodes), "ab");
}

void S12_a_beat_brings_the_rows_that_changed(World& w) {
  Actor& a = w.node("a");
  w.job(a, job_named("j"));
  const JobUid k = w.job(a, job_named("k"));
  const auto all = a.beat();
  EXPECT_EQ(all.changed.size(), 2U);
  Node self = a.self();
  ++self.beat.value;
  const auto none = w.direct().beat({self, {}, all.changes});
  EXPECT_TRUE(none->changed.empty());
  a.self() = self;
  a.control(PauseJob{k, {}});
  ++self.beat.value;
  const auto one = w.direct().beat({self, {}, none->changes});
  ASSERT_EQ(one->changed.size(), 1U);
  EXPECT_EQ(one->changed[0].uid, k);
  EXPECT_TRUE(one->changed[0].paused());
}

void S13_a_beat_brings_the_claims_of_the_incarnation(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(b, job_named("k"));
  w.pass(10s);
  const Claim ours = a.start(j);
  b.start(k);
  EXPECT_EQ(a.beat().held, std::vector{ours});
  a.finish(ours, RunState::succeeded);
  EXPECT_TRUE(a.beat().held.empty());
}

void S14_a_stop_order_stays_until_the_run_has_ended(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  b.control(CancelRun{claim.run});
  const std::vector<StopOrder> order{{claim.run, Reason::by_operator}};
  EXPECT_EQ(a.beat().stops, order);
  EXPECT_EQ(a.beat().stops, order);
  EXPECT_TRUE(b.beat().stops.empty());
  EXPECT_EQ(w.state(claim.run), "running");
  a.finish(claim, RunState::cancelled, Reason::by_operator);
  EXPECT_TRUE(a.beat().stops.empty());
}

void S15_started_at_travels_with_a_beat_of_the_holder(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  b.beat({{claim.run, at(99)}});
  EXPECT_EQ(w.run(claim.run).value().started_at, std::nullopt);
  a.beat({{claim.run, at(11)}});
  EXPECT_EQ(w.run(claim.run).value().started_at, at(11));
}

void S204_the_last_word_of_a_live_run_travels_with_a_beat_of_the_holder(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  const Claim claim = a.start(j);
  b.beat({}, {{claim.run, "not mine"}});
  EXPECT_EQ(w.run(claim.run).value().progress, "");
  a.beat({}, {{claim.run, "40 copying"}});
  EXPECT_EQ(w.run(claim.run).value().progress, "40 copying");
  a.finish(claim, RunState::succeeded);  // which says nothing else
  a.beat({}, {{claim.run, "too late"}});
  EXPECT_EQ(w.run(claim.run).value().progress, "40 copying");
}

constexpr Rule kBeatRules[] = {
    CRONCE_RULE(S9_only_a_greater_number_changes_the_node),
    CRONCE_RULE(S10_a_beat_is_refused_only_to_an_ended_incarnation_and_for_ever),
    CRONCE_RULE(S11_a_beat_names_the_living),
    CRONCE_RULE(S12_a_beat_brings_the_rows_that_changed),
    CRONCE_RULE(S13_a_beat_brings_the_claims_of_the_incarnation),
    CRONCE_RULE(S14_a_stop_order_stays_until_the_run_has_ended),
    CRONCE_RULE(S15_started_at_travels_with_a_beat_of_the_holder),
    CRONCE_RULE(S204_the_last_word_of_a_live_run_travels_with_a_beat_of_the_holder),
};

}  // namespace

std::span<const Rule> beat_rules() { return kBeatRules; }

}  // namespace cronce::contract
