#include "schedule/clock_change.h"

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

/// The changes of 2025, each as `range: matching, first -> slots (count)`.
std::vector<std::string> changes(std::string_view text, std::string_view zone_name,
                                 DstRule rule = {}) {
  std::vector<std::string> lines;
  for (const ClockChange& change :
       clock_changes(cron(text), *zone(zone_name), rule, utc_second("2025-01-01T00:00:00Z"),
                     utc_second("2025-12-31T00:00:00Z"))) {
    std::vector<Time> slots(change.slots.begin(), change.slots.end());
    lines.push_back(std::string(change.skips() ? "gap " : "fold ") + show(change.range.from) + " " +
                    show(change.range.to) + ": " + std::to_string(change.matching) + ", " +
                    show(change.first_match) + " -> " + show(slots) + " (" +
                    std::to_string(change.slot_count) + ")");
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ClockChange, shows_where_a_fixed_time_goes) {
  EXPECT_EQ(changes("30 2 * * *", "America/New_York"),
            (Lines{"gap 2025-03-09T02:00:00 2025-03-09T03:00:00: 1, 2025-03-09T02:30:00 -> "
                   "2025-03-09T07:00:00Z (1)",
                   "fold 2025-11-02T01:00:00 2025-11-02T02:00:00: 0, none ->  (0)"}));
  EXPECT_EQ(changes("30 1 * * *", "America/New_York"),
            (Lines{"gap 2025-03-09T02:00:00 2025-03-09T03:00:00: 0, none ->  (0)",
                   "fold 2025-11-02T01:00:00 2025-11-02T02:00:00: 1, 2025-11-02T01:30:00 -> "
                   "2025-11-02T05:30:00Z (1)"}));
}

TEST(ClockChange, knows_shifts_of_half_an_hour) {
  EXPECT_EQ(changes("*/10 1-2 * * *", "Australia/Lord_Howe"),
            (Lines{"fold 2025-04-06T01:30:00 2025-04-06T02:00:00: 3, 2025-04-06T01:30:00 -> "
                   "2025-04-05T14:30:00Z 2025-04-05T14:40:00Z 2025-04-05T14:50:00Z (3)",
                   "gap 2025-10-05T02:00:00 2025-10-05T02:30:00: 3, 2025-10-05T02:00:00 -> "
                   "2025-10-04T15:30:00Z (1)"}));
}

TEST(ClockChange, follows_elapsed_time_with_a_wildcard_hour) {
  EXPECT_EQ(changes("*/20 * * * *", "America/New_York"),
            (Lines{"gap 2025-03-09T02:00:00 2025-03-09T03:00:00: 3, 2025-03-09T02:00:00 ->  (0)",
                   "fold 2025-11-02T01:00:00 2025-11-02T02:00:00: 3, 2025-11-02T01:00:00 -> "
                   "2025-11-02T05:00:00Z 2025-11-02T05:20:00Z 2025-11-02T05:40:00Z (6)"}));
}

TEST(ClockChange, follows_the_rule) {
  const auto gap_slots = [](std::string_view text, DstRule rule) {
    return changes(text, "America/New_York", rule).front();
  };
  const auto fold_slots = [](std::string_view text, DstRule rule) {
    return changes(text, "America/New_York", rule).back();
  };
  EXPECT_EQ(gap_slots("0 2,3 * * *", {Gap::skip, Fold::first}),
            "gap 2025-03-09T02:00:00 2025-03-09T03:00:00: 1, 2025-03-09T02:00:00 ->  (0)");
  EXPECT_EQ(fold_slots("30 1 * * *", {Gap::jump, Fold::second}),
            "fold 2025-11-02T01:00:00 2025-11-02T02:00:00: 1, 2025-11-02T01:30:00 -> "
            "2025-11-02T06:30:00Z (1)");
  EXPECT_EQ(fold_slots("30 1 * * *", {Gap::jump, Fold::both}),
            "fold 2025-11-02T01:00:00 2025-11-02T02:00:00: 1, 2025-11-02T01:30:00 -> "
            "2025-11-02T05:30:00Z 2025-11-02T06:30:00Z (2)");
}

TEST(ClockChange, lists_those_after_the_first_and_through_the_last_instant) {
  const auto count = [](std::string_view after, std::string_view through) {
    return clock_changes(cron("@daily"), *zone("America/New_York"), {}, utc_second(after),
                         utc_second(through))
        .size();
  };
  EXPECT_EQ(count("2025-03-09T06:59:59Z", "2025-03-09T07:00:00Z"), 1U);
  EXPECT_EQ(count("2025-03-09T07:00:00Z", "2025-11-02T05:59:59Z"), 0U);
  EXPECT_EQ(count("2025-01-01T00:00:00Z", "2035-01-01T00:00:00Z"), 20U);
  EXPECT_TRUE(clock_changes(cron("@daily"), *zone("UTC"), {}, utc_second("2025-01-01T00:00:00Z"),
                            utc_second("2035-01-01T00:00:00Z"))
                  .empty());
}

}  // namespace
}  // namespace cronce
