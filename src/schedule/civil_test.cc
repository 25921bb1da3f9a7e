#include "schedule/civil.h"

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

constexpr DstRule kJumpFirst{Gap::jump, Fold::first};
constexpr DstRule kJumpSecond{Gap::jump, Fold::second};
constexpr DstRule kSkipBoth{Gap::skip, Fold::both};

std::string show_range(const CivilRange& range) {
  return range.empty() ? "empty" : show(range.from) + " to " + show(range.to);
}

/// In summer +2, before and after +1: both kinds of change.
const Zone& summer() {
  using std::chrono::hours;
  static const Zone zone("Test/Summer", hours{1},
                         {{utc_second("2026-03-29T01:00:00Z"), hours{2}},
                          {utc_second("2026-10-25T01:00:00Z"), hours{1}}});
  return zone;
}

TEST(Reach, gives_a_gap_to_the_stretch_after_it) {
  const Stretch s = summer().at(utc_second("2026-06-01T00:00:00Z"));
  EXPECT_EQ(show_range(reach(s, kJumpFirst).skipped), "2026-03-29T02:00:00 to 2026-03-29T03:00:00");
  EXPECT_EQ(show_range(reach(s, kSkipBoth).skipped), "empty");
  EXPECT_EQ(show(reach(s, kJumpFirst).own.from), "2026-03-29T03:00:00");
}

TEST(Reach, gives_a_fold_to_one_side_or_to_both) {
  const Stretch before = summer().at(utc_second("2026-06-01T00:00:00Z"));
  const Stretch after = summer().at(utc_second("2026-12-01T00:00:00Z"));
  struct Case {
    DstRule rule;
    std::string_view before_ends;
    std::string_view after_begins;
  };
  for (const auto& [rule, before_ends, after_begins] : {
           Case{kJumpFirst, "2026-10-25T03:00:00", "2026-10-25T03:00:00"},
           Case{kJumpSecond, "2026-10-25T02:00:00", "2026-10-25T02:00:00"},
           Case{kSkipBoth, "2026-10-25T03:00:00", "2026-10-25T02:00:00"},
       }) {
    EXPECT_EQ(show(reach(before, rule).own.to), before_ends);
    EXPECT_EQ(show(reach(after, rule).own.from), after_begins);
    EXPECT_EQ(show_range(reach(after, rule).skipped), "empty");
  }
}

TEST(Resolve, finds_the_instant_of_a_civil_time) {
  struct Case {
    std::string_view time;
    DstRule rule;
    std::string_view instant;
  };
  for (const auto& [time, rule, instant] : {
           Case{"2026-01-01T12:00", kJumpFirst, "2026-01-01T11:00:00Z"},
           Case{"2026-07-01T12:00", kJumpFirst, "2026-07-01T10:00:00Z"},
           Case{"2026-03-29T01:59:59", kJumpFirst, "2026-03-29T00:59:59Z"},
           Case{"2026-03-29T02:00", kJumpFirst, "2026-03-29T01:00:00Z"},
           Case{"2026-03-29T02:59:59", kJumpFirst, "2026-03-29T01:00:00Z"},
           Case{"2026-03-29T03:00", kJumpFirst, "2026-03-29T01:00:00Z"},
           Case{"2026-03-29T02:30", kSkipBoth, "none"},
           Case{"2026-03-29T03:00", kSkipBoth, "2026-03-29T01:00:00Z"},
           Case{"2026-10-25T02:30", kJumpFirst, "2026-10-25T00:30:00Z"},
           Case{"2026-10-25T02:30", kJumpSecond, "2026-10-25T01:30:00Z"},
           Case{"2026-10-25T02:30", kSkipBoth, "2026-10-25T00:30:00Z"},
           Case{"2026-10-25T01:59:59", kJumpSecond, "2026-10-24T23:59:59Z"},
           Case{"2026-10-25T03:00", kJumpSecond, "2026-10-25T02:00:00Z"},
       }) {
    EXPECT_EQ(show(resolve(summer(), civil(time), rule)), instant) << time;
  }
}

TEST(Resolve, copes_with_a_missing_day) {
  EXPECT_EQ(show(resolve(*zone("Pacific/Apia"), civil("2011-12-30T12:00"), kJumpFirst)),
            "2011-12-30T10:00:00Z");
  EXPECT_EQ(show(resolve(*zone("Pacific/Apia"), civil("2011-12-30T12:00"), kSkipBoth)), "none");
}

TEST(Resolve, reaches_the_first_and_the_last_written_day) {
  for (const std::string_view name : {"UTC", "America/New_York", "Pacific/Kiritimati"}) {
    EXPECT_TRUE(resolve(*zone(name), civil("0001-01-01"), kJumpFirst)) << name;
    EXPECT_TRUE(resolve(*zone(name), civil("9999-12-31T23:59:59"), kJumpFirst)) << name;
  }
}

}  // namespace
}  // namespace cronce
