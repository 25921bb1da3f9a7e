#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

// Every node computes it, whatever its version: these values never change.
TEST(Jitter, is_the_same_for_ever) {
  const Time slot = utc("2026-03-29T01:30:00Z");
  EXPECT_EQ(jitter("billing", slot, Duration{30'000}).count(), 28'003);
  EXPECT_EQ(jitter("team/a", slot, Duration{30'000}).count(), 15'726);
}

TEST(Jitter, lies_within_its_range_ends_included) {
  bool least = false;
  bool most = false;
  for (int i = 0; i < 1'000; ++i) {
    const Duration offset = jitter("a", Time{Seconds{i}}, Duration{9});
    ASSERT_GE(offset.count(), 0);
    ASSERT_LE(offset.count(), 9);
    least = least || offset.count() == 0;
    most = most || offset.count() == 9;
  }
  EXPECT_TRUE(least && most);
  EXPECT_EQ(jitter("a", Time{}, Duration{0}).count(), 0);
}

TEST(Jitter, spreads_jobs_and_slots_evenly) {
  std::array<int, 10> by_job{};
  std::array<int, 10> by_slot{};
  for (int i = 0; i < 10'000; ++i) {
    const auto tenth = [](Duration offset) {
      return static_cast<std::size_t>(offset.count() / 1'000);
    };
    ++by_job.at(tenth(jitter("job-" + std::to_string(i), Time{}, Duration{9'999})));
    ++by_slot.at(tenth(jitter("job", Time{Seconds{60 * i}}, Duration{9'999})));
  }
  for (const auto& counts : {by_job, by_slot}) {
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 850);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 1'150);
  }
}

}  // namespace
}  // namespace cronce
