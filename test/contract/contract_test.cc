// Every rule of docs/store-contract.md on every store, as it is and through every fault.
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "test/contract/failures.h"
#include "test/contract/lying_store.h"
#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

using Case = std::tuple<StoreRow, Rule>;

bool can_show(const StoreRow& store, const Rule& rule) {
  return !rule.forgets || store.image != nullptr;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const StoreRow& store : stores()) {
    for (const Rule& rule : all_rules()) {
      if (can_show(store, rule)) cases.emplace_back(store, rule);
    }
  }
  return cases;
}

/// What one run of a rule showed.
struct Shown {
  std::size_t calls = 0;
  std::size_t failures = 0;
  std::size_t unknown_claims = 0;
};

struct Planned {
  std::size_t call = 0;
  Fault fault = Fault::fail;
};

/// A rule that goes on after a failure may run into what is not there: that is a failure as well.
Shown run_once(const StoreRow& store, const Rule& rule, const std::vector<Planned>& faults,
               Settling settling = Settling::as_protocol) {
  World world(store, settling);
  for (const Planned& planned : faults) world.faulty().plan(planned.call, planned.fault);
  try {
    rule.check(world);
  } catch (const std::exception& e) {
    ADD_FAILURE() << rule.name << ": " << e.what();
  }
  const std::size_t calls = world.faulty().calls();
  world.end();
  return {calls, 0, world.unknown_claims()};
}

/// The same, with failures counted and not reported.
Shown run_quietly(const StoreRow& store, const Rule& rule, const std::vector<Planned>& faults,
                  Settling settling = Settling::as_protocol) {
  Shown outcome;
  outcome.failures = count_failures([&] { outcome = run_once(store, rule, faults, settling); });
  return outcome;
}

class Contract : public ::testing::TestWithParam<Case> {};

TEST_P(Contract, holds) {
  const auto& [store, rule] = GetParam();
  run_once(store, rule, {});
}

TEST_P(Contract, holds_whatever_happens_to_one_call) {
  const auto& [store, rule] = GetParam();
  const std::size_t calls = run_once(store, rule, {}).calls;
  std::size_t variants = 0;
  for (std::size_t call = 1; call <= calls; ++call) {
    for (const Fault fault : kFaults) {
      SCOPED_TRACE(std::string(word(fault)) + " at call " + std::to_string(call));
      run_once(store, rule, {{call, fault}});
      ++variants;
    }
  }
  std::printf("%s on %s: calls %zu, variants %zu\n", rule.number().c_str(),
              std::string(store.name).c_str(), calls, variants);
  EXPECT_EQ(variants, 5 * calls);
}

/// One of the five for each call, for stores on which all of them take long.
TEST_P(Contract, holds_when_a_call_goes_wrong) {
  const auto& [store, rule] = GetParam();
  const std::size_t calls = run_once(store, rule, {}).calls;
  const auto first = static_cast<std::size_t>(rule.number().back());
  for (std::size_t call = 1; call <= calls; ++call) {
    const Fault fault = kFaults.at((first + call) % kFaults.size());
    SCOPED_TRACE(std::string(word(fault)) + " at call " + std::to_string(call));
    run_once(store, rule, {{call, fault}});
  }
}

/// On a slow store each call meets one pair of faults, another at each call.
bool is_met(Fault first, Fault second, std::size_t call) {
  return first == kFaults.at(call % kFaults.size()) &&
         second == kFaults.at(call / kFaults.size() % kFaults.size());
}

