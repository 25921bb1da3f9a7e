#include "node/mark_file.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
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

  /// The n-th minute's.
  static Claim claim(int minute) {
    const Time slot{std::chrono::minutes{minute}};
    Claim made;
    made.run = {JobUid{7}, Space::slot, slot, "", Attempt{1}};
    made.incarnation = {{3, 4}};
    made.fence = Fence{static_cast<std::uint64_t>(minute)};
    made.key = "job@" + std::to_string(minute);
    made.due = made.claimed_at = slot;
    return made;
  }

  std::vector<Claim> claims_of(const std::string& node) const {
    return MarkFile(folder_.path(), kStore, node).read_claims();
  }

  static constexpr StoreId kStore{{1, 2}};
  Scratch folder_;
};

TEST_F(MarkFileTest, ComesBackAsItWas) {
  MarkFile file(folder_.path(), kStore, "a");
  EXPECT_EQ(file.read(), std::nullopt);
  ASSERT_TRUE(file.keep(mark(2, 17), {}).ok());
  EXPECT_EQ(file.read(), mark(2, 17));
}

TEST_F(MarkFileTest, TheFarthestOfAllNodesCounts) {
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 99), {}).ok());
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "b").keep(mark(2, 3), {}).ok());
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "c").keep(mark(2, 2), {}).ok());
  EXPECT_EQ(MarkFile(folder_.path(), kStore, "d").read(), mark(2, 3));
  EXPECT_EQ(MarkFile(folder_.path(), StoreId{{3, 4}}, "a").read(), std::nullopt) << "another store";
}

TEST_F(MarkFileTest, ClaimsComeBackToTheNodeThatMadeThem) {
  MarkFile file(folder_.path(), kStore, "a");
  ASSERT_TRUE(file.keep(mark(1, 1), {claim(1), claim(2)}).ok());
  ASSERT_TRUE(file.keep(mark(1, 2), {}).ok());
  ASSERT_TRUE(file.keep(mark(1, 3), {claim(3)}).ok());
  EXPECT_EQ(claims_of("a"), (std::vector{claim(1), claim(2), claim(3)}));
  EXPECT_EQ(claims_of("b"), std::vector<Claim>{}) << "who may live, and tells them itself";
}

TEST_F(MarkFileTest, ClaimsOfTheLastHourAreKeptHoweverOftenAProcessStarts) {
  for (int minute = 0; minute < 300; ++minute) {
    ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 1), {claim(minute)}).ok());
  }
  const auto claims = claims_of("a");
  EXPECT_EQ(claims.back(), claim(299));
  EXPECT_LE(claims.front().claimed_at, claim(239).claimed_at);
  EXPECT_GE(claims.front().claimed_at, claim(170).claimed_at) << "older ones go";
}

TEST_F(MarkFileTest, HalfALineCostsOneClaim) {
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 1), {claim(1), claim(2)}).ok());
  const std::string path = fmt::format("{}/claims/{}/a/now", folder_.path(), print(kStore));
  fs::resize_file(path, fs::file_size(path) - 9);
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 2), {claim(3)}).ok());
  EXPECT_EQ(claims_of("a"), (std::vector{claim(1), claim(3)}));
}

TEST_F(MarkFileTest, WhatCannotBeReadIsPassedOver) {
  ASSERT_TRUE(MarkFile(folder_.path(), kStore, "a").keep(mark(1, 5), {}).ok());
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    if (entry.is_regular_file()) std::ofstream(entry.path().string() + "-torn") << "{\"epo";
  }
  EXPECT_EQ(MarkFile(folder_.path(), kStore, "a").read(), mark(1, 5));
}

}  // namespace
}  // namespace cronce
