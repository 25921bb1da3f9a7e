#include "model/node.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(Knowledge, of_a_newer_program_is_newer_whatever_its_zone_data) {
  EXPECT_TRUE(is_newer({"0.2.0", "2024a"}, {"0.1.9", "2025b"}));
  EXPECT_FALSE(is_newer({"0.1.9", "2025b"}, {"0.2.0", "2024a"}));
}

TEST(Knowledge, of_equal_programs_is_newer_by_zone_data) {
  EXPECT_TRUE(is_newer({"0.1.0", "2025b"}, {"0.1.0", "2025a"}));
  EXPECT_FALSE(is_newer({"0.1.0", "2025a"}, {"0.1.0", "2025a"}));
}

TEST(Knowledge, compares_numbers_and_not_digits) {
  EXPECT_TRUE(is_newer({"0.10.0", ""}, {"0.9.9", ""}));
  EXPECT_TRUE(is_newer({"1.0.1", ""}, {"1.0", ""}));
  EXPECT_FALSE(is_newer({"1.2.3-rc1", ""}, {"1.2.3", ""}));  // whatever stands after them
}

TEST(Knowledge, of_nobody_is_older_than_any) {
  EXPECT_TRUE(is_newer({"0.1.0", "2025b"}, {}));
  EXPECT_FALSE(is_newer({}, {}));
}

TEST(Knowledge, is_what_the_node_says) {
  Node node;
  node.version = "0.1.0";
  node.zone_data = "2025b";
  EXPECT_EQ(knowledge_of(node), (Knowledge{"0.1.0", "2025b"}));
}

}  // namespace
}  // namespace cronce
