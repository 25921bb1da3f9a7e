#include "engine/cluster_clock.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Time kNoon = utc("2026-01-01T12:00:00Z");

TEST(ClusterClockTest, KnowsNothingBeforeTheFirstAnswer) {
  EXPECT_FALSE(ClusterClock(10).at(seconds(5)).has_value());
}

TEST(ClusterClockTest, TakesTheMiddleOfARoundTrip) {
  ClusterClock clock(10);
  clock.saw(seconds(100), seconds(102), kNoon);
  EXPECT_EQ(clock.at(seconds(101)), kNoon);
  EXPECT_EQ(clock.at(seconds(111)), kNoon + seconds(10));
}

TEST(ClusterClockTest, PrefersTheShortestRoundTrip) {
  ClusterClock clock(10);
  clock.saw(milliseconds(1'000), milliseconds(1'010), kNoon);
  clock.saw(milliseconds(2'000), milliseconds(4'000), kNoon + milliseconds(1'100));
  EXPECT_EQ(clock.at(milliseconds(4'005)), kNoon + seconds(3));
}

TEST(ClusterClockTest, ALongTimeWeighsMoreThanALongTrip) {
  ClusterClock clock(10);
  clock.saw(seconds(0), milliseconds(10), kNoon);
  clock.saw(seconds(60), milliseconds(60'200), kNoon + seconds(63));  // our clock is slow
  EXPECT_EQ(clock.at(milliseconds(60'100)), kNoon + seconds(63));
}

TEST(ClusterClockTest, FollowsAStepOfTheStoresClock) {
  ClusterClock clock(10);
  clock.saw(milliseconds(0), milliseconds(2), kNoon);
  clock.saw(milliseconds(3'000), milliseconds(3'400), kNoon - seconds(600));
  EXPECT_EQ(clock.at(milliseconds(3'200)), kNoon - seconds(600));
}

TEST(ClusterClockTest, IsWithinItsDoubt) {
  ClusterClock clock(10);
  clock.saw(seconds(0), milliseconds(200), kNoon);
  EXPECT_EQ(clock.doubt(milliseconds(100)), milliseconds(102));
  EXPECT_EQ(clock.doubt(milliseconds(10'100)), milliseconds(1'102));
}

}  // namespace
}  // namespace cronce
