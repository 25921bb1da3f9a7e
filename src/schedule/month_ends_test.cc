// Days that not every month has, against a look at every day of a century.
#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::year_month_day;

const local_days kFrom = std::chrono::floor<days>(civil("2000-01-01"));
const local_days kTo = std::chrono::floor<days>(civil("2101-01-01"));

template <class Matches>
void expect_days(const std::string& text, Matches matches) {
  const CronExpr expr = cron(text);
  std::vector<local_days> wanted;
  for (local_days day = kFrom; day < kTo; day += days{1}) {
    const year_month_day date{day};
    if (matches(static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()))) {
      wanted.push_back(day);
    }
  }
  std::vector<local_days> forwards;
  for (auto at = expr.at_or_after(kFrom); at && *at < kTo;
       at = expr.at_or_after(*at + Seconds{1})) {
    forwards.push_back(std::chrono::floor<days>(*at));
  }
  std::vector<local_days> backwards;
  for (auto at = expr.at_or_before(kTo - Seconds{1}); at && *at >= kFrom;
       at = expr.at_or_before(*at - Seconds{1})) {
    backwards.insert(backwards.begin(), std::chrono::floor<days>(*at));
  }
  EXPECT_TRUE(forwards == wanted) << text;
  EXPECT_TRUE(backwards == wanted) << text;
  EXPECT_EQ(expr.count(kFrom, kTo), static_cast<std::int64_t>(wanted.size())) << text;
}

TEST(MonthEnds, leap_days_fall_every_four_years_but_for_2100) {
  expect_days("0 0 29 2 *", [](unsigned month, unsigned day) { return month == 2 && day == 29; });
  EXPECT_EQ(cron("0 0 29 2 *").count(kFrom, kTo), 25);
}

TEST(MonthEnds, short_months_are_passed_over) {
  expect_days("0 0 30,31 * *", [](unsigned, unsigned day) { return day >= 30; });
  expect_days("0 0 31 * *", [](unsigned, unsigned day) { return day == 31; });
  expect_days("0 0 31 1-6 *", [](unsigned month, unsigned day) { return month <= 6 && day == 31; });
}

TEST(MonthEnds, steps_start_over_on_the_first) {
  for (unsigned n = 2; n <= 30; ++n) {
    expect_days("0 0 */" + std::to_string(n) + " * *",
                [n](unsigned, unsigned day) { return (day - 1) % n == 0; });
  }
}

}  // namespace
}  // namespace cronce
