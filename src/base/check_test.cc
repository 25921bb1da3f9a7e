#include "base/check.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(CheckDeathTest, names_the_place_and_the_condition) {
  const int answer = 41;
  EXPECT_DEATH(CHECK(answer == 42),
               "cronce: internal error: .*check_test.cc:[0-9]+: answer == 42 does not hold");
}

TEST(Check, evaluates_its_condition_once) {
  int calls = 0;
  CHECK(++calls == 1);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace cronce
