// Counting without walking gives what walking gives.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

std::int64_t walk(const CronExpr& expr, CivilTime from, CivilTime to) {
  std::int64_t total = 0;
  for (auto at = expr.at_or_after(from); at && *at < to; at = expr.at_or_after(*at + Seconds{1})) {
    ++total;
  }
  return total;
}

/// A field with a value, a list, a range, a step or a star.
std::string random_field(Rng& rng, std::int64_t low, std::int64_t high) {
  const auto value = [&] { return std::to_string(rng.between(low, high)); };
  switch (rng.below(5)) {
    case 0:
      return "*";
    case 1:
      return value();
    case 2:
      return value() + "," + value();
    case 3: {
      const std::int64_t first = rng.between(low, high);
      return std::to_string(first) + "-" + std::to_string(rng.between(first, high));
    }
    default:
      return "*/" + std::to_string(rng.between(1, high));
  }
}

std::string random_expression(Rng& rng) {
  std::string text = rng.chance(30) ? random_field(rng, 0, 59) + " " : "";
  text += random_field(rng, 0, 59) + " " + random_field(rng, 0, 23) + " ";
  return text + random_field(rng, 1, 31) + " " + random_field(rng, 1, 12) + " " +
         random_field(rng, 0, 7);
}

TEST(CronExprCount, equals_walking) {
  Rng rng(1);
  int compared = 0;
  while (compared < 1'000) {
    const std::string text = random_expression(rng);
    const auto expr = CronExpr::parse(text);
    if (!expr) continue;  // never fires
    const CivilTime from{Seconds{rng.between(-60'000'000'000, 220'000'000'000)}};
    // As long as some 2,000 matches last, up to 1,000 years.
    const auto dense = expr->count(from, from + std::chrono::days{3'660});
    const Seconds span{dense == 0 ? 31'556'952'000 : 316'224'000 / dense * 2'000};
    const CivilTime to =
        from + Seconds{rng.between(0, std::min(span, Seconds{31'556'952'000}).count())};
    ASSERT_EQ(expr->count(from, to), walk(*expr, from, to))
        << text << " from " << show(from) << " to " << show(to);
    ++compared;
  }
}

TEST(CronExprCount, equals_walking_over_centuries) {
  for (const std::string_view text : {"0 0 29 2 */7", "0 0 13 * 5", "30 4 31 1,3 *", "0 0 1 1 *"}) {
    const CronExpr expr = cron(text);
    for (const int years : {399, 400, 401, 799, 800, 1'234}) {
      const CivilTime from = civil("1999-02-28T13:00");
      const CivilTime to = from + Seconds{years * std::int64_t{31'556'952}};
      EXPECT_EQ(expr.count(from, to), walk(expr, from, to)) << text << " for " << years;
    }
  }
}

TEST(CronExprCount, includes_the_first_and_excludes_the_last) {
  const CronExpr expr = cron("0 12 * * *");
  EXPECT_EQ(expr.count(civil("2026-01-01T12:00"), civil("2026-01-02T12:00")), 1);
  EXPECT_EQ(expr.count(civil("2026-01-01T12:00:01"), civil("2026-01-02T12:00")), 0);
  EXPECT_EQ(expr.count(civil("2026-01-01T12:00"), civil("2026-01-02T12:00:01")), 2);
  EXPECT_EQ(expr.count(civil("2026-01-02"), civil("2026-01-01")), 0);
  EXPECT_EQ(expr.count(civil("2026-01-01"), civil("2026-01-01")), 0);
}

TEST(CronExprCount, reaches_over_all_written_years) {
  EXPECT_EQ(cron("* * * * * *").count(civil("0001-01-01"), civil("9999-12-31")),
            (civil("9999-12-31") - civil("0001-01-01")).count());
}

}  // namespace
}  // namespace cronce
