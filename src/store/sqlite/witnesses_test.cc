#include "store/sqlite/witnesses.h"

#include <gtest/gtest.h>

#include "test/support/manual_clock.h"

namespace cronce::sqlite {
namespace {

using namespace std::chrono_literals;

TEST(Witnesses, of_one_host_are_gone_by_their_lower_median) {
  EXPECT_EQ(judge({}, 7s, {}).reading, 7s);
  EXPECT_EQ(judge({5s}, 5s, {}).reading, 5s);
  EXPECT_EQ(judge({6s, 5s}, 5s, {}).reading, 5s);
  EXPECT_EQ(judge({9000s, 5s, 6s}, 5s, {}).reading, 6s);
  EXPECT_EQ(judge({9000s, 5s, 6s, 7s}, 5s, {}).reading, 6s);
}

TEST(Witnesses, that_are_farther_than_the_budget_decide_nothing) {
  EXPECT_FALSE(judge({5s, 6s, 7s}, 7s, {}).disputed);
  EXPECT_FALSE(judge({5s, 6s, 8s}, 8s, {}).disputed);
  EXPECT_TRUE(judge({5s, 6s, 8001ms}, 8001ms, {}).disputed);
  EXPECT_FALSE(judge({5s, 6s, 9000s}, 5s, {}).disputed);
  EXPECT_TRUE(judge({5s}, 9000s, {}).disputed);  // a newcomer
}

TEST(Witnesses, that_are_two_and_disagree_wait_for_a_person) {
  EXPECT_TRUE(judge({5s, 9s}, 5s, {}).disputed);
  EXPECT_TRUE(judge({5s, 9s}, 9s, {}).disputed);
  EXPECT_FALSE(judge({5s, 9s}, 5s, 5s).disputed);
  EXPECT_TRUE(judge({5s, 9s}, 9s, 5s).disputed);
  EXPECT_EQ(judge({5s, 9s}, 9s, 9s).reading, 9s);
  EXPECT_TRUE(judge({5s, 9s}, 9s, 100s).disputed);  // said of another time
}

TEST(Witnesses, make_a_step_of_one_nodes_clock_harmless) {
  ManualClock clock(Time{1000s}, 100s);
  embedded::Tables tables;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    Node node;
    node.incarnation = Incarnation{{i, i}};
    node.clock_reading = 900s;
    tables.nodes.emplace(node.incarnation, embedded::NodeRow{node});
  }
  const Incarnation self{{1, 1}};
  const WitnessClock witnesses(clock);
  EXPECT_EQ(witnesses.now(tables, self).now, Time{1000s});
  clock.advance(10s);
  clock.set(Time{4610s});
  EXPECT_EQ(witnesses.now(tables, self).now, Time{1010s});
  EXPECT_TRUE(witnesses.now(tables, self).disputed);
  tables.nodes.begin()->second.ended = true;
  EXPECT_EQ(witnesses.now(tables, self).now, Time{1010s});
}

}  // namespace
}  // namespace cronce::sqlite
