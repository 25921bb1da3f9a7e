// Where the clocks change: exact slots for each kind of change, class and rule.
#include "schedule/cron_in_zone.h"

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::sys_seconds;

constexpr DstRule kDefault{};

/// Cron in a zone, as a schedule makes it.
class Clockwork {
 public:
  Clockwork(std::string_view text, std::string_view zone_name, DstRule rule = kDefault)
      : expr_(cron(text)), zone_(zone(zone_name)), rule_(expr_.wildcard_hour() ? kElapsed : rule) {}

  CronInZone cron_in_zone() const { return {expr_, *zone_, rule_}; }

  /// The slots later than `after` and not later than `through`, found in both directions and
  /// counted.
  std::string slots(std::string_view after, std::string_view through) const {
    const CronInZone c = cron_in_zone();
    std::vector<Time> found;
    for (auto slot = c.first_after(utc_second(after)); slot && *slot <= utc_second(through);
         slot = c.first_after(*slot)) {
      found.emplace_back(*slot);
    }
    std::vector<Time> backwards;
    for (auto slot = c.last_at_or_before(utc_second(through)); slot && *slot > utc_second(after);
         slot = c.last_at_or_before(*slot - Seconds{1})) {
      backwards.insert(backwards.begin(), Time{*slot});
    }
    EXPECT_EQ(show(backwards), show(found));
    EXPECT_EQ(c.count(utc_second(after), utc_second(through)),
              static_cast<std::int64_t>(found.size()));
    return show(found);
  }

  std::string label(std::string_view slot) const {
    return show(cron_in_zone().label(utc_second(slot)));
  }

 private:
  CronExpr expr_;
  std::shared_ptr<const Zone> zone_;
  DstRule rule_;
};

TEST(CronInZone, fires_a_skipped_time_at_the_first_instant_after_the_gap) {
  EXPECT_EQ(Clockwork("30 2 * * *", "America/New_York")
                .slots("2025-03-08T00:00:00Z", "2025-03-11T00:00:00Z"),
            "2025-03-08T07:30:00Z 2025-03-09T07:00:00Z 2025-03-10T06:30:00Z");
}

TEST(CronInZone, fires_once_for_several_skipped_times) {
  EXPECT_EQ(Clockwork("*/15 2 * * *", "America/New_York")
                .slots("2025-03-09T00:00:00Z", "2025-03-10T00:00:00Z"),
            "2025-03-09T07:00:00Z");
  EXPECT_EQ(Clockwork("0,30 2,3 * * *", "America/New_York")
                .slots("2025-03-09T00:00:00Z", "2025-03-10T00:00:00Z"),
            "2025-03-09T07:00:00Z 2025-03-09T07:30:00Z");
}

TEST(CronInZone, leaves_a_skipped_time_out_under_gap_skip) {
  EXPECT_EQ(Clockwork("30 2 * * *", "America/New_York", {Gap::skip, Fold::first})
                .slots("2025-03-08T00:00:00Z", "2025-03-11T00:00:00Z"),
            "2025-03-08T07:30:00Z 2025-03-10T06:30:00Z");
}

TEST(CronInZone, fires_a_repeated_time_as_the_rule_says) {
  struct Case {
    Fold fold;
    std::string_view slots;
  };
  for (const auto& [fold, slots] : {
           Case{Fold::first, "2025-11-02T05:30:00Z"},
           Case{Fold::second, "2025-11-02T06:30:00Z"},
           Case{Fold::both, "2025-11-02T05:30:00Z 2025-11-02T06:30:00Z"},
       }) {
    EXPECT_EQ(Clockwork("30 1 * * *", "America/New_York", {Gap::jump, fold})
                  .slots("2025-11-02T00:00:00Z", "2025-11-03T00:00:00Z"),
              slots);
  }
}

TEST(CronInZone, keeps_the_order_of_a_fold_under_each_rule) {
  struct Case {
    Fold fold;
    std::string_view slots;
  };
  for (const auto& [fold, slots] : {
           Case{Fold::first, "2025-11-02T05:20:00Z 2025-11-02T05:40:00Z 2025-11-02T07:20:00Z"},
           Case{Fold::second, "2025-11-02T06:20:00Z 2025-11-02T06:40:00Z 2025-11-02T07:20:00Z"},
           Case{Fold::both,
                "2025-11-02T05:20:00Z 2025-11-02T05:40:00Z 2025-11-02T06:20:00Z "
                "2025-11-02T06:40:00Z 2025-11-02T07:20:00Z"},
       }) {
    EXPECT_EQ(Clockwork("20,40 1,2 * * *", "America/New_York", {Gap::jump, fold})
                  .slots("2025-11-02T05:00:00Z", "2025-11-02T07:30:00Z"),
              slots);
  }
}

