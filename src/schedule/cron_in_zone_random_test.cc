// Searching and counting against a look at every second, near changes of the clocks.
#include <array>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "schedule/cron_in_zone.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 8> kZones{
    "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia",
    "Asia/Pyongyang",   "America/St_Johns", "Antarctica/Troll",    "Africa/Casablanca"};
constexpr std::array<std::string_view, 10> kRandomShapes{
    "*/10 * * * *", "30 */3 * * *",    "30 2 * * *",  "0 0 * * *",     "*/20 0-3 * * *",
    "59 23 * * *",  "15,45 1,2 * * 0", "0 2 1-7 * 0", "7 7 1-2 * * *", "0 0 30 12 *"};

/// Mostly a change of the clocks, where the zone has one.
sys_seconds random_place(Rng& rng, const Zone& zone) {
  const sys_seconds t{Seconds{rng.between(0, 2'000'000'000)}};
  const sys_seconds change = zone.at(t).begin;
  return rng.chance(80) && change > sys_seconds{} ? change : t;
}

TEST(CronInZoneRandom, counts_what_walking_finds) {
  Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const auto z = zone(kZones.at(rng.below(kZones.size())));
    const CronExpr expr = cron(kRandomShapes.at(rng.below(kRandomShapes.size())));
    const DstRule rule{static_cast<Gap>(rng.below(2)), static_cast<Fold>(rng.below(3))};
    const CronInZone c{expr, *z, expr.wildcard_hour() ? kElapsed : rule};
    const sys_seconds after = random_place(rng, *z) + Seconds{rng.between(-100'000, 100'000)};
    const sys_seconds through = after + Seconds{rng.between(0, 2'000'000)};
    std::int64_t walked = 0;
    for (auto slot = c.first_after(after); slot && *slot <= through; slot = c.first_after(*slot)) {
      ++walked;
    }
    ASSERT_EQ(c.count(after, through), walked) << z->name() << " from " << show(Time{after});
  }
}

TEST(CronInZoneRandom, agrees_with_the_label_of_every_second) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const auto z = zone(kZones.at(rng.below(kZones.size())));
    const CronExpr expr = cron(kRandomShapes.at(rng.below(kRandomShapes.size())));
    const DstRule rule{static_cast<Gap>(rng.below(2)), static_cast<Fold>(rng.below(3))};
    const CronInZone c{expr, *z, expr.wildcard_hour() ? kElapsed : rule};
    const sys_seconds from = random_place(rng, *z) - hours{4};
    const sys_seconds to = from + hours{8};
    auto next = c.first_after(from);
    for (sys_seconds t = from + Seconds{1}; t <= to; t += Seconds{1}) {
      ASSERT_EQ(c.label(t).has_value(), next == t) << z->name() << " " << show(Time{t});
      if (next != t) continue;
      EXPECT_EQ(c.last_at_or_before(t), t);
      next = c.first_after(t);
    }
  }
}

}  // namespace
}  // namespace cronce
