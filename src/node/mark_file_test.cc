#include "node/mark_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace cronce {
namespace {

namespace fs = std::filesystem;

class MarkFileTest : public testing::Test {
 protected:
  MarkFileTest() {
    std::string pattern = fs::temp_directory_path().string() + "/cronce-mark-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Mark mark(std::uint64_t epoch, std::uint64_t position) {
    return {kStore, Epoch{epoch}, position, Time{Duration{1'000}}};
  }

  static constexpr StoreId kStore{{1, 2}};
  std::string folder_;
};

TEST_F(MarkFileTest, ComesBackAsItWas) {
  const MarkFile file(folder_, kStore, "a");
  EXPECT_EQ(file.read(), std::nullopt);
  ASSERT_TRUE(file.keep(mark(2, 17)).ok());
  EXPECT_EQ(file.read(), mark(2, 17));
}

TEST_F(MarkFileTest, TheFarthestOfAllNodesCounts) {
  ASSERT_TRUE(MarkFile(folder_, kStore, "a").keep(mark(1, 99)).ok());
  ASSERT_TRUE(MarkFile(folder_, kStore, "b").keep(mark(2, 3)).ok());
  ASSERT_TRUE(MarkFile(folder_, kStore, "c").keep(mark(2, 2)).ok());
  EXPECT_EQ(MarkFile(folder_, kStore, "d").read(), mark(2, 3));
  EXPECT_EQ(MarkFile(folder_, StoreId{{3, 4}}, "a").read(), std::nullopt) << "another store";
}

TEST_F(MarkFileTest, WhatCannotBeReadIsPassedOver) {
  ASSERT_TRUE(MarkFile(folder_, kStore, "a").keep(mark(1, 5)).ok());
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (entry.is_regular_file()) std::ofstream(entry.path().string() + "-torn") << "{\"epo";
  }
  EXPECT_EQ(MarkFile(folder_, kStore, "a").read(), mark(1, 5));
}

}  // namespace
}  // namespace cronce
