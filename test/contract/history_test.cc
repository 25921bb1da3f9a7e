// Random histories of three clients: every answer must be explainable by some order of the calls.
#include "test/contract/history.h"

#include <cstdio>

#include <gtest/gtest.h>

#include "test/contract/linear.h"

namespace cronce::contract {
namespace {

constexpr std::uint64_t kSeeds = 60;
constexpr std::size_t kSteps = 400;

class Histories : public ::testing::TestWithParam<StoreRow> {};

TEST_P(Histories, can_be_explained) {
  History total;
  std::size_t calls = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const History history = record_history(GetParam(), seed, kSteps);
    const Verdict verdict = explain(history.beginning, history.calls);
    EXPECT_TRUE(verdict.explained) << "after " << verdict.longest << " of " << history.calls.size()
                                   << " calls, none of: " << verdict.stuck_at;
    for (const std::string& wrong : history.broken) ADD_FAILURE() << wrong;
    calls += history.calls.size();
    total.claims += history.claims;
    total.unknown += history.unknown;
    total.found_applied += history.found_applied;
    total.arrived_late += history.arrived_late;
  }
  std::printf("calls %zu, claims %zu, unknown %zu (applied %zu), arrived late %zu\n", calls,
              total.claims, total.unknown, total.found_applied, total.arrived_late);
  EXPECT_GT(calls, 5'000U);
  EXPECT_GT(total.claims, 500U);
  EXPECT_GT(total.found_applied, 100U);
  EXPECT_GT(total.arrived_late, 100U);
}

INSTANTIATE_TEST_SUITE_P(Store, Histories, ::testing::ValuesIn(stores().begin(), stores().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

struct Mutant {
  Lie lie;
  const char* name;
};

class Mutants : public ::testing::TestWithParam<Mutant> {};

TEST_P(Mutants, are_caught) {
  std::size_t caught = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const History history = record_history(stores()[0], seed, kSteps, GetParam().lie);
    if (!explain(history.beginning, history.calls).explained) ++caught;
  }
  std::printf("caught by %zu of %zu seeds\n", caught, static_cast<std::size_t>(kSeeds));
  EXPECT_GT(caught, kSeeds / 4);
}

INSTANTIATE_TEST_SUITE_P(Planted, Mutants,
                         ::testing::Values(Mutant{Lie::second_claim, "second_claim"},
                                           Mutant{Lie::old_fence, "old_fence"},
                                           Mutant{Lie::deaf_finish, "deaf_finish"},
                                           Mutant{Lie::early_end, "early_end"},
                                           Mutant{Lie::no_lanes, "no_lanes"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace cronce::contract
