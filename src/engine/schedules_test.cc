#include "engine/schedules.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(Schedules, are_shared_by_equal_specs_only) {
  Schedules schedules;
  const ScheduleSpec spec{.elements = {CronSpec{"0 3 * * *"}}, .timezone = "Europe/Berlin"};
  ScheduleSpec other = spec;
  other.dst.fold = Fold::both;  // which a description may leave out
  const auto first = schedules.build(spec, load_zone);
  const auto second = schedules.build(spec, load_zone);
  const auto third = schedules.build(other, load_zone);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(&**first, &**second);
  EXPECT_NE(&**first, &**third);
}

TEST(Schedules, that_cannot_be_built_are_none) {
  Schedules schedules;
  EXPECT_FALSE(schedules.build({.elements = {CronSpec{"0 0 31 2 *"}}}, load_zone));
}

TEST(Schedules, are_right_however_many_there_are) {
  Schedules schedules;
  for (int i = 0; i < 10'000; ++i) {
    const Duration interval{1'000 * (1 + i % 5'000)};
    const ScheduleSpec spec{.elements = {EverySpec{interval, std::nullopt}}};
    const auto built = schedules.build(spec, load_zone);
    ASSERT_TRUE(built);
    ASSERT_EQ((*built)->first_after(Time{}), Time{} + interval);
  }
}

}  // namespace
}  // namespace cronce
