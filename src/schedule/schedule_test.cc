#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

ScheduleSpec every(std::string_view interval, std::optional<std::string_view> anchor = {},
                   std::string_view timezone = "UTC") {
  EverySpec element{parse_duration(interval).value(), {}};
  if (anchor) element.anchor = written(*anchor);
  return {.elements = {element}, .timezone = std::string(timezone)};
}

std::string slots(const Schedule& s, std::string_view after, std::string_view through) {
  return show(s.slots(utc(after), utc(through), 100));
}

// A timer may wake early, on time or late: each slot must come up once, and none be passed over.
TEST(Schedule, is_exact_to_the_millisecond_around_a_slot) {
  for (const Schedule& s : {schedule("0 12 * * *"), schedule(every("1d", "2026-01-01T12:00"))}) {
    const Time slot = utc("2026-01-02T12:00:00Z");
    const Time next = utc("2026-01-03T12:00:00Z");
    EXPECT_EQ(s.first_after(slot - Duration{1}), slot);
    EXPECT_EQ(s.first_after(slot), next);
    EXPECT_EQ(s.first_after(slot + Duration{1}), next);
    EXPECT_EQ(s.first_after(slot + Duration{999}), next);
    EXPECT_EQ(s.last_at_or_before(next - Duration{1}), slot);
    EXPECT_EQ(s.last_at_or_before(slot + Duration{999}), slot);
    EXPECT_EQ(s.last_at_or_before(slot), slot);
    EXPECT_EQ(s.count(slot - Duration{1}, slot), 1);
    EXPECT_EQ(s.count(slot, next - Duration{1}), 0);
    EXPECT_EQ(s.count(slot + Duration{999}, next), 1);
  }
}

TEST(Every, is_aligned_to_the_epoch) {
  EXPECT_EQ(slots(schedule(every("7h")), "2026-01-01T00:00:00Z", "2026-01-01T20:00:00Z"),
            "2026-01-01T07:00:00Z 2026-01-01T14:00:00Z");
  EXPECT_EQ(show(schedule(every("1d")).first_after(utc("1969-12-30T12:00:00Z"))),
            "1969-12-31T00:00:00Z");
}

TEST(Every, counts_in_both_directions_from_its_anchor) {
  const Schedule s = schedule(every("1h30m", "2026-01-01T00:10:00.250Z"));
  EXPECT_EQ(show(s.first_after(utc("2026-01-01T00:10:00.249Z"))), "2026-01-01T00:10:00.250Z");
  EXPECT_EQ(show(s.first_after(utc("2026-01-01T00:10:00.250Z"))), "2026-01-01T01:40:00.250Z");
  EXPECT_EQ(show(s.first_after(utc("2025-12-31T21:00:00Z"))), "2025-12-31T21:10:00.250Z");
  EXPECT_EQ(show(s.last_at_or_before(utc("2026-01-01T00:10:00.249Z"))), "2025-12-31T22:40:00.250Z");
  EXPECT_EQ(s.count(utc("2025-12-31T22:40:00.250Z"), utc("2026-01-01T01:40:00.250Z")), 2);
}

TEST(Every, takes_a_civil_anchor_in_the_zone_and_then_follows_elapsed_time) {
  const Schedule s = schedule(every("1d", "2025-10-25T02:30", "Europe/Berlin"));
  EXPECT_EQ(slots(s, "2025-10-24T00:00:00Z", "2025-10-27T00:00:00Z"),
            "2025-10-24T00:30:00Z 2025-10-25T00:30:00Z 2025-10-26T00:30:00Z");
  EXPECT_EQ(show(schedule(every("1d", "2025-10-25", "Europe/Berlin"))
                     .first_after(utc("2025-10-26T00:00:00Z"))),
            "2025-10-26T22:00:00Z");
}

TEST(Every, ends_with_the_written_years) {
  const Schedule s = schedule(every("1h"));
  EXPECT_EQ(show(s.first_after(utc("9999-12-31T22:59:59Z"))), "9999-12-31T23:00:00Z");
  EXPECT_EQ(show(s.first_after(utc("9999-12-31T23:00:00Z"))), "none");
  EXPECT_EQ(show(s.last_at_or_before(kMinTime)), "0001-01-01T00:00:00Z");
  EXPECT_EQ(show(s.last_at_or_before(kMinTime - Duration{1})), "none");
}

TEST(Schedule, answers_for_instants_beyond_all_years) {
  for (const Schedule& s : {schedule("0 12 * * *"), schedule(every("1h", "1900-01-01"))}) {
    EXPECT_EQ(show(s.first_after(Time::max())), "none");
    EXPECT_EQ(show(s.last_at_or_before(Time::min())), "none");
    EXPECT_TRUE(s.first_after(Time::min()));
    EXPECT_TRUE(s.last_at_or_before(Time::max()));
    EXPECT_GT(s.count(Time::min(), Time::max()), 3'000'000);
  }
}

TEST(At, fires_once) {
  const Schedule s =
      schedule({.elements = {AtSpec{written("2026-12-24T18:00")}}, .timezone = "Europe/Berlin"});
  EXPECT_EQ(slots(s, "2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"), "2026-12-24T17:00:00Z");
  EXPECT_EQ(show(s.first_after(utc("2026-12-24T17:00:00Z"))), "none");
  EXPECT_EQ(show(s.last_at_or_before(utc("2026-12-24T17:00:00Z"))), "2026-12-24T17:00:00Z");
  EXPECT_EQ(show(s.last_at_or_before(utc("2026-12-24T16:59:59.999Z"))), "none");
  EXPECT_EQ(s.count(utc("2026-12-24T17:00:00Z"), utc("2027-01-01T00:00:00Z")), 0);
  EXPECT_EQ(s.count(utc("2026-12-24T16:59:59.999Z"), utc("2026-12-24T17:00:00Z")), 1);
}

