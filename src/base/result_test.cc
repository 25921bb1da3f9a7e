#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace cronce {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{Code::invalid, "odd"};
  return number / 2;
}

TEST(Result, holds_a_value_or_an_error) {
  const auto good = half(4);
  ASSERT_TRUE(good);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 2);

  const auto bad = half(3);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::invalid);
  EXPECT_EQ(bad.error().message, "odd");
}

TEST(Result, gives_away_what_can_only_be_moved) {
  Result<std::unique_ptr<int>> owner(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(owner);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, can_be_changed_in_place) {
  Result<std::string> text(std::string("a"));
  text->append("b");
  *text += "c";
  EXPECT_EQ(text.value(), "abc");
}

TEST(ResultDeathTest, aborts_when_the_wrong_side_is_asked_for) {
  EXPECT_DEATH(static_cast<void>(half(3).value()), "ok\\(\\) does not hold");
  EXPECT_DEATH(static_cast<void>(half(4).error()), "!ok\\(\\) does not hold");
}

TEST(Status, is_done_or_an_error) {
  const Status done = Done{};
  const Status failed = Error{Code::unavailable, "no answer"};
  EXPECT_TRUE(done);
  EXPECT_EQ(failed.error().code, Code::unavailable);
}

}  // namespace
}  // namespace cronce
