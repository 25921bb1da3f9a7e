// What makes a schedule, what does not, and the window it may lie in.
#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using Part = ScheduleError::Part;

void expect_error(const ScheduleSpec& spec, Part part, std::string_view message,
                  std::size_t element = 0, std::size_t offset = 0) {
  const auto built = Schedule::build(spec);
  ASSERT_FALSE(built) << message;
  EXPECT_EQ(built.error().message, message);
  EXPECT_EQ(built.error().part, part) << message;
  EXPECT_EQ(built.error().element, element) << message;
  EXPECT_EQ(built.error().offset, offset) << message;
}

ScheduleSpec daily(std::optional<std::string_view> from, std::optional<std::string_view> to,
                   std::string_view timezone = "UTC") {
  ScheduleSpec spec{.elements = {CronSpec{"0 0 * * *"}}, .timezone = std::string(timezone)};
  if (from) spec.between.edit().from = written(*from);
  if (to) spec.between.edit().to = written(*to);
  return spec;
}

std::string all_slots(const ScheduleSpec& spec) {
  return show(schedule(spec).slots(kMinTime, kMaxTime, 10));
}

TEST(ScheduleBuild, says_which_part_is_wrong) {
  expect_error({}, Part::element, "the schedule is empty");
  expect_error({.elements = {CronSpec{"@daily"}}, .timezone = "Europe/Berln"}, Part::timezone,
               "unknown time zone 'Europe/Berln': did you mean Europe/Berlin?");
  expect_error({.elements = {CronSpec{"@daily"}, CronSpec{"0 25 * * *"}}}, Part::element,
               "hour field: 25 is out of range: use 0-23", 1, 2);
}

