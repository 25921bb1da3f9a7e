// What the search for slots takes for granted about every zone.
#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::sys_seconds;

/// Calls visit(zone, stretch) for every stretch of every zone that ends later than `from`.
template <class Visit>
void each_stretch(std::string_view from, Visit visit) {
  for (const std::string& name : zone_names()) {
    const auto z = zone(name);
    for (Stretch s = z->at(utc_second(from));; s = z->at(s.end)) {
      visit(*z, s);
      if (Time{s.end} > utc("2500-01-01T00:00:00Z")) break;
    }
  }
}

std::string place(const Zone& zone, const Stretch& s) {
  return zone.name() + " " + show(Time{s.begin});
}

TEST(ZoneStretches, tile_time_without_holes) {
  std::string previous_zone;
  Stretch previous;
  each_stretch("0001-01-01T00:00:00Z", [&](const Zone& zone, const Stretch& s) {
    ASSERT_LT(s.begin, s.end) << place(zone, s);
    ASSERT_EQ(zone.at(s.begin).end, s.end) << place(zone, s);
    ASSERT_EQ(zone.at(s.end - Seconds{1}).begin, s.begin) << place(zone, s);
    if (previous_zone == zone.name()) {
      ASSERT_EQ(previous.end, s.begin) << place(zone, s);
      ASSERT_EQ(previous.after, s.offset) << place(zone, s);
      ASSERT_EQ(previous.offset, s.before) << place(zone, s);
      ASSERT_NE(s.before, s.offset) << place(zone, s);
    }
    previous_zone = zone.name();
    previous = s;
  });
}

TEST(ZoneStretches, last_longer_than_the_shifts_at_both_ends) {
  each_stretch("0001-01-01T00:00:00Z", [](const Zone& zone, const Stretch& s) {
    const Seconds shifts =
        std::chrono::abs(s.offset - s.before) + std::chrono::abs(s.after - s.offset);
    ASSERT_GT(s.end - s.begin, shifts) << place(zone, s);
  });
}

TEST(ZoneStretches, shift_by_at_most_a_day_and_a_bit) {
  each_stretch("0001-01-01T00:00:00Z", [](const Zone& zone, const Stretch& s) {
    ASSERT_LE(std::chrono::abs(s.offset), std::chrono::hours{16}) << place(zone, s);
    ASSERT_LE(std::chrono::abs(s.offset - s.before), std::chrono::hours{25}) << place(zone, s);
  });
}

TEST(ZoneStretches, go_on_for_ever_under_a_rule) {
  for (const std::string_view name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}) {
    const auto z = zone(name);
    int changes = 0;
    for (Stretch s = z->at(utc_second("9990-01-01T00:00:00Z")); Time{s.end} <= kMaxTime;
         s = z->at(s.end)) {
      ++changes;
    }
    EXPECT_EQ(changes, 20) << name;
  }
}

}  // namespace
}  // namespace cronce
