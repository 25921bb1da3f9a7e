#include "base/rng.h"

#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(Rng, gives_the_published_sequence_of_xoshiro256_with_splitmix64) {
  Rng zero(0);
  EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(zero.next(), 0xbf6e1f784956452aU);
  EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0U);
  EXPECT_EQ(Rng(42).next(), 0x15780b2e0c2ec716U);
}

TEST(Rng, stays_below_its_bound_and_reaches_every_value) {
  Rng rng(1);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7'000; ++i) ++seen.at(rng.below(7));
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 850);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, draws_from_both_ends_of_a_range) {
  Rng rng(1);
  std::array<bool, 5> seen{};
  for (int i = 0; i < 100; ++i) seen.at(static_cast<std::size_t>(rng.between(-2, 2) + 2)) = true;
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](bool drawn) { return drawn; }));
  EXPECT_EQ(rng.between(5, 5), 5);
}

TEST(Rng, draws_from_the_whole_range_of_numbers) {
  using Limits = std::numeric_limits<std::int64_t>;
  Rng rng(1);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    (rng.between(Limits::min(), Limits::max()) < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Rng, takes_a_chance_in_percent) {
  Rng rng(1);
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) taken += rng.chance(30) ? 1 : 0;
  EXPECT_NEAR(taken, 3'000, 200);
  EXPECT_FALSE(rng.chance(0));
  EXPECT_TRUE(rng.chance(100));
}

TEST(RngDeathTest, refuses_an_empty_range) {
  Rng rng(1);
  EXPECT_DEATH(rng.below(0), "does not hold");
  EXPECT_DEATH(rng.between(2, 1), "does not hold");
}

TEST(RandomSeed, differs_from_call_to_call) { EXPECT_NE(random_seed(), random_seed()); }

}  // namespace
}  // namespace cronce