TEST(ScheduleBuild, keeps_intervals_and_delays_within_reason) {
  using std::chrono::days;
  for (const Duration good : {Duration{1'000}, Duration{1'001}, Duration{days{36'525}}}) {
    EXPECT_TRUE(Schedule::build({.elements = {EverySpec{good, {}}}})) << print(good);
    EXPECT_TRUE(Schedule::build({.elements = {AfterSpec{good}}})) << print(good);
  }
  for (const Duration bad :
       {Duration{0}, Duration{-1'000}, Duration{999}, Duration{days{36'525}} + Duration{1}}) {
    expect_error({.elements = {EverySpec{bad, {}}}}, Part::element,
                 "an interval of " + print(bad) + " is out of range: from 1s to 36525d");
    expect_error({.elements = {AfterSpec{bad}}}, Part::element,
                 "a delay of " + print(bad) + " is out of range: from 1s to 36525d");
  }
}

TEST(ScheduleBuild, lets_after_and_reboot_stand_alone_only) {
  const AfterSpec after{Duration{1'000}};
  expect_error({.elements = {CronSpec{"@daily"}, after}}, Part::element,
               "after cannot be part of a list", 1);
  expect_error({.elements = {RebootSpec{}, after}}, Part::element,
               "@reboot cannot be part of a list");
}

TEST(ScheduleBuild, moves_a_skipped_time_or_refuses_it) {
  ScheduleSpec spec{.elements = {AtSpec{written("2026-03-29T02:30")}}, .timezone = "Europe/Berlin"};
  EXPECT_EQ(all_slots(spec), "2026-03-29T01:00:00Z");
  spec.dst.gap = Gap::skip;
  expect_error(
      spec, Part::element,
      "2026-03-29T02:30:00 does not exist in Europe/Berlin: the clocks skip it and the rule "
      "is gap: skip");
  spec.elements = {EverySpec{Duration{1'000}, written("2026-03-29T02:30")}};
  expect_error(spec, Part::element,
               "the anchor 2026-03-29T02:30:00 does not exist in Europe/Berlin");
}

TEST(ScheduleBuild, asks_for_its_zone_by_name) {
  std::string asked;
  const auto built =
      Schedule::build({.elements = {CronSpec{"@daily"}}, .timezone = "Test/X"},
                      [&](std::string_view name) -> ZoneResult {
                        asked = name;
                        return std::make_shared<const Zone>("Test/X", std::chrono::hours{3},
                                                            std::vector<Zone::Change>{});
                      });
  ASSERT_TRUE(built);
  EXPECT_EQ(asked, "Test/X");
  EXPECT_EQ(show(built->first_after(utc("2026-01-01T00:00:00Z"))), "2026-01-01T21:00:00Z");
  EXPECT_EQ(built->zone().name(), "Test/X");
}

TEST(Between, includes_both_dates) {
  EXPECT_EQ(all_slots(daily("2026-01-01", "2026-01-03")),
            "2026-01-01T00:00:00Z 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z");
  EXPECT_EQ(all_slots(daily("2026-01-01", "2026-01-01")), "2026-01-01T00:00:00Z");
  const Schedule hourly =
      schedule({.elements = {CronSpec{"0 * * * *"}},
                .between = Between{written("2026-01-01"), written("2026-01-01"), {}}});
  EXPECT_EQ(hourly.count(kMinTime, kMaxTime), 24);
  EXPECT_EQ(show(hourly.last_at_or_before(kMaxTime)), "2026-01-01T23:00:00Z");
  EXPECT_EQ(show(hourly.last_at_or_before(utc("2025-12-31T23:59:59Z"))), "none");
}

TEST(Between, includes_both_instants) {
  EXPECT_EQ(all_slots(daily("2026-01-01T00:00", "2026-01-03T00:00")),
            "2026-01-01T00:00:00Z 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z");
  EXPECT_EQ(all_slots(daily("2026-01-01T00:00:00.001", "2026-01-02T23:59:59.999Z")),
            "2026-01-02T00:00:00Z");
  EXPECT_EQ(all_slots(daily("2026-01-01T01:00+01:00", "2026-01-01T01:00")), "2026-01-01T00:00:00Z");
}

TEST(Between, means_dates_of_the_zone) {
  EXPECT_EQ(all_slots(daily("2026-01-01", "2026-01-02", "Asia/Tokyo")),
            "2025-12-31T15:00:00Z 2026-01-01T15:00:00Z");
  // A day that begins with a gap, and one that ends with a fold: both whole.
  EXPECT_EQ(all_slots(daily("2025-09-07", "2025-09-07", "America/Santiago")),
            "2025-09-07T04:00:00Z");
  ScheduleSpec fold{.elements = {CronSpec{"30 * * * *"}}, .timezone = "America/Santiago"};
  fold.between = Between{written("2025-04-05"), written("2025-04-05"), {}};
  EXPECT_EQ(schedule(fold).count(kMinTime, kMaxTime), 25);
}

TEST(Between, must_not_be_empty) {
  expect_error(daily("2026-01-02", "2026-01-01"), Part::between,
               "from 2026-01-02 is later than to 2026-01-01");
  expect_error(daily("2026-01-01T00:01", "2026-01-01T23:59"), Part::between,
               "never fires: the schedule has no time between the two");
  ScheduleSpec at{.elements = {AtSpec{written("2026-12-24T18:00")}}};
  at.between.edit().to = written("2026-12-24T17:00");
  expect_error(at, Part::between, "never fires: the schedule has no time between the two");
}

TEST(Between, does_not_reach_beyond_all_years) {
  expect_error(daily("9999-12-31T23:00", std::nullopt, "America/New_York"), Part::between,
               "never fires: the schedule has no time between the two");
  expect_error(daily(std::nullopt, "0001-01-01T01:00", "Asia/Tokyo"), Part::between,
               "never fires: the schedule has no time between the two");
  ScheduleSpec hourly{.elements = {EverySpec{Duration{3'600'000}, {}}}};
  hourly.timezone = "America/New_York";
  hourly.between.edit().to = written("9999-12-31");
  EXPECT_EQ(show(schedule(hourly).last_at_or_before(kMaxTime)), "9999-12-31T23:00:00Z");
  EXPECT_EQ(show(schedule(hourly).first_after(utc("9999-12-31T23:00:00Z"))), "none");
}

}  // namespace
}  // namespace cronce
