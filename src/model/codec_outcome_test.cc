// What a lane remembers, as it is stored.
#include <gtest/gtest.h>

#include "model/codec.h"

namespace cronce {
namespace {

constexpr Incarnation kSelf{{1, 2}};

Claim some_claim() {
  return {{JobUid{7}, Space::manual, {}, "r", Attempt{2}},
          kSelf,
          Fence{9},
          "j@manual/r",
          Time{Duration{5}},
          Time{Duration{6}}};
}

Outcome there_and_back(const Outcome& outcome) { return decode_outcome(encode(outcome)).value(); }

TEST(StoredOutcome, of_each_kind_comes_back) {
  const Plan plan{Turn{3}, Time{Duration{4}}, Time{Duration{5}}, CivilTime{Seconds{6}}};
  const DecideAnswer decided{
      Refused::moved, plan, {{RunState::running, Reason::none, some_claim()}}, "a"};
  const std::vector<Outcome> outcomes{
      {},
      DecideAnswers{{decided}, {Refused::gone, Refused::none}, {Refused::busy}},
      std::vector<TakeAnswer>{{Refused::none, some_claim(), ""}, {Refused::busy, {}, "b"}},
      std::vector<FinishAnswer>{{Refused::stale, RunState::lost}},
      std::vector<SweepAnswer>{{true, 4}, {}},
      RegisterAnswer{Refused::none, Registered::owing, Generation{3}, {"j"}, {decided}},
      ControlAnswer{Refused::gone,
                    some_claim().run,
                    some_claim(),
                    SlotOutcome{RunState::skipped, Reason::past, {}},
                    {some_claim().run}},
      OnceAnswer{Refused::busy, KeyState::running, Fence{3}, "result", "owner"},
  };
  EXPECT_EQ(outcomes.size(), std::variant_size_v<Outcome>);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].index(), i);
    EXPECT_TRUE(there_and_back(outcomes[i]) == outcomes[i]) << encode(outcomes[i]);
  }
}

TEST(StoredOutcome, is_short_where_nothing_was_unusual) {
  EXPECT_EQ(encode(Outcome{}), R"({"v":1})");
  EXPECT_EQ(encode(Outcome{std::vector<FinishAnswer>{{Refused::none, RunState::succeeded}}}),
            R"({"v":1,"finish":[{"state":"succeeded"}]})");
}

TEST(StoredOutcome, that_is_not_understood_is_refused) {
  for (const std::string_view text : {
           R"({"v":1,"dance":{}})",
           R"({"v":1,"take":{}})",
           R"({"v":1,"finish":[],"take":[]})",
           R"({"v":1,"finish":[{"state":"resting"}]})",
           R"({"v":1,"once":{"refused":"rudely"}})",
           R"({"v":1,"decide":{"entries":[{"colour":"red"}]}})",
           R"({"v":1,"decide":{"entries":[{"plan":{"label":"noon"}}]}})",
       }) {
    const auto outcome = decode_outcome(text);
    ASSERT_FALSE(outcome) << text;
    EXPECT_EQ(outcome.error().code, Code::corrupt);
    EXPECT_EQ(outcome.error().message, "stored outcome: a member is unknown or out of place");
  }
  EXPECT_FALSE(decode_outcome(R"({"v":2})"));
}

}  // namespace
}  // namespace cronce