TEST(AfterAndReboot, have_no_times_of_their_own) {
  const Schedule after = schedule({.elements = {AfterSpec{Duration{600'000}}}});
  const Schedule reboot = schedule({.elements = {RebootSpec{}}});
  for (const Schedule& s : {after, reboot}) {
    EXPECT_EQ(show(s.first_after(utc("2026-01-01T00:00:00Z"))), "none");
    EXPECT_EQ(show(s.last_at_or_before(utc("2026-01-01T00:00:00Z"))), "none");
    EXPECT_EQ(s.count(kMinTime, kMaxTime), 0);
  }
  EXPECT_EQ(after.delay_after_end(), Duration{600'000});
  EXPECT_FALSE(after.at_boot());
  EXPECT_TRUE(reboot.at_boot());
  EXPECT_EQ(reboot.delay_after_end(), std::nullopt);
}

TEST(Schedule, takes_equal_instants_of_a_list_for_one_slot) {
  const Schedule s = schedule(
      {.elements = {CronSpec{"0 */2 * * *"}, CronSpec{"0 */3 * * *"},
                    AtSpec{written("2026-01-01T06:00Z")}, AtSpec{written("2026-01-01T05:30Z")}}});
  EXPECT_EQ(slots(s, "2026-01-01T01:00:00Z", "2026-01-01T08:00:00Z"),
            "2026-01-01T02:00:00Z 2026-01-01T03:00:00Z 2026-01-01T04:00:00Z 2026-01-01T05:30:00Z "
            "2026-01-01T06:00:00Z 2026-01-01T08:00:00Z");
  EXPECT_EQ(s.count(utc("2026-01-01T01:00:00Z"), utc("2026-01-01T08:00:00Z")), 6);
  EXPECT_EQ(show(s.last_at_or_before(utc("2026-01-01T05:59:59Z"))), "2026-01-01T05:30:00Z");
}

TEST(Schedule, lists_no_more_slots_than_asked_for) {
  const Schedule s = schedule("* * * * *");
  EXPECT_EQ(s.slots(kMinTime, kMaxTime, 3).size(), 3U);
  EXPECT_TRUE(s.slots(kMinTime, kMaxTime, 0).empty());
  EXPECT_TRUE(s.slots(utc("2026-01-01T00:00:00Z"), utc("2026-01-01T00:00:59Z"), 3).empty());
  EXPECT_TRUE(s.slots(utc("2026-01-02T00:00:00Z"), utc("2026-01-01T00:00:00Z"), 3).empty());
}

TEST(Schedule, counts_what_it_lists) {
  const std::vector<Schedule> schedules{
      schedule("*/7 * * * *", "America/New_York"), schedule("30 2 * * *", "Europe/Berlin"),
      schedule("0 0 31 * *", "Australia/Lord_Howe"), schedule(every("95m", "2026-05-05T05:05Z")),
      schedule({.elements = {CronSpec{"0 0 * * *"}, CronSpec{"0 */8 * * *"}}})};
  Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const Schedule& s = schedules.at(rng.below(schedules.size()));
    const Time after{Duration{rng.between(1'000'000'000'000, 2'000'000'000'000)}};
    const Time through = after + Duration{rng.between(-1'000, 2'000'000'000)};
    EXPECT_EQ(s.count(after, through),
              static_cast<std::int64_t>(s.slots(after, through, 100'000).size()))
        << show(after) << " to " << show(through);
  }
}

TEST(Schedule, labels_the_slots_of_fixed_time_elements) {
  const Time gap = utc("2025-03-09T07:00:00Z");
  EXPECT_EQ(show(schedule("30 2 * * *", "America/New_York").civil_label(gap)),
            "2025-03-09T02:30:00");
  EXPECT_EQ(show(schedule("30 2 * * *", "America/New_York").civil_label(gap + Duration{1})),
            "none");
  EXPECT_EQ(show(schedule("0 * * * *", "America/New_York").civil_label(gap)), "none");
  EXPECT_EQ(
      show(schedule("30 2 * * *", "America/New_York", {Gap::jump, Fold::both}).civil_label(gap)),
      "none");
  EXPECT_EQ(show(schedule(every("1h")).civil_label(gap)), "none");
  EXPECT_EQ(show(schedule({.elements = {CronSpec{"15 2 * * *"}, CronSpec{"45 2 * * *"},
                                        CronSpec{"0 * * * *"}},
                           .timezone = "America/New_York"})
                     .civil_label(gap)),
            "2025-03-09T02:45:00");
}

/// Two nodes with different releases of the zone data: each schedule follows the data it was given,
/// so that the difference can be seen, tested and settled by the store.
TEST(Schedule, follows_the_zone_data_that_it_is_given) {
  const auto abolished =
      std::make_shared<Zone>("Europe/Berlin", Seconds{3600}, std::vector<Zone::Change>{});
  const ScheduleSpec spec{.elements = {CronSpec{"0 12 * * *"}}, .timezone = "Europe/Berlin"};
  const auto built = Schedule::build(spec, [&](std::string_view name) -> ZoneResult {
    EXPECT_EQ(name, "Europe/Berlin");
    return std::shared_ptr<const Zone>(abolished);
  });
  ASSERT_TRUE(built.ok());
  EXPECT_EQ(show(built->first_after(utc("2026-07-01T00:00:00Z"))), "2026-07-01T11:00:00Z");
  EXPECT_EQ(show(schedule(spec).first_after(utc("2026-07-01T00:00:00Z"))), "2026-07-01T10:00:00Z");
}

}  // namespace
}  // namespace cronce
