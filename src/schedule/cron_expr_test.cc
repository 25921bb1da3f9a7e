#include "schedule/cron_expr.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

/// The first `count` matching civil times from then on.
std::string walk(std::string_view text, std::string_view from, int count) {
  const CronExpr expr = cron(text);
  std::vector<CivilTime> found;
  for (auto at = expr.at_or_after(civil(from)); at && count > 0; --count) {
    found.push_back(*at);
    at = expr.at_or_after(*at + Seconds{1});
  }
  return show(found);
}

TEST(CronExpr, finds_the_first_match_at_or_after) {
  struct Case {
    std::string_view text;
    std::string_view from;
    std::string_view found;
  };
  for (const auto& [text, from, found] : {
           Case{"* * * * *", "2026-01-01T00:00", "2026-01-01T00:00:00"},
           Case{"* * * * *", "2026-01-01T00:00:01", "2026-01-01T00:01:00"},
           Case{"* * * * * *", "2026-12-31T23:59:59", "2026-12-31T23:59:59"},
           Case{"0 * * * *", "2026-12-31T23:00:01", "2027-01-01T00:00:00"},
           Case{"30 2 * * *", "2026-01-01T02:30", "2026-01-01T02:30:00"},
           Case{"30 2 * * *", "2026-01-01T02:31", "2026-01-02T02:30:00"},
           Case{"59 59 23 31 12 *", "2026-01-01", "2026-12-31T23:59:59"},
           Case{"0 0 * * 0", "2026-01-01", "2026-01-04T00:00:00"},
           Case{"0 0 31 * *", "2026-02-01", "2026-03-31T00:00:00"},
           Case{"0 0 30 * *", "2026-01-31", "2026-03-30T00:00:00"},
           Case{"15,45 8-10/2 * * *", "2026-01-01T08:45:01", "2026-01-01T10:15:00"},
           Case{"5 10 15 * * *", "2026-01-01T15:10:06", "2026-01-02T15:10:05"},
       }) {
    EXPECT_EQ(show(cron(text).at_or_after(civil(from))), found) << text << " from " << from;
  }
}

TEST(CronExpr, either_day_matches_when_both_are_restricted) {
  EXPECT_EQ(walk("0 0 13 * 5", "2026-02-01", 6),
            "2026-02-06T00:00:00 2026-02-13T00:00:00 2026-02-20T00:00:00 2026-02-27T00:00:00 "
            "2026-03-06T00:00:00 2026-03-13T00:00:00");
  const auto year = [](std::string_view text) {
    return cron(text).count(civil("2026-01-01"), civil("2027-01-01"));
  };
  EXPECT_EQ(year("0 0 13 * 5"), 61);
  EXPECT_EQ(year("0 9 1-31 * 1"), 365);
}

TEST(CronExpr, both_days_must_match_when_one_begins_with_a_star) {
  EXPECT_EQ(walk("0 9 */2 * 1", "2026-01-01", 4),
            "2026-01-05T09:00:00 2026-01-19T09:00:00 2026-02-09T09:00:00 2026-02-23T09:00:00");
  EXPECT_EQ(walk("0 9 13 * */5", "2026-01-01", 3),
            "2026-02-13T09:00:00 2026-03-13T09:00:00 2026-09-13T09:00:00");
}

TEST(CronExpr, finds_a_leap_sunday_across_2100) {
  const CronExpr expr = cron("0 0 29 2 */7");
  EXPECT_EQ(show(expr.at_or_after(civil("2088-03-01"))), "2128-02-29T00:00:00");
  EXPECT_EQ(show(expr.at_or_before(civil("2128-02-28"))), "2088-02-29T00:00:00");
}

TEST(CronExpr, searches_one_year_more_than_can_be_written_and_no_further) {
  EXPECT_EQ(show(cron("0 0 2 1 *").at_or_after(civil("9999-01-03"))), "10000-01-02T00:00:00");
  EXPECT_EQ(show(cron("0 0 1 1 *").at_or_after(civil("9999-12-31") + std::chrono::days{2})),
            "none");
  EXPECT_EQ(show(cron("0 0 31 12 *").at_or_before(civil("0001-12-30"))), "0000-12-31T00:00:00");
  EXPECT_EQ(show(cron("0 0 31 12 *").at_or_before(civil("0001-01-01") - std::chrono::days{2})),
            "none");
}

constexpr std::array<std::string_view, 14> kShapes{
    "* * * * *",          "*/7 * * * * *", "30 2 * * *",    "0 0 29 2 *",         "0 0 31 * *",
    "59 59 23 * * *",     "0 0 13 * 5",    "0 9 */2 * 1",   "5,50 1-3 1 1,7 *",   "0 0 30,31 * *",
    "15 */5 * * SAT-SUN", "1 1 1 1 1 1",   "0 12 29 2 */3", "10-20/3 4/6 * * * *"};

CivilTime random_civil(Rng& rng) {
  return CivilTime{Seconds{rng.between(-20'000'000'000, 60'000'000'000)}};
}

TEST(CronExpr, searches_backwards_as_it_does_forwards) {
  Rng rng(1);
  for (const std::string_view text : kShapes) {
    const CronExpr expr = cron(text);
    for (int i = 0; i < 200; ++i) {
      const auto from = random_civil(rng);
      const auto next = expr.at_or_after(from);
      ASSERT_TRUE(next && expr.matches(*next)) << text << " from " << show(from);
      EXPECT_EQ(show(expr.at_or_before(*next)), show(*next));
      // Between the last match before and the first one after there is none.
      const auto last = expr.at_or_before(*next - Seconds{1});
      ASSERT_TRUE(last && expr.matches(*last));
      EXPECT_LT(*last, from);
      EXPECT_EQ(show(expr.at_or_after(*last + Seconds{1})), show(*next)) << text;
    }
  }
}

TEST(CronExpr, finds_what_a_look_at_every_second_finds) {
  Rng rng(2);
  for (const std::string_view text : kShapes) {
    const CronExpr expr = cron(text);
    for (int i = 0; i < 5; ++i) {
      const CivilTime from = random_civil(rng);
      CivilTime at = from;
      while (!expr.matches(at) && at < from + std::chrono::hours{30}) at += Seconds{1};
      if (!expr.matches(at)) continue;
      EXPECT_EQ(show(expr.at_or_after(from)), show(at)) << text;
    }
  }
}

}  // namespace
}  // namespace cronce
