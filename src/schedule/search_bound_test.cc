// `next` never takes more than 10^4 steps: Steps asserts it in every build, so walking the rarest
// expressions through all written years is the test.
#include <gtest/gtest.h>

#include "schedule/cron_in_zone.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

constexpr std::array kRules{DstRule{Gap::jump, Fold::first}, DstRule{Gap::jump, Fold::second},
                            DstRule{Gap::skip, Fold::both}, DstRule{Gap::skip, Fold::second}};

/// Forwards and backwards, from year 1 to year 9999: the same number of slots.
void walk(std::string_view text, std::string_view zone_name, DstRule rule) {
  const CronExpr expr = cron(text);
  const auto where = zone(zone_name);
  const CronInZone search{expr, *where, rule};
  std::int64_t found = 0;
  auto t = std::chrono::floor<Seconds>(kMinTime) - Seconds{1};
  while (const auto slot = search.first_after(t)) {
    t = *slot;
    ++found;
  }
  EXPECT_GT(found, 100) << text;
  t = std::chrono::floor<Seconds>(kMaxTime);
  while (const auto slot = search.last_at_or_before(t)) {
    t = *slot - Seconds{1};
    --found;
  }
  EXPECT_EQ(found, 0) << text << " in " << zone_name;
}

TEST(SearchBound, holds_for_the_rarest_expressions_in_all_written_years) {
  for (const std::string_view zone_name :
       {"UTC", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"}) {
    for (const DstRule& rule : kRules) {
      walk("30 2 29 2 */7", zone_name, rule);  // 29 February on a Sunday: at most 40 years apart
      walk("59 59 1 29 2 *", zone_name, rule);
    }
  }
}

/// The second Sunday of March at 02:30: since 2007 New York skips exactly that, for ever.
TEST(SearchBound, holds_where_every_time_lies_in_a_gap_that_fires_nothing) {
  for (const std::string_view text :
       {"30 2 8-14 3 */7", "* 2 8-14 3 */7", "* * 2 8-14 3 */7", "9 2 9 3 */8"}) {
    const CronExpr expr = cron(text);
    const auto where = zone("America/New_York");
    const CronInZone search{expr, *where, {Gap::skip, Fold::first}};
    EXPECT_EQ(search.first_after(utc_second("2026-01-01T00:00:00Z")), std::nullopt) << text;
    EXPECT_EQ(search.last_at_or_before(utc_second("2900-01-01T00:00:00Z")), std::nullopt) << text;
    EXPECT_LT(search.last_at_or_before(utc_second("2026-01-01T00:00:00Z")),
              utc_second("2007-01-01T00:00:00Z"))
        << text;
  }
}

}  // namespace
}  // namespace cronce
