#include "store/embedded/trail.h"

#include <gtest/gtest.h>

namespace cronce::embedded {
namespace {

TEST(Trail, knows_the_writes_that_led_to_it_and_no_others) {
  std::string trail;
  EXPECT_TRUE(leads_from(last_word(trail), trail));
  trail = extend_trail(trail, 7);
  const std::string seventh = last_word(trail);
  EXPECT_EQ(seventh.substr(0, 2), "7.");
  const std::string here = extend_trail(trail, 8);
  const std::string there = extend_trail(trail, 8);
  EXPECT_TRUE(leads_from(seventh, here));
  EXPECT_TRUE(leads_from(seventh, there));
  EXPECT_TRUE(leads_from(last_word(here), here));
  EXPECT_FALSE(leads_from(last_word(here), there));
}

TEST(Trail, forgets_what_is_long_ago) {
  std::string trail = extend_trail("", 1);
  const std::string first = last_word(trail);
  for (std::uint64_t position = 2; position <= 64; ++position) {
    trail = extend_trail(trail, position);
    EXPECT_TRUE(leads_from(first, trail));
  }
  EXPECT_FALSE(leads_from(first, extend_trail(trail, 65)));
}

}  // namespace
}  // namespace cronce::embedded
