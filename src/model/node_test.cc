#include "model/node.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(Knowledge, is_newer_by_the_program_and_then_by_the_zone_data) {
  struct Row {
    Knowledge older, newer;
  };
  for (const Row& row : {
           Row{{"1.9.0", "2026a"}, {"1.10.0", "2026a"}},     // numbers, not text
           Row{{"1.2", "2026a"}, {"1.2.1", "2026a"}},        // more numbers are newer
           Row{{"1.2.3", "2026b"}, {"2.0.0", "2025a"}},      // the program comes first
           Row{{"1.2.3", "2025b"}, {"1.2.3", "2026a"}},      // of equal ones the zone data
           Row{{"1.2.3-rc1", "2025b"}, {"1.2.3", "2026a"}},  // what follows the numbers is not read
           Row{{"", ""}, {"0.1.0", ""}},                     // somebody who never said
           Row{{"nightly", "2026a"}, {"1.0.0", "2026a"}},    // not a number at all
       }) {
    SCOPED_TRACE(row.older.version + " " + row.older.zone_data);
    EXPECT_TRUE(is_newer(row.newer, row.older));
    EXPECT_FALSE(is_newer(row.older, row.newer));
  }
}

TEST(Knowledge, that_is_equal_is_not_newer) {
  for (const auto& [a, b] : std::vector<std::pair<Knowledge, Knowledge>>{
           {{"1.2.3", "2026a"}, {"1.2.3", "2026a"}},
           {{"1.2.3-g0123abc", "2026a"}, {"1.2.3-dirty", "2026a"}},
           {{}, {}},
       }) {
    EXPECT_FALSE(is_newer(a, b));
    EXPECT_FALSE(is_newer(b, a));
  }
}

TEST(Knowledge, of_a_node_is_compared_as_a_whole) {
  Node node;
  node.version = "1.10.0";
  node.zone_data = "2026a";
  EXPECT_EQ(knowledge_of(node), (Knowledge{"1.10.0", "2026a"}));
  struct Row {
    Knowledge than;
    bool more, less;
  };
  for (const Row& row :
       {Row{{"1.10.0", "2026a"}, false, false}, Row{{"1.9.0", "2026b"}, true, false},
        Row{{"1.10.0", "2026b"}, false, true}, Row{{}, true, false}}) {
    SCOPED_TRACE(row.than.version + " " + row.than.zone_data);
    EXPECT_EQ(knows_more(node, row.than), row.more);
    EXPECT_EQ(knows_less(node, row.than), row.less);
  }
}

}  // namespace
}  // namespace cronce
