#include "model/words.h"

#include <set>

#include <gtest/gtest.h>

namespace cronce {
namespace {

template <class E>
class WordsOf : public testing::Test {};
using Enumerations =
    testing::Types<Gap, Fold, Overlap, CatchUp::Mode, OnLost, OnLeaseLoss, EnvBase, Space, RunKind,
                   RunState, Reason, Refused, Registered, KeyState>;
TYPED_TEST_SUITE(WordsOf, Enumerations);

TYPED_TEST(WordsOf, each_value_has_a_word_of_its_own_and_comes_back) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < Words<TypeParam>::kList.size(); ++i) {
    const auto value = static_cast<TypeParam>(i);
    EXPECT_TRUE(seen.insert(word(value)).second) << word(value);
    EXPECT_EQ(from_word<TypeParam>(word(value)), value) << word(value);
  }
  EXPECT_EQ(from_word<TypeParam>("Skip"), std::nullopt);
  EXPECT_EQ(from_word<TypeParam>("no_such_word"), std::nullopt);
}

// The last enumerator of each list: one added without a word would move it.
TEST(Words, reach_the_last_value) {
  EXPECT_EQ(word(Gap::skip), "skip");
  EXPECT_EQ(word(Fold::both), "both");
  EXPECT_EQ(word(Overlap::allow), "allow");
  EXPECT_EQ(word(CatchUp::Mode::all), "all");
  EXPECT_EQ(word(OnLost::hold), "hold");
  EXPECT_EQ(word(OnLeaseLoss::carry_on), "continue");
  EXPECT_EQ(word(EnvBase::cron), "cron");
  EXPECT_EQ(word(Space::boot), "boot");
  EXPECT_EQ(word(RunKind::rerun), "rerun");
  EXPECT_EQ(word(RunState::lost), "lost");
  EXPECT_EQ(word(Reason::late), "late");
  EXPECT_EQ(word(Refused::clock), "clock");
  EXPECT_EQ(word(Registered::early), "early");
  EXPECT_EQ(word(KeyState::lost), "lost");
}

// A table in the wrong order would show here.
TEST(Words, stand_in_the_order_of_their_values) {
  EXPECT_EQ(word(RunState::returned), "returned");
  EXPECT_EQ(word(RunState::timed_out), "timed_out");
  EXPECT_EQ(word(Reason::none), "");
  EXPECT_EQ(word(Reason::guard), "guard");
  EXPECT_EQ(word(Reason::replaced), "replaced");
  EXPECT_EQ(word(Reason::store_regressed), "store_regressed");
  EXPECT_EQ(word(Reason::exit), "exit");
  EXPECT_EQ(word(Reason::retries_exhausted), "retries_exhausted");
  EXPECT_EQ(word(Reason::by_operator), "operator");
  EXPECT_EQ(word(Reason::regressed), "regressed");
}

TEST(RunState, has_ended_unless_something_will_still_happen_to_it) {
  for (std::size_t i = 0; i < Words<RunState>::kList.size(); ++i) {
    const auto state = static_cast<RunState>(i);
    const bool open =
        state == RunState::pending || state == RunState::held || state == RunState::running;
    EXPECT_EQ(is_ended(state), !open) << word(state);
  }
}

}  // namespace
}  // namespace cronce
