#include "node/turns.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

Telling telling(const std::string& address, const std::string& key) {
  return {JobUid{7}, {"failed", {}}, "webhook", address, key};
}

std::string key_of(const std::optional<Telling>& telling) {
  return telling ? telling->key : "nothing";
}

TEST(Turns, tell_each_receiver_one_at_a_time_and_in_order) {
  Turns turns;
  EXPECT_TRUE(turns.empty());
  turns.add(telling("a", "a1"));
  turns.add(telling("a", "a2"));
  turns.add(telling("b", "b1"));
  const auto a1 = turns.take();
  EXPECT_EQ(key_of(a1), "a1");
  EXPECT_EQ(key_of(turns.take()), "b1");
  EXPECT_EQ(key_of(turns.take()), "nothing") << "both are busy";
  turns.done(*a1);
  EXPECT_EQ(key_of(turns.take()), "a2");
}

TEST(Turns, go_to_who_was_told_nothing_for_longest) {
  Turns turns;
  for (const char* key : {"a1", "a2"}) turns.add(telling("a", key));
  const auto a1 = turns.take();
  turns.add(telling("b", "b1"));
  turns.done(*a1);
  EXPECT_EQ(key_of(turns.take()), "b1");
  EXPECT_EQ(key_of(turns.take()), "a2");
}

TEST(Turns, know_what_is_on_its_way) {
  Turns turns;
  turns.add(telling("a", "a1"));
  turns.add(telling("a", "a1"));
  const auto a1 = turns.take();
  turns.add(telling("a", "a1"));
  EXPECT_TRUE(turns.has("a1"));
  EXPECT_FALSE(turns.empty());
  turns.done(*a1);
  EXPECT_FALSE(turns.has("a1"));
  EXPECT_TRUE(turns.empty());
  EXPECT_EQ(key_of(turns.take()), "nothing");
  turns.add(telling("a", "a1"));
  EXPECT_EQ(key_of(turns.take()), "a1") << "once more: it was not told";
}

TEST(Turns, two_ways_to_one_address_are_two_receivers) {
  Turns turns;
  turns.add(telling("a", "a1"));
  Telling mail = telling("a", "mail");
  mail.way = "mail";
  turns.add(mail);
  EXPECT_TRUE(turns.take() && turns.take());
}

}  // namespace
}  // namespace cronce
