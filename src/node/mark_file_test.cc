#include "node/mark_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "test/support/scratch.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

class MarkFileTest : public testing::Test {
 protected:
  static Mark mark(std::uint64_t epoch, std::uint64_t position) {
    return {kStore, Epoch{epoch}, position, Time{Duration{1'000}}};
  }

  static constexpr StoreId kStore{{1, 2}};
  Scratch folder_;
};

TEST_F(MarkFileTest, ComesBackAsItWas) {
  const MarkFile file(folder_.path(), kStore, "a");
  EXPECT_EQ(file.read(), std::nullopt);
  ASSERT_TRUE(file.keep(mark(2, 17)).ok());
  EXPECT_EQ(file.read(), mark(2, 17));
}

TEST_F(MarkFileTest, TheFarthestOfAllNodesCounts) {
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 99)).ok());
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "b").keep(mark(2, 3)).ok());
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "c").keep(mark(2, 2)).ok());
  EXPECT_EQ(MarkFile(folder_.path(), kStore, "d").read(), mark(2, 3));
  EXPECT_EQ(MarkFile(folder_.path(), StoreId{{3, 4}}, "a").read(), std::nullopt) << "another store";
}

TEST_F(MarkFileTest, WhatCannotBeReadIsPassedOver) {
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 5)).ok());
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    if (entry.is_regular_file()) std::ofstream(entry.path().string() + "-torn") << "{\"epo";
  }
  EXPECT_EQ(MarkFile(folder_.path(), kStore, "a").read(), mark(1, 5));
}

}  // namespace
}  // namespace cronce
