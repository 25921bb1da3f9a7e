#include "cli/human.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

TEST(HumanDistance, TheTwoLargestUnits) {
  EXPECT_EQ(human_distance(hours{3} + minutes{12} + Seconds{59}), "in 3h12m");
  EXPECT_EQ(human_distance(days{2} + hours{5} + minutes{7}), "in 2d5h");
  EXPECT_EQ(human_distance(minutes{1} + Seconds{1}), "in 1m1s");
}

TEST(HumanDistance, DoesNotReachOverAUnit) {
  EXPECT_EQ(human_distance(days{2} + minutes{7}), "in 2d");
  EXPECT_EQ(human_distance(hours{1} + Seconds{30}), "in 1h");
}

TEST(HumanDistance, Ends) {
  EXPECT_EQ(human_distance(Duration{999}), "in 0s");
  EXPECT_EQ(human_distance(Duration{1'999}), "in 1s");
  EXPECT_EQ(human_distance(days{3'000'000}), "in 3000000d");
}

TEST(HumanSpan, IsFineWhereItIsShort) {
  EXPECT_EQ(human_span(Duration{0}), "0ms");
  EXPECT_EQ(human_span(Duration{999}), "999ms");
  EXPECT_EQ(human_span(Duration{1'290}), "1.2s");
  EXPECT_EQ(human_span(Seconds{59}), "59s");
  EXPECT_EQ(human_span(minutes{61}), "1h1m");
}

TEST(HumanRelative, LooksBothWays) {
  const Time now{days{20'541}};
  EXPECT_EQ(human_relative(now + minutes{2}, now), "in 2m");
  EXPECT_EQ(human_relative(now - hours{25}, now), "1d1h ago");
  EXPECT_EQ(human_relative(now + Duration{999}, now), "now");
  EXPECT_EQ(human_relative(now - Duration{999}, now), "now");
}

TEST(HumanTime, SaysItOnceInUtc) {
  const Time time{days{20'541} + hours{1} + minutes{30}};
  const Zone utc("UTC", Seconds{0}, {});
  const Zone west("West", Seconds{-9'000}, {});
  EXPECT_EQ(human_time(time, utc), "Sun 2026-03-29T01:30:00Z");
  EXPECT_EQ(human_time_in_full(time, utc), "Sun 2026-03-29 01:30:00 +00:00  2026-03-29T01:30:00Z");
  EXPECT_EQ(human_time(time, west), "Sat 2026-03-28 23:00:00 -02:30  2026-03-29T01:30:00Z");
}

TEST(HumanTimes, SayOnlyWhatIsNew) {
  const Time time{days{20'541} + hours{1} + minutes{30}};  // Sunday, 2026-03-29
  const Zone utc("UTC", Seconds{0}, {});
  EXPECT_EQ(human_times({}, utc), "");
  EXPECT_EQ(human_times({time, time + minutes{5}, time + days{1}, time + days{365}}, utc),
            "Sun 2026-03-29 01:30, 01:35, Mon 03-30 01:30, Mon 2027-03-29 01:30");
  EXPECT_EQ(human_times({time, time + Seconds{5}}, utc), "Sun 2026-03-29 01:30:00, 01:30:05");
}

TEST(HumanTimes, TellARepeatedHourApart) {
  const std::chrono::sys_seconds change{days{20'541} + hours{1}};
  const Zone autumn("Autumn", hours{2}, {{change, hours{1}}});
  EXPECT_EQ(human_times({Time{change} - minutes{30}, Time{change} + minutes{30}}, autumn),
            "Sun 2026-03-29 02:30+02:00, 02:30+01:00");
}

TEST(Human, SmallThings) {
  EXPECT_EQ(counted(1, "job"), "1 job");
  EXPECT_EQ(counted(0, "job"), "0 jobs");
  EXPECT_EQ(trim_right("a b  "), "a b");
  EXPECT_EQ(trim_right("  "), "");
}

TEST(Paint, OnlyWhereThereAreColours) {
  Console console{stdin, stdout, stderr, system_clock(), false};
  EXPECT_EQ(paint(console, Colour::red, "x"), "x");
  console.colour = true;
  EXPECT_EQ(paint(console, Colour::red, "x"), "\033[31mx\033[0m");
}

}  // namespace
}  // namespace cronce
