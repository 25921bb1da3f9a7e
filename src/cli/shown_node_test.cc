#include "cli/shown_node.h"

#include <gtest/gtest.h>

#include "store/inspect.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

/// One that beat when its machine had been up for so long.
Node beaten_at(Duration boot) {
  Node node;
  node.lease = 60s;
  node.wall = Time{1'000h};
  node.clock_reading = node.wall->time_since_epoch() - boot;
  return node;
}

TEST(IsSilent, is_who_was_not_heard_of_for_half_a_lease) {
  EXPECT_FALSE(is_silent(beaten_at(10min), Duration{10min + 30s}));
  EXPECT_TRUE(is_silent(beaten_at(10min), Duration{10min + 31s}));
  EXPECT_FALSE(is_silent(beaten_at(10min), Duration{10min - 1s}));  // read a moment before
}

// Its host has been up for a day, this one for an hour.
TEST(IsSilent, is_told_by_the_servers_time_where_nodes_are_elsewhere) {
  const Time now = *beaten_at(24h).wall + 31s;
  std::vector<Node> nodes{beaten_at(24h), beaten_at(24h), beaten_at(24h)};
  nodes[1].wall = now - 5s;
  nodes[2].wall = now + 90s;
  see_from_here(nodes, now, 1h);
  EXPECT_TRUE(is_silent(nodes[0], Duration{1h}));
  EXPECT_EQ(silence(nodes[1], Duration{1h}), Duration{5s});
  EXPECT_EQ(silence(nodes[2], Duration{1h}), Duration{0});
  EXPECT_EQ(nodes[2].clock_reading - nodes[1].clock_reading, Duration{90s});
}

// After a start of the machine its boot clock is behind what dead nodes said last.
TEST(IsSilent, is_who_beat_before_the_machine_was_started) {
  EXPECT_TRUE(is_silent(beaten_at(48h), Duration{2min}));
  EXPECT_TRUE(is_silent(beaten_at(48h), Duration{5s}));
}

}  // namespace
}  // namespace cronce
