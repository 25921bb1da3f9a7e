#include <limits>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/time.h"

namespace cronce {
namespace {

TEST(Duration, is_read_in_units_from_large_to_small) {
  struct Case {
    std::string_view text;
    std::int64_t millis;
  };
  for (const auto& [text, millis] : {
           Case{"0s", 0},
           Case{"1ms", 1},
           Case{"90s", 90'000},
           Case{"15m", 900'000},
           Case{"2h30m", 9'000'000},
           Case{"1d", 86'400'000},
           Case{"1d2h3m4s5ms", 93'784'005},
           Case{"1d5ms", 86'400'005},
           Case{"007s", 7'000},
           Case{"26687997791d", 2'305'843'009'142'400'000},
       }) {
    const auto duration = parse_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(duration->count(), millis) << text;
  }
}

TEST(Duration, refuses_everything_else) {
  for (const std::string_view text : {"",
                                      "5",
                                      "s",
                                      "m5",
                                      "5x",
                                      "5M",
                                      "5S",
                                      " 5s",
                                      "5s ",
                                      "5 s",
                                      "1h 30m",
                                      "1.5h",
                                      "1,5h",
                                      "-5s",
                                      "-0s",
                                      "1h-0m",
                                      "+5s",
                                      "30m2h",
                                      "1m1m",
                                      "1ms1s",
                                      "1w",
                                      "1y",
                                      "5s5",
                                      "0x5s",
                                      "1e3s",
                                      "9223372036854775807d",
                                      "99999999999999999999s",
                                      "5\u00b5s"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code, Code::invalid);
  }
  EXPECT_EQ(parse_duration("5 minutes").error().message,
            "'5 minutes' is not a duration: write it like 90s, 15m, 2h30m or 1d");
}

TEST(Duration, is_printed_in_its_shortest_form) {
  struct Case {
    std::int64_t millis;
    std::string_view text;
  };
  for (const auto& [millis, text] : {
           Case{0, "0s"},
           Case{250, "250ms"},
           Case{90'000, "1m30s"},
           Case{9'000'000, "2h30m"},
           Case{93'784'005, "1d2h3m4s5ms"},
           Case{-90'000, "-1m30s"},
       }) {
    EXPECT_EQ(print(Duration{millis}), text);
  }
}

TEST(Duration, comes_back_as_it_was_printed) {
  Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const Duration duration{rng.between(0, std::int64_t{1} << rng.below(60))};
    const auto again = parse_duration(print(duration));
    ASSERT_TRUE(again) << print(duration);
    EXPECT_EQ(again->count(), duration.count());
  }
}

}  // namespace
}  // namespace cronce