TEST(CronInZone, follows_elapsed_time_with_a_wildcard_hour) {
  const Clockwork tens("*/10 * * * *", "America/New_York");
  const auto day = [&](std::string_view from, std::string_view to) {
    return tens.cron_in_zone().count(utc_second(from) - Seconds{1}, utc_second(to) - Seconds{1});
  };
  EXPECT_EQ(day("2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"), 150);  // 25 hours
  EXPECT_EQ(day("2025-03-09T05:00:00Z", "2025-03-10T04:00:00Z"), 138);  // 23 hours
  EXPECT_EQ(tens.slots("2025-03-09T06:49:00Z", "2025-03-09T07:10:00Z"),
            "2025-03-09T06:50:00Z 2025-03-09T07:00:00Z 2025-03-09T07:10:00Z");
  EXPECT_EQ(Clockwork("30 */2 * * *", "America/New_York")
                .slots("2025-03-09T04:00:00Z", "2025-03-09T09:00:00Z"),
            "2025-03-09T05:30:00Z 2025-03-09T08:30:00Z");
}

TEST(CronInZone, is_not_disturbed_in_utc) {
  EXPECT_EQ(Clockwork("*/20 1 * * *", "UTC").slots("2022-10-30T00:59:59Z", "2022-10-30T02:00:00Z"),
            "2022-10-30T01:00:00Z 2022-10-30T01:20:00Z 2022-10-30T01:40:00Z");
}

TEST(CronInZone, survives_a_gap_at_midnight) {
  EXPECT_EQ(Clockwork("0 0 * * *", "America/Santiago")
                .slots("2025-09-06T00:00:00Z", "2025-09-08T12:00:00Z"),
            "2025-09-06T04:00:00Z 2025-09-07T04:00:00Z 2025-09-08T03:00:00Z");
  EXPECT_EQ(
      Clockwork("0 0 * * *", "Asia/Tehran").slots("2022-03-21T00:00:00Z", "2022-03-23T00:00:00Z"),
      "2022-03-21T20:30:00Z 2022-03-22T19:30:00Z");
}

TEST(CronInZone, survives_a_fold_at_midnight) {
  // In Santiago the clocks go back from 24:00 to 23:00 of the same day.
  EXPECT_EQ(Clockwork("30 23 * * *", "America/Santiago")
                .slots("2025-04-05T12:00:00Z", "2025-04-07T12:00:00Z"),
            "2025-04-06T02:30:00Z 2025-04-07T03:30:00Z");
  EXPECT_EQ(Clockwork("0 0 * * *", "America/Santiago")
                .slots("2025-04-05T12:00:00Z", "2025-04-07T12:00:00Z"),
            "2025-04-06T04:00:00Z 2025-04-07T04:00:00Z");
}

TEST(CronInZone, survives_a_shift_of_half_an_hour) {
  EXPECT_EQ(Clockwork("15 2 * * *", "Australia/Lord_Howe")
                .slots("2025-10-04T00:00:00Z", "2025-10-06T00:00:00Z"),
            "2025-10-04T15:30:00Z 2025-10-05T15:15:00Z");
  EXPECT_EQ(Clockwork("45 1 * * *", "Australia/Lord_Howe")
                .slots("2025-04-05T00:00:00Z", "2025-04-07T00:00:00Z"),
            "2025-04-05T14:45:00Z 2025-04-06T15:15:00Z");
}

TEST(CronInZone, survives_a_missing_day) {
  EXPECT_EQ(
      Clockwork("0 12 * * *", "Pacific/Apia").slots("2011-12-29T00:00:00Z", "2012-01-01T12:00:00Z"),
      "2011-12-29T22:00:00Z 2011-12-30T10:00:00Z 2011-12-30T22:00:00Z 2011-12-31T22:00:00Z");
  EXPECT_EQ(Clockwork("0 12 30 12 *", "Pacific/Apia")
                .slots("2011-01-01T00:00:00Z", "2012-01-01T00:00:00Z"),
            "2011-12-30T10:00:00Z");
  EXPECT_EQ(Clockwork("0 12 30 12 *", "Pacific/Apia", {Gap::skip, Fold::first})
                .slots("2011-01-01T00:00:00Z", "2012-01-01T00:00:00Z"),
            "");
}

