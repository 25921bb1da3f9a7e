#include "base/time.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "test/support/times.h"

namespace cronce {
namespace {

TEST(WrittenTime, is_read_in_every_form_and_printed_in_one) {
  struct Case {
    std::string_view text;
    std::string_view printed;
  };
  for (const auto& [text, printed] : {
           Case{"2026-12-24", "2026-12-24"},
           Case{"0001-01-01", "0001-01-01"},
           Case{"2024-02-29", "2024-02-29"},
           Case{"2026-12-24T18:00", "2026-12-24T18:00:00"},
           Case{"2026-12-24 18:00:30.5", "2026-12-24T18:00:30.500"},
           Case{"2026-12-24t18:00:30.050", "2026-12-24T18:00:30.050"},
           Case{"2026-12-24T18:00:30.1234", "2026-12-24T18:00:30.123"},
           Case{"2026-12-24T18:00:30.999999999Z", "2026-12-24T18:00:30.999Z"},
           Case{"2026-12-24T18:00:30.000999999Z", "2026-12-24T18:00:30Z"},
           Case{"2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"},
           Case{"2026-12-24T18:00z", "2026-12-24T18:00:00Z"},
           Case{"2026-12-24T18:00+00:00", "2026-12-24T18:00:00Z"},
           Case{"2026-12-24T18:00+01:00", "2026-12-24T18:00:00+01:00"},
           Case{"2026-12-24T18:00:00-09:30", "2026-12-24T18:00:00-09:30"},
           Case{"2026-12-24T18:00:00-00:30", "2026-12-24T18:00:00-00:30"},
       }) {
    const auto time = parse_written_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(print(*time), printed);
    EXPECT_EQ(parse_written_time(printed).value(), *time) << printed;
  }
}

TEST(WrittenTime, knows_its_instant_only_with_an_offset) {
  EXPECT_EQ(show(written("2026-12-24T18:00+01:00").instant()), "2026-12-24T17:00:00Z");
  EXPECT_EQ(show(written("2026-12-24T23:00-05:30").instant()), "2026-12-25T04:30:00Z");
  EXPECT_EQ(show(written("2026-12-24T18:00").instant()), "none");
  EXPECT_EQ(show(written("2026-12-24").instant()), "none");
}

TEST(WrittenTime, refuses_what_is_no_time) {
  for (const std::string_view text : {"",
                                      "now",
                                      "2026",
                                      "2026-12",
                                      "2026-1-1",
                                      "26-01-01",
                                      "2026-13-01",
                                      "2026-00-01",
                                      "2026-02-29",
                                      "2100-02-29",
                                      "2026-04-31",
                                      "2026-12-00",
                                      "0000-01-01",
                                      "10000-01-01",
                                      "-001-01-01",
                                      "+026-01-01",
                                      "2026-12-24T",
                                      "2026-12-24T18",
                                      "2026-12-24T24:00",
                                      "2026-12-24T18:60",
                                      "2026-12-24T18:00:60",
                                      "2026-12-24T18:00:00.",
                                      "2026-12-24T18:00.5",
                                      "2026-12-24T18:00:00.1234567890",
                                      "2026-12-24T18:00:00ZZ",
                                      "2026-12-24T18:00+1:00",
                                      "2026-12-24T18:00+0100",
                                      "2026-12-24T18:00+24:00",
                                      "2026-12-24T18:00+01:60",
                                      "2026-12-24T18:00 Z",
                                      " 2026-12-24",
                                      "2026-12-24 ",
                                      "2026-12-24Z",
                                      "2026-12-24T-1:00",
                                      "2026\u201012-24",
                                      "20261224",
                                      "2026/12/24"}) {
    EXPECT_FALSE(parse_written_time(text)) << text;
  }
  EXPECT_EQ(parse_written_time("24.12.2026").error().message,
            "'24.12.2026' is not a time: write it like 2026-12-24T18:00:00Z");
}

TEST(WrittenTime, says_what_is_wrong_with_the_right_form) {
  const auto why = [](std::string_view text) {
    const std::string message = parse_written_time(text).error().message;
    return message.substr(message.find(": ") + 2);
  };
  for (const std::string_view text : {"2026-02-29", "2026-04-31T00:00:00Z", "2026-12-00"}) {
    EXPECT_EQ(why(text), "that month has no such day") << text;
  }
  for (const std::string_view text :
       {"0000-01-01", "10000-01-01T00:00:00Z", "0001-01-01T00:00+00:01"}) {
    EXPECT_EQ(why(text), "years go from 0001 to 9999") << text;
  }
  EXPECT_EQ(why("2026-13-01"), "months go from 01 to 12");
  EXPECT_EQ(why("2026-12-24T24:00:00Z"), "hours go from 00 to 23");
  EXPECT_EQ(why("2026-12-24T18:60"), "minutes go from 00 to 59");
  EXPECT_EQ(why("2026-12-24T18:00:60Z"), "seconds go from 00 to 59");
  EXPECT_EQ(why("2026-12-24T18:00:00.1234567890Z"), "a second has at most nine decimals");
  EXPECT_EQ(why("2026-12-24T18:00+24:00"), "an offset goes from -23:59 to +23:59");
}

TEST(Time, needs_an_offset) {
  EXPECT_EQ(show(parse_time("2026-03-29T03:30:00+02:00").value()), "2026-03-29T01:30:00Z");
  EXPECT_EQ(parse_time("2026-03-29T03:30").error().message,
            "'2026-03-29T03:30' has no UTC offset: end it with Z or with one like +01:00");
  EXPECT_FALSE(parse_time("2026-03-29"));
}

TEST(Time, lies_between_year_1_and_year_9999) {
  EXPECT_EQ(parse_time("0001-01-01T00:00:00Z").value(), kMinTime);
  EXPECT_EQ(parse_time("9999-12-31T23:59:59.999Z").value(), kMaxTime);
  EXPECT_FALSE(parse_time("0001-01-01T00:00:00+00:01"));
  EXPECT_FALSE(parse_time("9999-12-31T23:59:59-00:01"));
}

TEST(Time, is_printed_with_a_fraction_only_where_it_has_one) {
  EXPECT_EQ(print(Time{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(print(Time{Duration{1'774'747'800'250}}), "2026-03-29T01:30:00.250Z");
  EXPECT_EQ(print(Time{Duration{-1}}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(print(kMinTime), "0001-01-01T00:00:00Z");
  EXPECT_EQ(print(kMaxTime), "9999-12-31T23:59:59.999Z");
}

TEST(Time, comes_back_as_it_was_printed) {
  Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const Time time{Duration{
        rng.between(kMinTime.time_since_epoch().count(), kMaxTime.time_since_epoch().count())}};
    EXPECT_EQ(parse_time(print(time)).value(), time) << print(time);
  }
}

TEST(Time, is_shown_as_a_wall_clock_shows_it) {
  using std::chrono::hours;
  using std::chrono::minutes;
  const Time time = utc("2026-03-29T01:30:00Z");
  EXPECT_EQ(print_at_offset(time, hours{2}), "2026-03-29T03:30:00+02:00");
  EXPECT_EQ(print_at_offset(time, hours{0}), "2026-03-29T01:30:00+00:00");
  EXPECT_EQ(print_at_offset(time, -hours{9} - minutes{30}), "2026-03-28T16:00:00-09:30");
  // Local mean time: the written form has no seconds, and drops them like strftime's %z.
  EXPECT_EQ(print_at_offset(time, -Seconds{17'762}), "2026-03-28T20:33:58-04:56");
}

TEST(CivilTime, is_printed_without_an_offset) {
  EXPECT_EQ(print(civil("2026-03-29T03:30")), "2026-03-29T03:30:00");
}

}  // namespace
}  // namespace cronce
