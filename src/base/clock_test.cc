#include "base/clock.h"

#include <gtest/gtest.h>

#include "test/support/manual_clock.h"
#include "test/support/times.h"

namespace cronce {
namespace {

TEST(SystemClock, reads_the_clocks_of_this_machine) {
  const Clock& clock = system_clock();
  const Duration boot = clock.boot();
  EXPECT_GT(clock.wall(), utc("2025-01-01T00:00:00Z"));
  EXPECT_GT(boot.count(), 0);
  EXPECT_GE(clock.boot(), boot);
}

TEST(ManualClock, moves_only_when_told) {
  ManualClock clock(utc("2026-01-01T00:00:00Z"), Duration{5'000});
  clock.advance(Duration{250});
  EXPECT_EQ(show(clock.wall()), "2026-01-01T00:00:00.250Z");
  EXPECT_EQ(clock.boot().count(), 5'250);
  clock.set(utc("2025-12-31T00:00:00Z"));
  EXPECT_EQ(show(clock.wall()), "2025-12-31T00:00:00Z");
  EXPECT_EQ(clock.boot().count(), 5'250);
}

}  // namespace
}  // namespace cronce
