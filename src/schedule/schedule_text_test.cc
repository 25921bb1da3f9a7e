#include "schedule/schedule_text.h"

#include <gtest/gtest.h>

#include "model/describe.h"

namespace cronce {
namespace {

TEST(ScheduleText, is_cron_a_macro_every_or_reboot) {
  struct Case {
    std::string_view text;
    std::string_view element;
    std::optional<std::string> timezone = {};
  };
  for (const auto& [text, element, timezone] : {
           Case{"0 2 * * *", "0 2 * * *"}, Case{"  0 2 * * *\t", "0 2 * * *"},
           Case{"30 0 2 * * *", "30 0 2 * * *"}, Case{"@daily", "@daily"},
           Case{"@every 15m", "every 15m"}, Case{"@EVERY\t 1h30m ", "every 1h30m"},
           Case{"@reboot", "@reboot"}, Case{" @Reboot ", "@reboot"},
           Case{"TZ=UTC 0 2 * * *", "0 2 * * *", "UTC"},
           Case{"CRON_TZ=Europe/Berlin \t0 2 * * *", "0 2 * * *", "Europe/Berlin"},
           Case{" CRON_TZ=Asia/Tokyo @every 2h", "every 2h", "Asia/Tokyo"},
           Case{"TZ= @daily", "@daily", ""},  // whoever builds it refuses the zone
       }) {
    const auto read = parse_schedule_text(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(describe(read->element), element) << text;
    EXPECT_EQ(read->timezone, timezone) << text;
  }
}

TEST(ScheduleText, points_into_the_whole_text) {
  constexpr std::string_view kEmpty = "the expression is empty: write five fields, as in 0 2 * * *";
  constexpr std::string_view kEvery = "@every needs a blank and a duration, as in @every 15m";
  constexpr std::string_view kDuration = " is not a duration: write it like 90s, 15m, 2h30m or 1d";
  struct Case {
    std::string_view text;
    std::size_t offset;
    std::string message;
  };
  for (const auto& [text, offset, message] : {
           Case{"0 25 * * *", 2, "hour field: 25 is out of range: use 0-23"},
           Case{"  0 25 * * *", 4, "hour field: 25 is out of range: use 0-23"},
           Case{"TZ=UTC 0 25 * * *", 9, "hour field: 25 is out of range: use 0-23"},
           Case{"CRON_TZ=UTC  @dayly", 13, "unknown macro '@dayly': did you mean @daily?"},
           Case{"", 0, std::string(kEmpty)},
           Case{"   ", 3, std::string(kEmpty)},
           Case{"TZ=UTC", 6, std::string(kEmpty)},
           Case{"TZ=UTC   ", 9, std::string(kEmpty)},
           Case{"@every", 6, std::string(kEvery)},
           Case{"TZ=UTC @every15m", 13, std::string(kEvery)},
           Case{"@every 5", 7, "'5'" + std::string(kDuration)},
           Case{"TZ=UTC @every  ten", 15, "'ten'" + std::string(kDuration)},
           Case{"@reboot now", 8, "a macro stands alone: remove what follows @reboot"},
       }) {
    const auto read = parse_schedule_text(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, message) << text;
    EXPECT_EQ(read.error().offset, offset) << text;
  }
}

}  // namespace
}  // namespace cronce