/// After an unknown write come one of the other lane and the settling one: that one is hit as well.
TEST_P(Contract, holds_when_the_settling_write_is_hit_too) {
  const auto& [store, rule] = GetParam();
  const std::size_t calls = run_once(store, rule, {}).calls;
  for (std::size_t call = 1; call <= calls; ++call) {
    for (const Fault first : kFaults) {
      for (const Fault second : kFaults) {
        if (store.slow && !is_met(first, second, call)) continue;
        SCOPED_TRACE(std::string(word(first)) + ", then " + std::string(word(second)) +
                     " at call " + std::to_string(call));
        run_once(store, rule, {{call, first}, {call + 2, second}});
      }
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<Case>& tested) {
  const auto& [store, rule] = tested.param;
  return std::string(store.name) + "_" + std::string(rule.name);
}

INSTANTIATE_TEST_SUITE_P(Store, Contract, ::testing::ValuesIn(all_cases()), case_name);

/// What is not shown of a store is said, so that nobody takes silence for a proof.
TEST(Contract, says_of_which_stores_forgetting_is_not_shown) {
  for (const StoreRow& store : stores()) {
    std::string hidden;
    for (const Rule& rule : all_rules()) {
      if (!can_show(store, rule)) hidden += " " + rule.number();
    }
    if (hidden.empty()) continue;
    std::fprintf(stderr, "NOT SHOWN on %s, which cannot be put back in a test:%s\n",
                 std::string(store.name).c_str(), hidden.c_str());
  }
}

// ---- the suite can see --------------------------------------------------------------------------

class Careless : public ::testing::TestWithParam<Settling> {};

/// Clients that do not settle must be caught: the store holds claims that nobody knows of, or a
/// client believes in claims that the store does not hold.
TEST_P(Careless, is_caught) {
  std::size_t variants = 0, failing = 0, unknown = 0;
  std::set<std::string> rules;
  for (const Rule& rule : all_rules()) {
    const std::size_t calls = run_once(stores()[0], rule, {}).calls;
    for (std::size_t call = 1; call <= calls; ++call) {
      for (const Fault fault : kFaults) {
        const Shown outcome = run_quietly(stores()[0], rule, {{call, fault}}, GetParam());
        ++variants;
        failing += outcome.failures > 0 ? 1U : 0U;
        unknown += outcome.unknown_claims > 0 ? 1U : 0U;
        if (outcome.unknown_claims > 0) rules.insert(rule.number());
      }
    }
  }
  std::printf("variants %zu: %zu failing, %zu with unknown claims, in %zu of %zu rules\n", variants,
              failing, unknown, rules.size(), all_rules().size());
  EXPECT_GT(unknown, 100U);
  EXPECT_GT(rules.size(), 30U);
}

INSTANTIATE_TEST_SUITE_P(Client, Careless,
                         ::testing::Values(Settling::retry, Settling::assume_lost),
                         [](const auto& tested) {
                           return tested.param == Settling::retry ? "retry" : "assume_lost";
                         });

struct Planting {
  StoreRow store;
  std::vector<std::string> breaks;  // rules
};

template <Lie What>
Planting planted(std::string_view name, std::vector<std::string> breaks) {
  return {lying<What>(name), std::move(breaks)};
}

class Liars : public ::testing::TestWithParam<Planting> {};

TEST_P(Liars, are_caught_by_the_rules_that_they_break) {
  const auto& [store, breaks] = GetParam();
  std::set<std::string> caught_by;
  for (const Rule& rule : all_rules()) {
    if (run_quietly(store, rule, {}).failures > 0) caught_by.insert(rule.number());
  }
  std::printf("caught by %zu rules\n", caught_by.size());
  for (const std::string& rule : breaks) EXPECT_TRUE(caught_by.contains(rule)) << rule;
  EXPECT_EQ(caught_by.empty(), breaks.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Planted, Liars,
    ::testing::Values(
        planted<Lie::none>("none", {}),
        planted<Lie::second_claim>("second_claim", {"S60", "S63", "S83", "S117"}),
        planted<Lie::old_fence>("old_fence", {"S36", "S65", "S67"}),
        planted<Lie::deaf_finish>("deaf_finish", {"S67", "S70", "S71", "S72", "S74", "S75"}),
        planted<Lie::early_end>("early_end", {"S79"}),
        planted<Lie::no_lanes>("no_lanes", {"S1", "S3", "S4", "S5", "S6"}),
        planted<Lie::never_claimed>("never_claimed", {"S33", "S49", "S89"}),
        planted<Lie::never_closes>("never_closes", {"S155", "S156", "S157", "S158", "S160"}),
        planted<Lie::deaf_to_time>("deaf_to_time", {"S169", "S170", "S171", "S172", "S173"}),
        planted<Lie::deaf_to_claims>("deaf_to_claims", {"S161", "S174", "S175"}),
        planted<Lie::second_key>("second_key", {"S149", "S154"})),
    [](const auto& tested) { return std::string(tested.param.store.name); });

// ---- the page -----------------------------------------------------------------------------------

TEST(ContractPage, has_exactly_the_rules_of_the_suite) {
  std::ifstream page(std::string(CRONCE_SOURCE_DIR) + "/docs/store-contract.md");
  ASSERT_TRUE(page);
  const std::string begin = "- **S";
  std::vector<std::string> written, tested;
  for (std::string line; std::getline(page, line);) {
    const std::size_t end = line.find("** ", begin.size());
    if (!line.starts_with(begin) || end == std::string::npos) continue;
    if (line[begin.size()] < '0' || line[begin.size()] > '9') continue;  // a word
    written.push_back(line.substr(begin.size() - 1, end - begin.size() + 1));
  }
  for (const Rule& row : all_rules()) tested.push_back(row.number());
  EXPECT_EQ(written, tested);
  // A rule keeps its number for ever; a later one stands where it belongs.
  const std::set<std::string> numbers(tested.begin(), tested.end());
  for (std::size_t i = 1; i <= tested.size(); ++i) {
    EXPECT_TRUE(numbers.contains("S" + std::to_string(i))) << i;
  }
}

}  // namespace
}  // namespace cronce::contract
