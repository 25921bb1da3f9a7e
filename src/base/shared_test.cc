#include "base/shared.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/seldom.h"

namespace cronce {
namespace {

/// Counts how many of it there are.
struct Counted {
  static inline int alive = 0;
  explicit Counted(int v) : value(v) { ++alive; }
  Counted(const Counted& other) : value(other.value) { ++alive; }
  ~Counted() { --alive; }
  Counted& operator=(const Counted&) = default;
  bool operator==(const Counted&) const = default;
  int value;
};

TEST(Shared, is_one_value_until_it_is_edited) {
  Shared<std::string> one = "a";
  Shared<std::string> other = one;
  EXPECT_EQ(&*one, &*other);
  other.edit() += "b";
  EXPECT_EQ(one, "a");
  EXPECT_EQ(other, "ab");
  EXPECT_NE(one, other);
  EXPECT_EQ(other, Shared<std::string>("ab"));
}

TEST(Shared, keeps_nothing_that_is_a_default) {
  static_assert(sizeof(Shared<std::string>) == sizeof(void*));
  Shared<std::string> text = "a";
  text = "";
  EXPECT_EQ(&*text, &*Shared<std::string>());
  EXPECT_EQ(text, "");
  text.edit() = "b";
  EXPECT_EQ(*Shared<std::string>(), "");
}

TEST(Shared, lets_its_value_go_with_the_last_holder) {
  {
    Shared<Counted> one(Counted(1));
    const Shared<Counted> other = one;
    EXPECT_EQ(Counted::alive, 1);
    one = Shared<Counted>(Counted(2));
    EXPECT_EQ(Counted::alive, 2);
    one.edit().value = 3;
    EXPECT_EQ(Counted::alive, 2);
    one = Shared<Counted>(one);
    EXPECT_EQ(one->value, 3);
    EXPECT_EQ(other->value, 1);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Shared, is_held_and_let_go_by_many_threads) {
  {
    const Shared<Counted> first(Counted(1));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([mine = first] {
        for (int round = 0; round < 1'000; ++round) {
          Shared<Counted> copy = mine;
          const Shared<Counted> moved = std::move(copy);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Counted::alive, 1);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Seldom, is_an_optional) {
  static_assert(sizeof(Seldom<std::string>) == sizeof(void*));
  Seldom<std::string> none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none, Seldom<std::string>(std::nullopt));
  Seldom<std::string> some = std::string("a");
  EXPECT_TRUE(some.has_value());
  const Seldom<std::string> copy = some;
  *some += "b";
  EXPECT_EQ(*some, "ab");
  EXPECT_EQ(some, std::string("ab"));
  EXPECT_EQ(*copy, "a");
  EXPECT_NE(some, copy);
  EXPECT_NE(some, none);
  EXPECT_NE(none, std::string());
  some.reset();
  EXPECT_EQ(some, none);
  some = copy;
  EXPECT_EQ(some->size(), 1U);
}

}  // namespace
}  // namespace cronce
