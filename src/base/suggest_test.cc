#include "base/suggest.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace cronce {
namespace {

constexpr std::array<std::string_view, 6> kKeys{"schedule", "timezone", "timeout",
                                                "retries",  "on",       "env"};

TEST(Suggest, finds_the_nearest_word) {
  struct Case {
    std::string_view word;
    std::string_view nearest;
  };
  for (const auto& [word, nearest] : {
           Case{"schedule", "schedule"},
           Case{"SCHEDULE", "schedule"},   // case does not count
           Case{"shedule", "schedule"},    // a letter missing
           Case{"scheduule", "schedule"},  // one too many
           Case{"schedula", "schedule"},   // a wrong one
           Case{"shcedule", "schedule"},   // neighbours swapped: one edit
           Case{"time_out", "timeout"},
           Case{"timezon", "timezone"},
           Case{"retires", "retries"},
           Case{"no", "on"},
           Case{"evn", "env"},
       }) {
    const auto found = suggest(word, kKeys);
    ASSERT_TRUE(found) << word;
    EXPECT_EQ(*found, nearest) << word;
  }
}

TEST(Suggest, keeps_quiet_when_nothing_is_near) {
  for (const std::string_view word : {"", "command", "x", "zzz", "schedxxxx"}) {
    EXPECT_FALSE(suggest(word, kKeys)) << word;
  }
  EXPECT_FALSE(suggest("schedule", {}));
}

TEST(Suggest, prefers_the_first_of_equals) {
  constexpr std::array<std::string_view, 2> kWords{"bat", "cat"};
  EXPECT_EQ(suggest("rat", kWords), "bat");
}

TEST(Suggest, ignores_words_of_absurd_length) {
  const std::string longest(64, 'a');
  const std::string too_long(65, 'a');
  const std::array<std::string_view, 2> words{too_long, longest};
  EXPECT_EQ(suggest(longest, words), longest);
  EXPECT_FALSE(suggest(too_long, words));
}

}  // namespace
}  // namespace cronce
