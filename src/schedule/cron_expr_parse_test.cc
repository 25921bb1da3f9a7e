// What a cron expression may look like, and which sets it becomes.
#include <bit>

#include <gtest/gtest.h>

#include "schedule/cron_expr.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

/// `0,15,30`, as bits.
std::uint64_t set_of(std::initializer_list<unsigned> values) {
  std::uint64_t set = 0;
  for (const unsigned value : values) set |= std::uint64_t{1} << value;
  return set;
}

TEST(CronExprParse, reads_lists_ranges_and_steps) {
  struct Case {
    std::string_view minutes;
    std::uint64_t set;
  };
  for (const auto& [minutes, set] : {
           Case{"0", set_of({0})},
           Case{"007", set_of({7})},
           Case{"5,3,5", set_of({3, 5})},
           Case{"1-3", set_of({1, 2, 3})},
           Case{"4-4", set_of({4})},
           Case{"*/20", set_of({0, 20, 40})},
           Case{"*/59", set_of({0, 59})},
           Case{"*/60", set_of({0})},
           Case{"*/99999", set_of({0})},
           Case{"10-30/10", set_of({10, 20, 30})},
           Case{"10-30/100", set_of({10})},
           Case{"50/4", set_of({50, 54, 58})},  // N/step goes on to the field's end
           Case{"59/1", set_of({59})},
           Case{"1,10-12,50/5", set_of({1, 10, 11, 12, 50, 55})},
           Case{"*", (std::uint64_t{1} << 60) - 1},
       }) {
    EXPECT_EQ(cron(std::string(minutes) + " 0 * * *").minutes(), set) << minutes;
  }
}

TEST(CronExprParse, reads_weekdays_with_two_names_for_sunday) {
  struct Case {
    std::string_view weekdays;
    std::uint64_t set;
  };
  for (const auto& [weekdays, set] : {
           Case{"0", set_of({0})},
           Case{"7", set_of({0})},
           Case{"0,7", set_of({0})},
           Case{"sun", set_of({0})},
           Case{"MON-fri", set_of({1, 2, 3, 4, 5})},
           Case{"SAT-SUN", set_of({6, 0})},
           Case{"6-7", set_of({6, 0})},
           Case{"MON-SUN", set_of({0, 1, 2, 3, 4, 5, 6})},
           Case{"SUN-SUN", set_of({0})},
           Case{"SUN-TUE", set_of({0, 1, 2})},
           Case{"0-7", set_of({0, 1, 2, 3, 4, 5, 6})},
           Case{"1-7/2", set_of({1, 3, 5, 0})},
           Case{"5-SUN", set_of({5, 6, 0})},
           Case{"4/2", set_of({4, 6})},  // N/step ends at 6
           Case{"7/2", set_of({0})},
           Case{"*/3", set_of({0, 3, 6})},
       }) {
    EXPECT_EQ(cron("0 0 * * " + std::string(weekdays)).weekdays(), set) << weekdays;
  }
}

TEST(CronExprParse, reads_months_by_name_and_days_with_a_question_mark) {
  EXPECT_EQ(cron("0 0 1 JAN,feb-Apr,12 *").months(), set_of({1, 2, 3, 4, 12}));
  EXPECT_EQ(cron("0 0 1 */4 *").months(), set_of({1, 5, 9}));
  EXPECT_EQ(cron("0 0 */10 * *").days(), set_of({1, 11, 21, 31}));
  EXPECT_EQ(cron("0 0 ? * MON").days(), 0xfffffffeU);
  EXPECT_EQ(cron("0 0 1 * ?").weekdays(), 0x7f);
}

TEST(CronExprParse, takes_seconds_from_a_sixth_field_in_front) {
  EXPECT_EQ(cron("5 * * * *").seconds(), set_of({0}));
  EXPECT_EQ(cron("5 * * * *").minutes(), set_of({5}));
  EXPECT_EQ(cron("5,10 7 * * * *").seconds(), set_of({5, 10}));
  EXPECT_EQ(cron("5,10 7 * * * *").minutes(), set_of({7}));
}

TEST(CronExprParse, takes_blanks_and_tabs_in_any_number) {
  EXPECT_EQ(cron("  1\t2   3 4 \t 5  ").hours(), set_of({2}));
}

TEST(CronExprParse, reads_macros_in_any_case) {
  struct Case {
    std::string_view macro;
    std::string_view first;  // from Thursday 2026-01-01T00:00:01 on
  };
  for (const auto& [macro, first] : {
           Case{"@hourly", "2026-01-01T01:00:00"},
           Case{"@daily", "2026-01-02T00:00:00"},
           Case{"@midnight", "2026-01-02T00:00:00"},
           Case{"@weekly", "2026-01-04T00:00:00"},
           Case{"@monthly", "2026-02-01T00:00:00"},
           Case{"@yearly", "2027-01-01T00:00:00"},
           Case{"@annually", "2027-01-01T00:00:00"},
           Case{"@DAILY", "2026-01-02T00:00:00"},
           Case{" @Weekly\t", "2026-01-04T00:00:00"},
       }) {
    EXPECT_EQ(show(cron(macro).at_or_after(civil("2026-01-01T00:00:01"))), first) << macro;
  }
}

TEST(CronExprParse, is_wildcard_hour_by_the_hour_field_alone) {
  for (const std::string_view hours :
       {"*", "*/1", "*/2", "*/7", "*/24", "0-23", "0-11,12-23", "0/1"}) {
    EXPECT_TRUE(cron("0 " + std::string(hours) + " * * *").wildcard_hour()) << hours;
  }
  for (const std::string_view hours : {"2", "0-22", "1/1", "*/2,1", "0,*/2", "0-23/2", "22,23"}) {
    EXPECT_FALSE(cron("*/15 " + std::string(hours) + " * * *").wildcard_hour()) << hours;
  }
}

TEST(CronExprParse, takes_a_list_that_contains_a_star_for_all_hours) {
  EXPECT_TRUE(cron("0 3,* * * *").wildcard_hour());
}

TEST(CronExprParse, is_restricted_in_a_day_field_that_does_not_begin_with_a_star) {
  struct Case {
    std::string_view days;
    bool either;
  };
  for (const auto& [days, either] : {
           Case{"13 * 5", true},
           Case{"1-31 * 5", true},
           Case{"1-31 * 0-6", true},
           Case{"5,* * 5", true},
           Case{"* * 5", false},
           Case{"? * 5", false},
           Case{"*/2 * 5", false},
           Case{"*,5 * 5", false},
           Case{"13 * *", false},
           Case{"13 * */2", false},
           Case{"* * *", false},
       }) {
    EXPECT_EQ(cron("0 0 " + std::string(days)).either_day(), either) << days;
  }
}

TEST(CronExprParse, stays_small) { EXPECT_LE(sizeof(CronExpr), 32U); }

}  // namespace
}  // namespace cronce
