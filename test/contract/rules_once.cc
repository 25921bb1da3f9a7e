// Keys that are done once: S149-S154.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

constexpr Duration kKeep = std::chrono::hours{1};

Fence begin(Actor& node) { return node.once(BeginKey{"key"}).fence.value_or(Fence{}); }

void S149_a_key_is_begun_by_one_and_busy_for_all_others(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const auto answer = a.once(BeginKey{"key"});
  EXPECT_EQ(answer.state, KeyState::running);
  EXPECT_TRUE(answer.fence);
  EXPECT_EQ(answer.owner, "a");
  for (Actor* node : {&a, &b}) {
    const auto busy = node->once(BeginKey{"key"});
    EXPECT_EQ(busy.refused, Refused::busy);
    EXPECT_EQ(busy.owner, "a");
    EXPECT_FALSE(busy.fence);
  }
  EXPECT_GT(b.once(BeginKey{"other"}).fence, answer.fence);
  EXPECT_EQ(b.once(BeginKey{""}).refused, Refused::invalid);
}

void S150_a_key_that_is_done_answers_its_result_as_long_as_it_is_kept(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const Fence fence = begin(a);
  w.pass(kKeep);  // its time counts from the end
  const auto done = a.once(CompleteKey{"key", fence, "result", kKeep});
  EXPECT_EQ(done.state, KeyState::done);
  w.pass(kKeep - 1ms);
  b.lane().sweep({});
  const auto replay = b.once(BeginKey{"key"});
  EXPECT_EQ(replay.refused, Refused::none);
  EXPECT_EQ(replay.state, KeyState::done);
  EXPECT_EQ(replay.result, "result");
  EXPECT_EQ(replay.owner, "a");
  EXPECT_FALSE(replay.fence);
  w.pass(1ms);
  const auto again = b.once(BeginKey{"key"});
  EXPECT_EQ(again.state, KeyState::running);
  EXPECT_GT(again.fence, fence);
}

void S151_a_key_that_failed_can_be_begun_again_at_once(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const Fence fence = begin(a);
  EXPECT_EQ(a.once(FailKey{"key", fence}).state, KeyState::failed);
  EXPECT_GT(begin(b), fence);
}

void S152_a_key_is_ended_by_its_fence_and_once(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const Fence fence = begin(a);
  const Fence wrong{fence.value - 1};
  EXPECT_EQ(a.once(CompleteKey{"key", wrong, "x", kKeep}).refused, Refused::stale);
  EXPECT_EQ(a.once(FailKey{"key", wrong}).refused, Refused::stale);
  EXPECT_EQ(a.once(CompleteKey{"other", fence, "x", kKeep}).refused, Refused::stale);
  b.once(CompleteKey{"key", fence, "result", kKeep});  // who delivers it does not matter
  const auto again = a.once(CompleteKey{"key", fence, "other", kKeep});
  EXPECT_EQ(again.refused, Refused::none);
  EXPECT_EQ(again.result, "result");
  const auto failed = a.once(FailKey{"key", fence});
  EXPECT_EQ(failed.refused, Refused::stale);
  EXPECT_EQ(failed.state, KeyState::done);
}

void S153_a_key_whose_owner_was_ended_is_lost_until_somebody_says_otherwise(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const Fence first = begin(a);
  b.sweep(a);
  const auto lost = b.once(BeginKey{"key"});
  EXPECT_EQ(lost.refused, Refused::gone);
  EXPECT_EQ(lost.state, KeyState::lost);
  const Fence second = b.once(BeginKey{"key", true}).fence.value();
  EXPECT_GT(second, first);
  EXPECT_EQ(b.once(CompleteKey{"key", first, "late", kKeep}).refused, Refused::stale);
  Actor& c = w.node("c");
  c.sweep(b);
  EXPECT_EQ(c.once(CompleteKey{"key", second, "late", kKeep}).state, KeyState::done);
  EXPECT_EQ(c.once(BeginKey{"key"}).result, "late");
}

void S154_a_key_that_is_live_or_lost_never_expires_and_only_the_living_begin_one(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  begin(a);
  w.pass(std::chrono::hours{100'000});
  b.lane().sweep({});
  EXPECT_EQ(b.once(BeginKey{"key"}).refused, Refused::busy);
  b.sweep(a);
  w.pass(std::chrono::hours{100'000});
  b.lane().sweep({});
  EXPECT_EQ(b.once(BeginKey{"key"}).refused, Refused::gone);
  EXPECT_EQ(a.once(BeginKey{"other"}).refused, Refused::ended);
  EXPECT_EQ(w.stranger("c").once(BeginKey{"other"}).refused, Refused::ended);
}

constexpr Rule kOnceRules[] = {
    CRONCE_RULE(S149_a_key_is_begun_by_one_and_busy_for_all_others),
    CRONCE_RULE(S150_a_key_that_is_done_answers_its_result_as_long_as_it_is_kept),
    CRONCE_RULE(S151_a_key_that_failed_can_be_begun_again_at_once),
    CRONCE_RULE(S152_a_key_is_ended_by_its_fence_and_once),
    CRONCE_RULE(S153_a_key_whose_owner_was_ended_is_lost_until_somebody_says_otherwise),
    CRONCE_RULE(S154_a_key_that_is_live_or_lost_never_expires_and_only_the_living_begin_one),
};

}  // namespace

std::span<const Rule> once_rules() { return kOnceRules; }

}  // namespace cronce::contract
