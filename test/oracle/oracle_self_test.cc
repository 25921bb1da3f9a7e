// The oracle against facts that were computed by hand, and against the plainest loop there is
// over localtime_r(). Nothing of the program is linked here.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/oracle/generate.h"
#include "test/oracle/oracle.h"

namespace oracle {
namespace {

std::int64_t utc(const std::string& text) {
  std::tm fields{};
  EXPECT_NE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields), nullptr) << text;
  return timegm(&fields);
}

std::string show(std::int64_t instant) {
  const std::time_t t = instant;
  std::tm fields{};
  gmtime_r(&t, &fields);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

using Times = std::vector<std::string>;

Times between(const char* expr, const char* zone, Rule rule, const char* after,
              const char* through) {
  Times shown;
  for (const std::int64_t slot : slots(Expr(expr), Zone(zone), rule, utc(after), utc(through))) {
    shown.push_back(show(slot));
  }
  return shown;
}

constexpr Rule kDefault{};
constexpr Rule kSecond{Gap::jump, Fold::second};
constexpr Rule kBoth{Gap::jump, Fold::both};
constexpr Rule kSkip{Gap::skip, Fold::first};

// The civil day 2025-03-09 (23 hours) and 2025-11-02 (25 hours) in New York.
Times gap_day(const char* expr, Rule rule = kDefault) {
  return between(expr, "America/New_York", rule, "2025-03-09T04:59:59Z", "2025-03-10T03:59:59Z");
}
Times fold_day(const char* expr, Rule rule = kDefault) {
  return between(expr, "America/New_York", rule, "2025-11-02T03:59:59Z", "2025-11-03T04:59:59Z");
}

TEST(Oracle, GapFiresOnceAtTheTransition) {
  EXPECT_EQ(gap_day("30 2 * * *"), Times{"2025-03-09T07:00:00Z"});
  EXPECT_EQ(gap_day("*/15 2 * * *"), Times{"2025-03-09T07:00:00Z"});
  EXPECT_EQ(gap_day("30 2 * * *", kSkip), Times{});
  EXPECT_EQ(gap_day("0 2,3 * * *"), Times{"2025-03-09T07:00:00Z"});
  EXPECT_EQ(gap_day("0 2,3 * * *", kSkip), Times{"2025-03-09T07:00:00Z"});
  EXPECT_EQ(gap_day("30 2 * * SUN").size(), 1U);
  EXPECT_EQ(gap_day("4 16 * * *"), Times{"2025-03-09T20:04:00Z"});
}

TEST(Oracle, FoldFiresAsTheRuleSays) {
  EXPECT_EQ(fold_day("30 1 * * *"), Times{"2025-11-02T05:30:00Z"});
  EXPECT_EQ(fold_day("30 1 * * *", kSecond), Times{"2025-11-02T06:30:00Z"});
  EXPECT_EQ(fold_day("30 1 * * *", kBoth), (Times{"2025-11-02T05:30:00Z", "2025-11-02T06:30:00Z"}));
  EXPECT_EQ(fold_day("0 2 * * *"), Times{"2025-11-02T07:00:00Z"});
  EXPECT_EQ(fold_day("0 0-22 * * *").size(), 23U);
}

TEST(Oracle, WildcardHourFollowsElapsedTime) {
  EXPECT_EQ(fold_day("*/10 * * * *").size(), 150U);
  EXPECT_EQ(gap_day("*/10 * * * *").size(), 138U);
  EXPECT_EQ(fold_day("0 0-23 * * *", kSecond).size(), 25U);
  EXPECT_EQ(gap_day("0 */2 * * *").size(), 11U);  // 02:00 is missing
  EXPECT_EQ(gap_day("0 0/2 * * *").size(), 12U);  // fixed-time: 02:00 fires at 03:00
  EXPECT_EQ(gap_day("*/20 * * * * *").size(), 23U * 180);
}

TEST(Oracle, GapAtMidnightBelongsToTheMissingDate) {
  const auto santiago = [](const char* expr) {
    return between(expr, "America/Santiago", kDefault, "2024-09-07T12:00:00Z",
                   "2024-09-08T12:00:00Z");
  };
  EXPECT_EQ(santiago("0 0 * * *"), Times{"2024-09-08T04:00:00Z"});
  EXPECT_EQ(santiago("0 0 8 9 *"), Times{"2024-09-08T04:00:00Z"});
  EXPECT_EQ(santiago("0 0 * * SAT"), Times{});
}

TEST(Oracle, ShiftsThatAreNotAnHour) {
  const auto lord_howe = [](const char* expr, Rule rule, const char* after, const char* through) {
    return between(expr, "Australia/Lord_Howe", rule, after, through);
  };
  EXPECT_EQ(lord_howe("15 2 * * *", kDefault, "2025-10-04T12:00:00Z", "2025-10-04T20:00:00Z"),
            Times{"2025-10-04T15:30:00Z"});
  EXPECT_EQ(lord_howe("45 1 * * *", kBoth, "2025-04-05T12:00:00Z", "2025-04-05T20:00:00Z"),
            (Times{"2025-04-05T14:45:00Z", "2025-04-05T15:15:00Z"}));
  EXPECT_EQ(between("45 23 * * *", "Asia/Pyongyang", kDefault, "2018-05-04T10:00:00Z",
                    "2018-05-05T00:00:00Z"),
            Times{"2018-05-04T15:00:00Z"});
  EXPECT_EQ(between("45 23 * * *", "Asia/Pyongyang", kSecond, "2015-08-14T10:00:00Z",
                    "2015-08-15T00:00:00Z"),
            Times{"2015-08-14T15:15:00Z"});
}

TEST(Oracle, OffsetWithSeconds) {  // -0:44:30 until 1972-01-07
  const auto monrovia = [](const char* expr) {
    return between(expr, "Africa/Monrovia", kDefault, "1972-01-06T00:00:00Z",
                   "1972-01-08T12:00:00Z");
  };
  EXPECT_EQ(monrovia("0 0 * * *"),
            (Times{"1972-01-06T00:44:30Z", "1972-01-07T00:44:30Z", "1972-01-08T00:00:00Z"}));
  EXPECT_EQ(monrovia("0 12 * * *"),
            (Times{"1972-01-06T12:44:30Z", "1972-01-07T12:00:00Z", "1972-01-08T12:00:00Z"}));
}

TEST(Oracle, WholeDayMissing) {  // Friday 30 December 2011 in Samoa
  const auto apia = [](const char* expr, Rule rule) {
    return between(expr, "Pacific/Apia", rule, "2011-12-29T10:00:00Z", "2011-12-31T10:00:00Z");
  };
  EXPECT_EQ(apia("0 12 30 12 *", kDefault), Times{"2011-12-30T10:00:00Z"});
  EXPECT_EQ(apia("0 12 30 12 *", kSkip), Times{});
  EXPECT_EQ(apia("0 12 * * FRI", kDefault), Times{"2011-12-30T10:00:00Z"});
  EXPECT_EQ(apia("0 0 * * *", kDefault), (Times{"2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"}));
}

TEST(Oracle, DayFields) {
  const auto in_2026 = [](const char* expr) {
    return between(expr, "UTC", kDefault, "2025-12-31T23:59:59Z", "2026-12-31T23:59:59Z");
  };
  EXPECT_EQ(in_2026("0 0 13 * 5").size(), 61U);
  EXPECT_EQ(in_2026("0 9 1-31 * 1").size(), 365U);
  EXPECT_EQ(in_2026("0 9 */2 1 1"), (Times{"2026-01-05T09:00:00Z", "2026-01-19T09:00:00Z"}));
  EXPECT_EQ(in_2026("0 0 ? 2 sat-SUN").size(), 8U);
  EXPECT_EQ(in_2026("0 0 ? 2 5/1").size(), 8U);  // N/step ends at 6: Friday and Saturday
  EXPECT_EQ(in_2026("0 0 * Feb 7").size(), 4U);
  EXPECT_EQ(in_2026("0 0 31 * *").size(), 7U);
}

TEST(Oracle, SearchesFarAheadAndBack) {
  const Expr expr("0 0 29 2 */7");
  const Zone zone("Europe/Berlin");
  const std::int64_t in_2060 = utc("2060-02-28T23:00:00Z");
  EXPECT_EQ(first_after(expr, zone, kDefault, utc("2032-03-01T00:00:00Z")), in_2060);
  EXPECT_EQ(last_at_or_before(expr, zone, kDefault, utc("2088-02-28T22:59:59Z")), in_2060);
  EXPECT_EQ(last_at_or_before(expr, zone, kDefault, in_2060), in_2060);
  EXPECT_EQ(first_after(expr, zone, kDefault, utc("2088-02-28T23:00:00Z")), std::nullopt);
}

// Wildcard-hour, second by second, without any of the oracle's own arithmetic.
void compare_with_localtime(const char* name, const char* after, const char* through) {
  const Expr expr("30 */7 */2 */3 1-3,5-12 0,1,3-6");
  const Zone zone(name);  // also sets TZ
  std::vector<std::int64_t> expected;
  for (std::time_t t = utc(after) + 1; t <= utc(through); ++t) {
    std::tm fields{};
    localtime_r(&t, &fields);
    if (fields.tm_sec != 30 || fields.tm_min % 7 != 0 || fields.tm_hour % 2 != 0) continue;
    if (fields.tm_mday % 3 != 1 || fields.tm_mon == 3 || fields.tm_wday == 2) continue;
    expected.push_back(t);
  }
  EXPECT_GT(expected.size(), 500U);
  EXPECT_EQ(slots(expr, zone, Rule{}, utc(after), utc(through)), expected) << name;
}

TEST(Oracle, AgreesWithTheFieldsOfLocaltime) {
  compare_with_localtime("America/New_York", "2025-10-20T00:00:00Z", "2025-11-10T00:00:00Z");
  compare_with_localtime("Australia/Lord_Howe", "2025-09-25T00:00:00Z", "2025-10-15T00:00:00Z");
  compare_with_localtime("Africa/Monrovia", "1971-12-25T00:00:00Z", "1972-01-15T00:00:00Z");
}

// The scan against the same question asked every hour: no change was stepped over.
TEST(Oracle, ScanMissesNoTransition) {
  for (const char* name :
       {"Africa/Casablanca", "Asia/Gaza", "America/Recife", "Antarctica/Casey"}) {
    const Zone zone(name);
    std::size_t changes = 0;
    long offset = 0;
    for (std::time_t t = 0; t <= kLastInstant; t += 3600) {
      std::tm fields{};
      localtime_r(&t, &fields);
      if (t > 0 && fields.tm_gmtoff != offset) ++changes;
      offset = fields.tm_gmtoff;
    }
    EXPECT_EQ(zone.transitions(1, kLastInstant).size(), changes) << name;
  }
}

TEST(Generate, SameSeedSameCases) {
  const std::vector<Zone> zones{Zone("Europe/Berlin"), Zone("Asia/Gaza")};
  const Case first = make_case(7, 1234, zones);
  const Case again = make_case(7, 1234, zones);
  EXPECT_EQ(first.text, again.text);
  EXPECT_EQ(first.at, again.at);
  EXPECT_NE(first.text + std::to_string(first.at),
            make_case(7, 1235, zones).text + std::to_string(make_case(7, 1235, zones).at));
}

}  // namespace
}  // namespace oracle
