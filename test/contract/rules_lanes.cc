// Lanes and unknown outcomes: S1-S7.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

/// The node's next write, not through its lane: what a request is that the network kept.
WriteId ahead(Actor& node, std::uint64_t by) {
  WriteId id = node.lane().last();
  id.sequence += by;
  return id;
}

void S1_a_write_is_applied_only_if_its_sequence_is_new(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  a.control(TriggerJob{j, "r"});
  for (const std::uint64_t old : {a.lane().last().sequence, std::uint64_t{1}, std::uint64_t{0}}) {
    const WriteId id{a.incarnation(), 0, old};
    EXPECT_FALSE(w.direct().control(id, TriggerJob{j, "other"}));
  }
  EXPECT_EQ(w.ledger(j), "r#1 pending");
}

void S2_lanes_and_incarnations_count_apart(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  EXPECT_TRUE(w.direct().control({a.incarnation(), 7, 1}, TriggerJob{j, "1"}));
  EXPECT_TRUE(w.direct().control({b.incarnation(), 7, 1}, TriggerJob{j, "2"}));
  EXPECT_TRUE(w.direct().control({b.incarnation(), 7, 9}, TriggerJob{j, "3"}));
  EXPECT_EQ(w.ledger(j), "1#1 pending, 2#1 pending, 3#1 pending");
}

void S3_a_write_answers_with_the_outcome_before_it(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const auto answer = a.control(TriggerJob{j, "r"});
  const WriteId last = a.lane().last();
  const auto next = w.direct().sweep(ahead(a, 1), {});
  ASSERT_TRUE(next);
  EXPECT_LE(next->before.sequence, last.sequence);
  ASSERT_TRUE(std::holds_alternative<ControlAnswer>(next->before.outcome));
  EXPECT_EQ(std::get<ControlAnswer>(next->before.outcome), answer);
}

void S4_what_arrives_after_a_later_write_never_happens(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  const DecideAsk late{{w.owed(j)}, {}};
  const WriteId id = ahead(a, 1);
  const auto closing = w.direct().decide(ahead(a, 2), {});
  ASSERT_TRUE(closing);
  EXPECT_NE(closing->before.sequence, id.sequence);
  EXPECT_FALSE(w.direct().decide(id, late));
  EXPECT_EQ(w.ledger(j), "");
}

void S5_an_empty_decide_keeps_the_outcome_that_it_reads(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const std::uint64_t asked = ahead(a, 1).sequence;
  ASSERT_TRUE(w.direct().control(ahead(a, 1), TriggerJob{j, "r"}));
  for (std::uint64_t again = 2; again < 5; ++again) {
    const auto settling = w.direct().decide(ahead(a, again), {});
    ASSERT_TRUE(settling);
    EXPECT_EQ(settling->before.sequence, asked);
    EXPECT_TRUE(std::holds_alternative<ControlAnswer>(settling->before.outcome));
  }
}

void S6_a_refusal_is_an_outcome_too(World& w) {
  Actor& a = w.node("a");
  const std::vector<RunId> runs{slot_of(JobUid{99}, 10)};
  const WriteId id = ahead(a, 1);
  ASSERT_TRUE(w.direct().take(id, runs));
  const auto settling = w.direct().decide(ahead(a, 2), {});
  ASSERT_TRUE(settling);
  EXPECT_EQ(settling->before.sequence, id.sequence);
  const auto outcome = std::get<std::vector<TakeAnswer>>(settling->before.outcome);
  EXPECT_EQ(outcome.at(0).refused, Refused::gone);
}

void S7_a_read_settles_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  const WriteId id = ahead(a, 1);
  EXPECT_TRUE(w.direct().jobs());
  EXPECT_TRUE(w.direct().runs({}));
  EXPECT_TRUE(w.direct().nodes());
  a.beat();
  EXPECT_TRUE(w.direct().control(id, TriggerJob{j, "r"}));
  EXPECT_EQ(w.ledger(j), "r#1 pending");
}

void S8_entries_of_a_batch_are_answered_each_for_itself(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a, job_named("j"));
  const JobUid k = w.job(a, job_named("k"));
  w.pass(10s);
  DecideEntry wrong = w.owed(j);
  ++wrong.turn.value;
  const auto answers = a.decide(std::vector{wrong, w.owed(k)});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(told(answers[0]), "moved");
  EXPECT_EQ(told(answers[1]), "running");
  EXPECT_EQ(a.finish(answers[1].runs.at(0).claim.value(), RunState::succeeded).refused,
            Refused::none);
  EXPECT_EQ(w.ledger(j), "");
  EXPECT_EQ(w.ledger(k), "10#1 succeeded");
}

constexpr Rule kLanesRules[] = {
    CRONCE_RULE(S1_a_write_is_applied_only_if_its_sequence_is_new),
    CRONCE_RULE(S2_lanes_and_incarnations_count_apart),
    CRONCE_RULE(S3_a_write_answers_with_the_outcome_before_it),
    CRONCE_RULE(S4_what_arrives_after_a_later_write_never_happens),
    CRONCE_RULE(S5_an_empty_decide_keeps_the_outcome_that_it_reads),
    CRONCE_RULE(S6_a_refusal_is_an_outcome_too),
    CRONCE_RULE(S7_a_read_settles_nothing),
    CRONCE_RULE(S8_entries_of_a_batch_are_answered_each_for_itself),
};

}  // namespace

std::span<const Rule> lane_rules() { return kLanesRules; }

}  // namespace cronce::contract
