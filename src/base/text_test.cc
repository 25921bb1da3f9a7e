#include "base/text.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

using Parts = std::vector<std::string>;

TEST(Split, finds_the_parts_between_separators) {
  EXPECT_EQ(split("eu,us", ','), (Parts{"eu", "us"}));
  EXPECT_EQ(split("eu", ','), Parts{"eu"});
  EXPECT_EQ(split(",eu,,us,", ','), (Parts{"", "eu", "", "us"}));
  EXPECT_EQ(split("", ','), Parts{});
}

TEST(ParseNumber, takes_nothing_but_a_number) {
  EXPECT_EQ(parse_number("17"), 17);
  EXPECT_EQ(parse_number("-3"), -3);
  for (const char* text : {"", "x", "1x", " 1", "9223372036854775808"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(LastLine, is_the_last_one_that_says_something) {
  EXPECT_EQ(last_line("a\nb\n\n \n"), "b");
  EXPECT_EQ(last_line("only"), "only");
  EXPECT_EQ(last_line("\r\n"), "");
}

}  // namespace
}  // namespace cronce
