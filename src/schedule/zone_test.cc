#include "schedule/zone.h"

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::sys_seconds;

std::string show_stretch(const Stretch& s) {
  const auto hour = [](Seconds offset) {
    return std::to_string(std::chrono::floor<hours>(offset).count());
  };
  return show(Time{s.begin}) + " to " + show(Time{s.end}) + ": " + hour(s.before) + " " +
         hour(s.offset) + " " + hour(s.after);
}

TEST(ZoneNames, are_those_of_the_tz_database_only) {
  for (const std::string_view name :
       {"UTC", "Europe/Berlin", "Etc/GMT+5", "US/Pacific", "America/Argentina/Buenos_Aires"}) {
    const auto zone = load_zone(name);
    ASSERT_TRUE(zone) << name;
    EXPECT_EQ((*zone)->name(), name);
  }
  using namespace std::string_view_literals;
  for (const std::string_view name : {""sv,
                                      "localtime"sv,
                                      "/etc/localtime"sv,
                                      "posixrules"sv,
                                      "posix/UTC"sv,
                                      "right/UTC"sv,
                                      "Fixed/UTC+01:00:00"sv,
                                      "../x"sv,
                                      "../zoneinfo/UTC"sv,
                                      "Europe"sv,
                                      "Europe/"sv,
                                      "Europe/Berlin "sv,
                                      "Europe//Berlin"sv,
                                      "./UTC"sv,
                                      "UTC\0"sv,
                                      "utc"sv,
                                      "CST6CDT4"sv,
                                      "UTC+1"sv,
                                      ":UTC"sv,
                                      "libc:localtime"sv,
                                      "+01:00"sv,
                                      "tzdata.zi"sv}) {
    const auto zone = load_zone(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code, Code::not_found) << name;
  }
}

TEST(ZoneNames, are_suggested) {
  EXPECT_EQ(load_zone("america/new_york").error().message,
            "unknown time zone 'america/new_york': did you mean America/New_York?");
  EXPECT_EQ(load_zone("Europe/Berln").error().message,
            "unknown time zone 'Europe/Berln': did you mean Europe/Berlin?");
  EXPECT_EQ(load_zone("/etc/localtime").error().message,
            "unknown time zone '/etc/localtime': use a name of the tz database, such as "
            "Europe/Berlin or UTC");
}

TEST(ZoneNames, come_sorted_with_a_version) {
  EXPECT_GT(zone_names().size(), 400U);
  EXPECT_TRUE(std::is_sorted(zone_names().begin(), zone_names().end()));
  EXPECT_EQ(zone_data_version().size(), 5U) << zone_data_version();
}

TEST(Zone, is_loaded_once) { EXPECT_EQ(zone("Europe/Berlin"), zone("Europe/Berlin")); }

TEST(Zone, without_changes_is_one_stretch) {
  const Zone zone("Test/Fixed", hours{3}, {});
  for (const std::string_view at : {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}) {
    const Stretch s = zone.at(utc_second(at));
    EXPECT_EQ(s.offset, hours{3});
    EXPECT_EQ(s.before, hours{3});
    EXPECT_EQ(s.after, hours{3});
    EXPECT_LT(Time{s.begin}, kMinTime);
    EXPECT_GT(Time{s.end}, kMaxTime);
  }
}

TEST(Zone, changes_exactly_at_the_instant_of_a_change) {
  const sys_seconds change = utc_second("2026-03-29T01:00:00Z");
  const Zone zone("Test/Once", hours{1}, {{change, hours{2}}});
  EXPECT_EQ(zone.at(change - Seconds{1}).offset, hours{1});
  EXPECT_EQ(zone.at(change - Seconds{1}).end, change);
  EXPECT_EQ(zone.at(change - Seconds{1}).after, hours{2});
  EXPECT_EQ(zone.at(change).offset, hours{2});
  EXPECT_EQ(zone.at(change).begin, change);
  EXPECT_EQ(zone.at(change).before, hours{1});
}

TEST(Zone, repeats_its_last_400_years) {
  // Summer time from 2000 on, April to October, as a rule of which the first 400 years are given.
  std::vector<Zone::Change> changes;
  for (int y = 2000; y <= 2400; ++y) {
    const std::chrono::year year{y};
    changes.push_back({std::chrono::sys_days{year / 4 / 1}, hours{1}});
    if (y < 2400) changes.push_back({std::chrono::sys_days{year / 10 / 1}, hours{0}});
  }
  const Zone zone("Test/Rule", hours{0}, changes, true);
  struct Case {
    std::string_view at;
    std::string_view stretch;
  };
  for (const auto& [at, stretch] : {
           Case{"2400-03-31T23:59:59Z", "2399-10-01T00:00:00Z to 2400-04-01T00:00:00Z: 1 0 1"},
           Case{"2400-04-01T00:00:00Z", "2400-04-01T00:00:00Z to 2400-10-01T00:00:00Z: 0 1 0"},
           Case{"2400-12-01T00:00:00Z", "2400-10-01T00:00:00Z to 2401-04-01T00:00:00Z: 1 0 1"},
           Case{"2800-07-01T00:00:00Z", "2800-04-01T00:00:00Z to 2800-10-01T00:00:00Z: 0 1 0"},
           Case{"9999-12-31T23:59:59Z", "9999-10-01T00:00:00Z to 10000-04-01T00:00:00Z: 1 0 1"},
       }) {
    EXPECT_EQ(show_stretch(zone.at(utc_second(at))), stretch);
  }
}

TEST(ZoneDeathTest, refuses_changes_that_are_none_or_out_of_order) {
  const sys_seconds t = utc_second("2026-01-01T00:00:00Z");
  EXPECT_DEATH(Zone("Test/Same", hours{1}, {{t, hours{1}}}), "does not hold");
  EXPECT_DEATH(Zone("Test/Order", hours{1}, {{t, hours{2}}, {t, hours{1}}}), "does not hold");
}

}  // namespace
}  // namespace cronce
