#include "schedule/in_words.h"

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

struct Wording {
  std::string_view text;
  std::string_view words;
};

void expect_words(std::initializer_list<Wording> cases) {
  for (const auto& [text, words] : cases) EXPECT_EQ(in_words(cron(text)), words) << text;
}

TEST(InWords, says_how_often) {
  expect_words({
      {"* * * * * *", "every second"},
      {"*/10 * * * * *", "every 10 seconds"},
      {"* * * * *", "every minute"},
      {"*/5 * * * *", "every 5 minutes"},
      {"0,30 * * * *", "every 30 minutes"},
      {"0 * * * *", "every hour"},
      {"0 */2 * * *", "every 2 hours"},
      {"0 9-17 * * *", "every hour from 09:00 to 17:00 every day"},
      {"*/15 9-17 * * MON-FRI", "every 15 minutes from 09:00 to 17:45, Monday to Friday"},
      {"* 2 * * *", "every minute from 02:00 to 02:59 every day"},
      {"* */4 * * *", "every minute of every 4th hour"},
      {"*/20 8,20 * * *", "every 20 minutes of the hours 08 and 20 every day"},
  });
}

TEST(InWords, says_at_what_time) {
  expect_words({
      {"30 2 * * *", "at 02:30 every day"},
      {"0 9,17 * * *", "at 09:00 and 17:00 every day"},
      {"0 */6 * * *", "at 00:00, 06:00, 12:00 and 18:00 every day"},
      {"30 0 2 * * *", "at 02:00:30 every day"},
      {"30 * * * *", "at minute 30 of every hour"},
      {"30 */3 * * *", "at minute 30 of every 3rd hour"},
      {"*/7 * * * *", "at minutes 0, 7, 14, ... 56 of every hour"},
      {"5,35 9-17 * * *", "at minutes 5 and 35 of the hours 09 to 17 every day"},
      {"0 */5 * * *", "at minute 0 of the hours 00, 05, 10, 15 and 20 every day"},
      {"30 * * * * *", "at second 30 of every minute"},
      {"*/10 0 2 * * *", "every 10 seconds of the minute, at 02:00 every day"},
      {"5,10 */5 * * * *", "at seconds 5 and 10 of the minute, every 5 minutes"},
  });
}

TEST(InWords, says_on_which_days) {
  expect_words({
      {"0 6 * * 0", "at 06:00 on Sundays"},
      {"0 6 * * MON,WED,FRI", "at 06:00 on Mondays, Wednesdays and Fridays"},
      {"0 6 * * SAT-SUN", "at 06:00 on Saturdays and Sundays"},
      {"0 6 * * FRI-SUN", "at 06:00, Friday to Sunday"},
      {"0 6 * * SUN-TUE", "at 06:00, Sunday to Tuesday"},
      {"0 0 1 * *", "at 00:00, on day 1 of the month"},
      {"0 0 1,15 * *", "at 00:00, on days 1 and 15 of the month"},
      {"* * 1-7 * *", "every minute, on days 1 to 7 of the month"},
      {"0 0 13 * 5", "at 00:00, on day 13 of the month and on Fridays"},
      {"0 12 */2 * MON", "at 12:00, on Mondays, but only on days 1, 3, 5, ... 31 of the month"},
      {"0 0 1-31 * 1", "at 00:00 every day"},
      {"0 0 ? * 0-6", "at 00:00 every day"},
  });
}

TEST(InWords, says_in_which_months) {
  expect_words({
      {"@yearly", "at 00:00, on day 1 of January"},
      {"0 0 29 2 *", "at 00:00, on day 29 of February"},
      {"0 0 1 */3 *", "at 00:00, on day 1 of January, April, July and October"},
      {"0 0 31 1-6 *", "at 00:00, on day 31 of each month from January to June"},
      {"0 0 * JAN,JUL *", "at 00:00 every day, in January and July"},
      {"0 3 * 6-8 1", "at 03:00 on Mondays, from June to August"},
      {"0 0 13 6 5", "at 00:00, on day 13 of the month and on Fridays, in June"},
      {"* * * 12 *", "every minute, in December"},
  });
}

TEST(InWords, joins_the_elements_of_a_schedule) {
  EXPECT_EQ(in_words(ScheduleSpec{.elements = {CronSpec{"@daily"}, CronSpec{"0 12 * * 0"}}}),
            "at 00:00 every day; and at 12:00 on Sundays");
}

TEST(InWords, names_the_bounds) {
  const auto words = [](Between between) {
    return in_words(ScheduleSpec{.elements = {CronSpec{"@daily"}}, .between = between});
  };
  EXPECT_EQ(words({written("2026-01-01"), written("2026-12-31"), 100}),
            "at 00:00 every day; only from 2026-01-01 to 2026-12-31; at most 100 runs in all");
  EXPECT_EQ(words({written("2026-01-01T08:00"), {}, {}}),
            "at 00:00 every day; only from 2026-01-01T08:00:00");
  EXPECT_EQ(words({{}, written("2026-12-31"), 1}),
            "at 00:00 every day; only until 2026-12-31; at most 1 run in all");
}

TEST(InWords, knows_each_kind_of_schedule) {
  const auto words = [](ElementSpec element) {
    return in_words(ScheduleSpec{.elements = {std::move(element)}});
  };
  EXPECT_EQ(words(EverySpec{Duration{900'000}, {}}),
            "every 15m, counted from 1970-01-01T00:00:00Z");
  EXPECT_EQ(words(EverySpec{Duration{900'000}, written("2026-01-01")}),
            "every 15m, counted from 2026-01-01");
  EXPECT_EQ(words(AtSpec{written("2026-12-24T18:00")}), "once, at 2026-12-24T18:00:00");
  EXPECT_EQ(words(AfterSpec{Duration{600'000}}), "10m after the previous run has ended");
  EXPECT_EQ(words(RebootSpec{}), "once after each boot of a node");
}

// Whatever the expression, the words begin and end well.
TEST(InWords, has_words_for_every_field) {
  for (const std::string_view minutes : {"*", "*/7", "3", "1-5", "5,9"}) {
    for (const std::string_view hours : {"*", "*/5", "3", "1-5", "5,9", "22,23,0"}) {
      for (const std::string_view days :
           {"* * *", "1 * *", "* 2 *", "* * 1-3", "1 2 3", "*/2 4 */3"}) {
        const std::string text =
            std::string(minutes) + " " + std::string(hours) + " " + std::string(days);
        const std::string words = in_words(cron(text));
        EXPECT_TRUE(words.starts_with("every ") || words.starts_with("at "))
            << text << ": " << words;
        EXPECT_EQ(words.find("  "), std::string::npos) << text << ": " << words;
        EXPECT_EQ(words.find(" ,"), std::string::npos) << text << ": " << words;
        EXPECT_NE(words.back(), ' ') << text << ": " << words;
      }
    }
  }
}

}  // namespace
}  // namespace cronce
