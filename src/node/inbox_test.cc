#include "node/inbox.h"

#include <poll.h>

#include <thread>

#include <gtest/gtest.h>

namespace cronce {
namespace {

bool is_readable(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return poll(&one, 1, 0) == 1;
}

TEST(Inbox, IsReadableAsLongAsSomethingLiesInIt) {
  Inbox<int> inbox;
  EXPECT_FALSE(is_readable(inbox.fd()));
  inbox.put(1);
  inbox.put(2);
  EXPECT_TRUE(is_readable(inbox.fd()));
  EXPECT_EQ(inbox.take_all(), (std::vector{1, 2}));
  EXPECT_FALSE(is_readable(inbox.fd()));
  inbox.put(3);
  EXPECT_TRUE(is_readable(inbox.fd()));
}

TEST(Inbox, LosesNothingBetweenThreads) {
  constexpr int kEach = 10'000;
  Inbox<int> inbox;
  const auto fill = [&] {
    for (int i = 0; i < kEach; ++i) inbox.put(i);
  };
  std::thread one(fill);
  std::thread two(fill);
  int taken = 0;
  while (taken < 2 * kEach) {
    pollfd ready{inbox.fd(), POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, 60'000), 1) << "something was put and nobody was told";
    taken += static_cast<int>(inbox.take_all().size());
  }
  one.join();
  two.join();
  EXPECT_TRUE(inbox.take_all().empty());
}

TEST(Orders, AreTakenInTheirOrder) {
  Orders<int> orders;
  orders.put(1);
  orders.put(2);
  EXPECT_EQ(orders.take(), 1);
  EXPECT_EQ(orders.take(), 2);
}

TEST(Orders, ThatNobodyWaitsForAreDropped) {
  Orders<int> orders;
  for (int i = 1; i <= 4; ++i) orders.put(i);
  orders.drop_if([](int i) { return i % 2 == 1; });
  EXPECT_EQ(orders.take(), 2);
  EXPECT_EQ(orders.take(), 4);
}

TEST(Orders, EndForWhoWaits) {
  Orders<int> orders;
  std::thread waiting([&] { EXPECT_EQ(orders.take(), std::nullopt); });
  orders.close();
  waiting.join();
  orders.put(1);
  EXPECT_EQ(orders.take(), std::nullopt);
}

}  // namespace
}  // namespace cronce
