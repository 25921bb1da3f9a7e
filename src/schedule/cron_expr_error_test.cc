// What is no cron expression: the place and the words.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "schedule/cron_expr.h"

namespace cronce {
namespace {

struct Mistake {
  std::string_view text;
  std::size_t offset;
  std::string_view message;
};

void expect_errors(std::initializer_list<Mistake> cases) {
  for (const auto& [text, offset, message] : cases) {
    const auto expr = CronExpr::parse(text);
    ASSERT_FALSE(expr) << text;
    EXPECT_EQ(expr.error().message, message) << text;
    EXPECT_EQ(expr.error().offset, offset) << text << ": " << message;
  }
}

using namespace std::string_view_literals;

TEST(CronExprError, counts_the_fields) {
  expect_errors({
      {"", 0, "the expression is empty: write five fields, as in 0 2 * * *"},
      {"   ", 3, "the expression is empty: write five fields, as in 0 2 * * *"},
      {"* * * *", 7,
       "4 fields: use 5 (minute hour day-of-month month day-of-week) or 6 (seconds first)"},
      {"0 0 1 1 * * 2026", 12,
       "7 fields: use 5 (minute hour day-of-month month day-of-week) or 6 (seconds first)"},
  });
}

TEST(CronExprError, leaves_a_macro_alone) {
  expect_errors({
      {"@daily 5", 7, "a macro stands alone: remove what follows @daily"},
      {"@Reboot now and then", 8, "a macro stands alone: remove what follows @Reboot"},
      {"@dayly 5", 0, "unknown macro '@dayly': did you mean @daily?"},
  });
}

TEST(CronExprError, names_the_range_of_each_field) {
  expect_errors({
      {"60 * * * * *", 0, "second field: 60 is out of range: use 0-59"},
      {"60 * * * *", 0, "minute field: 60 is out of range: use 0-59"},
      {"0 24 * * *", 2, "hour field: 24 is out of range: use 0-23"},
      {"0 0 0 * *", 4, "day-of-month field: 0 is out of range: use 1-31"},
      {"0 0 32 * *", 4, "day-of-month field: 32 is out of range: use 1-31"},
      {"0 0 1 0 *", 6, "month field: 0 is out of range: use 1-12 or jan-dec"},
      {"0 0 1 13 *", 6, "month field: 13 is out of range: use 1-12 or jan-dec"},
      {"0 0 * * 8", 8, "day-of-week field: 8 is out of range: use 0-7 or sun-sat"},
      {"0 0 1-32 * *", 6, "day-of-month field: 32 is out of range: use 1-31"},
      {"0,15,99 * * * *", 5, "minute field: 99 is out of range: use 0-59"},
  });
}

TEST(CronExprError, survives_numbers_that_overflow) {
  expect_errors({
      {"4294967296 * * * *", 0, "minute field: 4294967296 is out of range: use 0-59"},
      {"18446744073709551616 * * * *", 0,
       "minute field: 18446744073709551616 is out of range: use 0-59"},
      {"99999999999999999999999999 * * * *", 0,
       "minute field: 99999999999999999999 is out of range: use 0-59"},
      {"*/4294967297 * * * *", 2, "minute field: the step is too large"},
      {"*/100000 * * * *", 2, "minute field: the step is too large"},
  });
}

TEST(CronExprError, shows_how_to_write_a_range_that_runs_backwards) {
  expect_errors({
      {"0 22-2 * * *", 2,
       "hour field: the range 22-2 runs backwards: write it as two, such as 22-23,0-2"},
      {"0 0 1 1,NOV-FEB *", 8,
       "month field: the range NOV-FEB runs backwards: write it as two, such as 11-12,1-2"},
      {"0 0 * * FRI-MON", 8,
       "day-of-week field: the range FRI-MON runs backwards: write it as two, such as 5-6,0-1"},
      {"0 0 * * 5-0", 8,
       "day-of-week field: the range 5-0 runs backwards: write it as two, such as 5-6,0-0"},
      {"0 0 * * 7-6", 8, "day-of-week field: the range 7-6 runs backwards: write it as 0-6"},
      {"0 0 * * 7-MON", 8, "day-of-week field: the range 7-MON runs backwards: write it as 0-1"},
  });
  EXPECT_TRUE(CronExpr::parse("0 0 * * 0-6"));
  EXPECT_TRUE(CronExpr::parse("0 0 * * 7-7"));
}

TEST(CronExprError, wants_steps_that_move) {
  expect_errors({
      {"*/0 * * * *", 2, "minute field: a step of 0 never moves on: use 1 or more"},
      {"*/ * * * *", 2, "minute field: a step must be a number, as in */15"},
      {"*/-5 * * * *", 2, "minute field: a step must be a number, as in */15"},
      {"*/x * * * *", 2, "minute field: a step must be a number, as in */15"},
  });
}

TEST(CronExprError, points_at_what_is_no_value) {
  expect_errors({
      {"-5 * * * *", 0, "minute field: '-' is not a value: use *, 0-59, or a range such as 0-2"},
      {"1,,2 * * * *", 2, "minute field: ',' is not a value: use *, 0-59, or a range such as 0-2"},
      {"1, * * * *", 2, "minute field: a value is missing at the end: use 0-59"},
      {"1- * * * *", 2, "minute field: a value is missing at the end: use 0-59"},
      {"1-2-3 * * * *", 3, "minute field: '-' is not a value: use *, 0-59, or a range such as 0-2"},
      {"*/2/3 * * * *", 3, "minute field: '/' is not a value: use *, 0-59, or a range such as 0-2"},
      {"5x * * * *", 1, "minute field: 'x' is not a value: use *, 0-59, or a range such as 0-2"},
      {"? * * * *", 0, "minute field: '?' has a meaning in the two day fields only: use *"},
      {"*5 * * * *", 1, "minute field: after * only / or , can follow"},
      {"**/5 * * * *", 1, "minute field: after * only / or , can follow"},
      {"1,*-5 * * * *", 3, "minute field: after * only / or , can follow"},
      {"0 0 ?5 * *", 5, "day-of-month field: after ? only , can follow"},
      {"0 0 ?/2 * *", 5, "day-of-month field: '?' takes no step: use * with a step, as in */2"},
      {"0 0 MON * *", 4, "day-of-month field: 'MON' is not a value: use 1-31"},
      {"0 0 1.5 * *", 5,
       "day-of-month field: '.' is not a value: use *, 1-31, or a range such as 1-3"},
  });
}

TEST(CronExprError, suggests_names) {
  expect_errors({
      {"0 0 1 JUNE *", 6, "month field: 'JUNE' is not a name: did you mean jun?"},
      {"0 0 * * MON-FRY", 12, "day-of-week field: 'FRY' is not a name: did you mean fri?"},
      {"@dayly", 0, "unknown macro '@dayly': did you mean @daily?"},
      {" @fortnightly", 1,
       "unknown macro '@fortnightly': use @hourly, @daily, @weekly, @monthly, @yearly or @every "
       "with a duration"},
  });
}

TEST(CronExprError, says_what_is_not_supported_yet) {
  expect_errors({
      {"0 0 L * *", 4,
       "day-of-month field: L (the last day) is not supported yet: use 1-31, ranges, lists and "
       "steps"},
      {"0 0 15W * *", 6,
       "day-of-month field: W (the nearest weekday) is not supported yet: use 1-31, ranges, lists "
       "and steps"},
      {"0 0 * * 5#2", 9,
       "day-of-week field: # (the n-th weekday of a month) is not supported yet: use 0-7 or "
       "sun-sat, ranges, lists and steps"},
      {"0~29 * * * *", 1,
       "minute field: ~ (a value drawn from a range) is not supported yet: use 0-59, ranges, lists "
       "and steps"},
      {"H * * * *", 0,
       "minute field: H (a value drawn from the job's name) is not supported yet: use 0-59, "
       "ranges, "
       "lists and steps"},
  });
}

TEST(CronExprError, names_characters_that_look_right) {
  constexpr std::string_view kTail =
      " has no place in an expression: use plain letters, digits and blanks";
  const auto expect_character = [&](std::string_view text, std::size_t offset,
                                    std::string_view character) {
    const std::string message = std::string(character) + std::string(kTail);
    expect_errors({{text, offset, message}});
  };
  expect_character("0\u00a00 * * *"sv, 1, "the character U+00A0");       // no-break space
  expect_character("0 0 * * \u2003*"sv, 8, "the character U+2003");      // em space
  expect_character("0 0 * * \u3000"sv, 8, "the character U+3000");       // ideographic space
  expect_character("\ufeff0 0 * * *"sv, 0, "the character U+FEFF");      // byte order mark
  expect_character("0 0 * * M\u041eN"sv, 9, "the character U+041E");     // Cyrillic O
  expect_character("0 0 1\u20135 * *"sv, 5, "the character U+2013");     // en dash
  expect_character("\uff11 0 * * *"sv, 0, "the character U+FF11");       // fullwidth 1
  expect_character("0 0 * * \U0001d7d9"sv, 8, "the character U+1D7D9");  // double-struck 1
  expect_character("0 0 * *\n*"sv, 7, "a line break");
  expect_character("0 0 * * *\r"sv, 9, "a line break");
  expect_character("0 0 * * *\0"sv, 9, "the control character 0x00");
  expect_character("0\v0 * * *"sv, 1, "the control character 0x0b");
  expect_character("0 0 * * *\x7f"sv, 9, "the control character 0x7f");
  expect_character("0 0 * * *\xff"sv, 9, "the byte 0xff");
  expect_character("0 0 * * *\xe2\x80"sv, 9, "the byte 0xe2");
  expect_character("0 0 * * *\xc0\x80"sv, 9, "the byte 0xc0");
}

TEST(CronExprError, is_not_impressed_by_length) {
  expect_errors({
      {std::string(1 << 20, '*'), 1'000, "longer than 1000 characters"},
      {std::string(1 << 20, ' ') + "* * * * *", 1'000, "longer than 1000 characters"},
  });
  std::string longest = "0";
  while (longest.size() < 980) longest += ",0";
  EXPECT_TRUE(CronExpr::parse(longest + " * * * *"));
}

TEST(CronExprError, refuses_what_never_fires) {
  for (const std::string_view text : {"0 0 30 2 *", "0 0 31 2 *", "0 0 30,31 2 *",
                                      "0 0 31 4,6,9,11 *", "0 0 31 2-2 ?", "0 0 30 2 */2"}) {
    const auto expr = CronExpr::parse(text);
    ASSERT_FALSE(expr) << text;
    EXPECT_EQ(expr.error().offset, 4U);
    EXPECT_EQ(expr.error().message, "never fires: no month that it names has such a day");
  }
  for (const std::string_view text :
       {"0 0 29 2 *", "0 0 31 2 MON", "0 0 31 */2 *", "0 0 29-31 2 *", "0 0 30 2,4 *"}) {
    EXPECT_TRUE(CronExpr::parse(text)) << text;
  }
}

// Nothing to compare with: that it returns, and where it points, is the test.
TEST(CronExprError, survives_random_texts) {
  constexpr std::string_view kLetters = "0123456789 *,-/?#LWH~@monJAN\t\n\xc2\xa0\xff.";
  Rng rng(1);
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (std::uint64_t n = rng.below(24); n > 0; --n) text += kLetters[rng.below(kLetters.size())];
    const auto expr = CronExpr::parse(text);
    if (expr) continue;
    EXPECT_LE(expr.error().offset, text.size()) << text;
    EXPECT_FALSE(expr.error().message.empty());
  }
}

}  // namespace
}  // namespace cronce
