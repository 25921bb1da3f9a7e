// What is said about an expression that is legal but perhaps not meant.
#include <gtest/gtest.h>

#include "schedule/cron_expr.h"

namespace cronce {
namespace {

std::string remarks(std::string_view text) {
  std::string all;
  for (const CronRemark& remark : cron_remarks(text)) {
    all += (all.empty() ? "" : " | ") + std::string(remark.warning ? "warning: " : "note: ") +
           remark.text;
  }
  return all;
}

TEST(CronRemarks, has_none_for_common_expressions) {
  for (const std::string_view text :
       {"* * * * *", "*/15 * * * *", "0 2 * * MON-FRI", "0 */6 * * *", "30 4 1 * *", "@weekly",
        "*/10 * * * * *", "0 0 ? * MON", "0 0 1 * ?", "*/59,7 * * * *", "0/7 * * * *"}) {
    EXPECT_EQ(remarks(text), "") << text;
  }
}

TEST(CronRemarks, warns_of_a_step_larger_than_its_range) {
  EXPECT_EQ(remarks("*/90 * * * *"),
            "warning: minute field: the step 90 is larger than the range, so only its first value "
            "matches");
  EXPECT_EQ(remarks("0 9-17/10 * * *"),
            "warning: hour field: the step 10 is larger than the range, so only its first value "
            "matches");
  EXPECT_EQ(remarks("*/60 * * * *").substr(0, 8), "warning:");
  EXPECT_EQ(remarks("0 0-12/12 * * *"), "");
}

TEST(CronRemarks, notes_steps_that_start_over) {
  EXPECT_EQ(remarks("*/7 * * * *"),
            "note: */7 starts over at each full hour: for an even distance use every: 7m");
  EXPECT_EQ(remarks("*/45 * * * * *"),
            "note: */45 starts over at each full minute: for an even distance use every: 45s");
  EXPECT_EQ(remarks("0 */5 * * *"),
            "note: */5 starts over at each full day: for an even distance use every: 5h");
}

TEST(CronRemarks, warns_where_a_star_makes_both_day_fields_count) {
  EXPECT_EQ(remarks("0 12 */2 * MON"),
            "warning: both day fields must match, because one begins with *: other programs run "
            "'*/2 * MON' when either matches");
  EXPECT_EQ(remarks("0 12 13 5 */2"),
            "warning: both day fields must match, because one begins with *: other programs run "
            "'13 5 */2' when either matches");
}

TEST(CronRemarks, notes_that_either_day_matches) {
  EXPECT_EQ(remarks("0 0 13 * 5"), "note: a day matches when its date or its weekday does");
}

TEST(CronRemarks, has_none_for_what_cannot_be_read) { EXPECT_EQ(remarks("*/90 * * *"), ""); }

}  // namespace
}  // namespace cronce
