#include "base/utf8.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(Utf8, keeps_what_is_right) {
  for (const std::string_view text :
       {"", "plain", "K\xc3\xa4se", "\xe2\x82\xac", "\xf0\x9f\x95\x91"}) {
    EXPECT_EQ(as_utf8(text), text);
  }
  EXPECT_EQ(as_utf8(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
}

TEST(Utf8, replaces_each_byte_that_is_no_part_of_a_character) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(as_utf8("K\xe4se"), "K" + mark + "se") << "Latin-1";
  EXPECT_EQ(as_utf8("\xc3"), mark) << "cut off";
  EXPECT_EQ(as_utf8("\xc0\xaf"), mark + mark) << "overlong";
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), mark + mark + mark) << "a surrogate";
  EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark) << "beyond Unicode";
}

}  // namespace
}  // namespace cronce
