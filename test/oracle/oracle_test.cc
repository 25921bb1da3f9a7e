// The program against the oracle.
//
// Environment: CRONCE_CASES (random cases, default 100,000), CRONCE_SEED.
// `--expect-red=N` turns the judgement round, for builds with a planted fault: the run succeeds
// when the random cases and the grid each have at least N differing cases.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "test/oracle/compare.h"

namespace oracle {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

std::uint64_t seed() { return from_environment("CRONCE_SEED", 20260329); }
std::uint64_t random_cases() { return from_environment("CRONCE_CASES", 100'000); }

// Afterwards the process's own zone has DST, too: a schedule that secretly looked at TZ, which is
// how a job in UTC comes to stumble over London's transitions, would be found out.
std::vector<Zone> build_all_zones() {
  std::vector<Zone> zones;
  for (const std::string& name : zone_names()) zones.emplace_back(name);
  setenv("TZ", ":Europe/London", 1);
  tzset();
  return zones;
}

const std::vector<Zone>& all_zones() {
  static const std::vector<Zone> kZones = build_all_zones();
  return kZones;
}

void print_figures(const char* what, const Tally& tally) {
  std::printf(
      "%s: %llu cases, %llu within 3 h of a transition (%.1f %%), %llu slots, %llu differ\n", what,
      static_cast<unsigned long long>(tally.cases), static_cast<unsigned long long>(tally.near),
      100.0 * static_cast<double>(tally.near) / static_cast<double>(tally.cases),
      static_cast<unsigned long long>(tally.slots),
      static_cast<unsigned long long>(tally.differing));
  std::fflush(stdout);
}

void expect_equal(const char* what, const Tally& tally) {
  print_figures(what, tally);
  for (const std::string& example : tally.examples) std::printf("  %s\n", example.c_str());
  EXPECT_EQ(tally.differing, 0U) << "seed " << seed();
}

TEST(OracleTest, RandomCases) {
  const Tally tally = compare_random(all_zones(), seed(), random_cases());
  expect_equal("random", tally);
  EXPECT_EQ(tally.cases, random_cases());
  EXPECT_GE(tally.near * 5, tally.cases) << "at least a fifth must lie near a transition";
}

TEST(OracleTest, EveryTransitionEveryShape) {
  std::size_t transitions = 0;
  for (const Zone& zone : all_zones()) transitions += zone.transitions(0, kEndOf2037).size();
  std::printf("%zu zones and links, %zu transitions from 1970 to 2037\n", all_zones().size(),
              transitions);
  EXPECT_GE(transitions, 20'000U);
  expect_equal("grid", compare_grid(all_zones()));
}

TEST(OracleTest, Counts) {
  expect_equal("counts", compare_counts(all_zones(), seed() + 1, random_cases() / 10));
}

bool is_red(const char* what, const Tally& tally, std::uint64_t least) {
  print_figures(what, tally);
  if (!tally.examples.empty()) std::printf("  %s\n", tally.examples.front().c_str());
  return tally.differing >= least;
}

/// A fault that a few zones do not show is not planted well.
std::vector<Zone> few_zones() {
  constexpr std::size_t kEach = 8;
  std::vector<Zone> few;
  for (std::size_t i = 0; i < all_zones().size(); i += kEach) few.push_back(all_zones()[i]);
  return few;
}

int expect_red(std::uint64_t least) {
  const std::vector<Zone> zones = few_zones();
  const bool random = is_red("random", compare_random(zones, seed(), random_cases() / 2), least);
  const bool grid = is_red("grid", compare_grid(zones), least);
  std::printf("%s\n",
              random && grid ? "the fault was seen" : "the fault was NOT seen often enough");
  return random && grid ? 0 : 1;
}

}  // namespace
}  // namespace oracle

int main(int argc, char** argv) {
  constexpr std::string_view kFlag = "--expect-red=";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(kFlag))
      return oracle::expect_red(std::stoull(argument.substr(kFlag.size())));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