TEST(CronInZone, survives_a_change_of_standard_time) {
  // Pyongyang: back by half an hour in 2015, forward again in 2018.
  EXPECT_EQ(Clockwork("45 23 * * *", "Asia/Pyongyang")
                .slots("2015-08-14T00:00:00Z", "2015-08-16T00:00:00Z"),
            "2015-08-14T14:45:00Z 2015-08-15T15:15:00Z");
  EXPECT_EQ(Clockwork("45 23 * * *", "Asia/Pyongyang")
                .slots("2018-05-03T00:00:00Z", "2018-05-06T00:00:00Z"),
            "2018-05-03T15:15:00Z 2018-05-04T15:00:00Z 2018-05-05T14:45:00Z");
}

TEST(CronInZone, is_right_again_on_the_same_day) {
  EXPECT_EQ(Clockwork("4 16 * * *", "America/New_York")
                .slots("2025-03-09T00:00:00Z", "2025-03-10T00:00:00Z"),
            "2025-03-09T20:04:00Z");
}

TEST(CronInZone, takes_the_date_and_weekday_of_the_missing_time) {
  // Santiago's gap is the first hour of a Sunday.
  EXPECT_EQ(Clockwork("30 0 * * SUN", "America/Santiago")
                .slots("2025-09-06T00:00:00Z", "2025-09-08T00:00:00Z"),
            "2025-09-07T04:00:00Z");
  EXPECT_EQ(Clockwork("30 0 * * SAT", "America/Santiago")
                .slots("2025-09-06T12:00:00Z", "2025-09-08T00:00:00Z"),
            "");
}

TEST(CronInZone, labels_a_slot_with_the_greatest_civil_time_that_leads_to_it) {
  const Clockwork quarters("*/15 2 * * *", "America/New_York");
  EXPECT_EQ(quarters.label("2025-03-09T07:00:00Z"), "2025-03-09T02:45:00");
  EXPECT_EQ(quarters.label("2025-03-10T06:15:00Z"), "2025-03-10T02:15:00");
  EXPECT_EQ(quarters.label("2025-03-09T07:15:00Z"), "none");
  EXPECT_EQ(quarters.label("2025-03-10T06:14:59Z"), "none");
  EXPECT_EQ(Clockwork("0 2,3 * * *", "America/New_York").label("2025-03-09T07:00:00Z"),
            "2025-03-09T03:00:00");
  EXPECT_EQ(Clockwork("30 2 * * *", "America/New_York", {Gap::skip, Fold::first})
                .label("2025-03-09T07:00:00Z"),
            "none");
}

TEST(CronInZone, labels_only_the_pass_that_fires) {
  const Clockwork first("30 1 * * *", "America/New_York");
  EXPECT_EQ(first.label("2025-11-02T05:30:00Z"), "2025-11-02T01:30:00");
  EXPECT_EQ(first.label("2025-11-02T06:30:00Z"), "none");
  const Clockwork second("30 1 * * *", "America/New_York", {Gap::jump, Fold::second});
  EXPECT_EQ(second.label("2025-11-02T05:30:00Z"), "none");
  EXPECT_EQ(second.label("2025-11-02T06:30:00Z"), "2025-11-02T01:30:00");
}

TEST(CronInZone, finds_rare_slots_across_many_changes) {
  EXPECT_EQ(Clockwork("30 2 29 2 */7", "America/New_York")
                .slots("2089-01-01T00:00:00Z", "2130-01-01T00:00:00Z"),
            "2128-02-29T07:30:00Z");
}

TEST(CronInZone, ends_with_the_written_years_in_every_zone) {
  for (const std::string_view name : {"UTC", "Asia/Tokyo", "America/New_York"}) {
    const Clockwork hours("0 1-23 * * *", name);
    const CronInZone c = hours.cron_in_zone();
    hours.slots("9999-12-30T00:00:00Z", "9999-12-31T23:59:59Z");
    EXPECT_EQ(show(c.first_after(utc_second("9999-12-31T23:59:59Z"))), "none") << name;
    hours.slots("0001-01-01T00:00:00Z", "0001-01-03T00:00:00Z");
    const auto first = c.first_after(utc_second("0001-01-01T00:00:00Z") - std::chrono::hours{48});
    ASSERT_TRUE(first);
    EXPECT_GE(Time{*first}, kMinTime) << name;
    EXPECT_EQ(show(c.last_at_or_before(*first - Seconds{1})), "none") << name;
  }
}

}  // namespace
}  // namespace cronce
