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
  EXPECT_EQ(encode(Outcome{}), R"({"v":2})");
  EXPECT_EQ(encode(Outcome{std::vector<FinishAnswer>{{Refused::none, RunState::succeeded}}}),
            R"({"v":2,"finish":[{"state":"succeeded"}]})");
}

TEST(StoredOutcome, says_of_each_answer_only_what_differs_from_the_one_before) {
  const auto answer = [](std::uint64_t job, std::optional<Time> next) {
    Claim claim = some_claim();
    claim.run.job = JobUid{job};
    DecideAnswer granted;
    granted.plan.next = next;
    granted.runs = {{RunState::running, Reason::none, claim}};
    return granted;
  };
  const Time next{Duration{9}};
  const DecideAnswer refused{Refused::moved, {}, {}, "a"};
  const Outcome outcome =
      DecideAnswers{{answer(1, next), answer(2, next), answer(3, {}), refused, answer(4, next)},
                    {Refused::none, Refused::none},
                    {}};
  EXPECT_TRUE(there_and_back(outcome) == outcome) << encode(outcome);
  const std::string text = encode(outcome);
  EXPECT_NE(text.find(R"(,{"runs":[{"claim":{"run":{"job":2}}}]},)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(,{"plan":{"next":null},"runs":[{"claim":{"run":{"job":3}}}]},)"),
            std::string::npos)
      << text;
}

TEST(StoredOutcome, that_is_not_understood_is_refused) {
  for (const std::string_view text : {
           R"({"v":2,"dance":{}})",
           R"({"v":2,"take":{}})",
           R"({"v":2,"finish":[],"take":[]})",
           R"({"v":2,"finish":[{"state":"resting"}]})",
           R"({"v":2,"once":{"refused":"rudely"}})",
           R"({"v":2,"decide":{"entries":[{"colour":"red"}]}})",
           R"({"v":2,"decide":{"entries":[{"plan":{"label":"noon"}}]}})",
       }) {
    const auto outcome = decode_outcome(text);
    ASSERT_FALSE(outcome) << text;
    EXPECT_EQ(outcome.error().code, Code::corrupt);
    EXPECT_EQ(outcome.error().message, "stored outcome: a member is unknown or out of place");
  }
  EXPECT_FALSE(decode_outcome(R"({"v":3})"));
  EXPECT_FALSE(decode_outcome(R"({"v":1})")) << "it meant something else";
}

}  // namespace
}  // namespace cronce
