// Two clients at once, for every pair of operations and in both orders.
//
// Where the order matters, both outcomes are written (outcomes.cc). Every other pair must end the
// same way. The watch of the world checks the tables after each step.
#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include <gtest/gtest.h>

#include "test/contract/failures.h"
#include "test/contract/lying_store.h"
#include "test/contract/outcomes.h"

namespace cronce::contract {
namespace {

struct Ended {
  std::set<std::string> facts;
  std::size_t claims = 0;
};

Ended in_order(Situation situation, const StoreRow& store, const Operation& x, const Operation& y,
               bool x_first) {
  Scene scene(store, situation);
  Ended ended;
  if (x_first) ended.claims += x.ask(scene, scene.a);
  ended.claims += y.ask(scene, scene.b);
  if (!x_first) ended.claims += x.ask(scene, scene.a);
  scene.end();
  ended.facts = scene.facts();
  return ended;
}

std::string only_in(const std::set<std::string>& facts, const std::set<std::string>& others) {
  std::vector<std::string> only;
  std::set_difference(facts.begin(), facts.end(), others.begin(), others.end(),
                      std::back_inserter(only));
  std::string text;
  for (const std::string& fact : only) text += (text.empty() ? "" : ", ") + fact;
  return text;
}

std::string_view word(Situation situation) {
  constexpr std::array<std::string_view, 4> kWords{"busy", "idle", "quiet", "closed"};
  return kWords.at(static_cast<std::size_t>(situation));
}

using Meeting = std::tuple<StoreRow, Situation>;

std::vector<Meeting> all_meetings() {
  std::vector<Meeting> cases;
  for (const StoreRow& store : stores()) {
    for (const Situation situation : {Situation::busy, Situation::idle, Situation::quiet}) {
      cases.emplace_back(store, situation);
    }
    if (store.image != nullptr) cases.emplace_back(store, Situation::closed);
  }
  return cases;
}

/// Both orders of a pair, of which this is expected.
void meet(const Meeting& meeting, const Operation& x, const Operation& y,
          const Outcomes::mapped_type& expected) {
  const auto& [store, situation] = meeting;
  const Ended one = in_order(situation, store, x, y, true);
  const Ended two = in_order(situation, store, x, y, false);
  const std::pair found{only_in(one.facts, two.facts), only_in(two.facts, one.facts)};
  EXPECT_EQ(found, expected) << "{\"" << x.name << "\", \"" << y.name << "\", \"" << found.first
                             << "\", \"" << found.second << "\"},";
  // The job is no `allow` job: whoever wins, at most one of the two started something.
  EXPECT_LE(std::max(one.claims, two.claims), 1U) << x.name << " and " << y.name;
}

class Interleaving : public ::testing::TestWithParam<Meeting> {};

TEST_P(Interleaving, of_every_pair_ends_as_one_of_its_two_orders) {
  const Situation situation = std::get<Situation>(GetParam());
  const auto operations = operations_in(situation);
  Outcomes matters = expected_in(situation);
  for (const Operation& x : operations) {
    for (const Operation& y : operations) {
      if (&y < &x) continue;
      meet(GetParam(), x, y, matters[{std::string(x.name), std::string(y.name)}]);
    }
  }
  const std::size_t count = operations.size();
  EXPECT_EQ(matters.size(), count * (count + 1) / 2) << "a row names no pair";
}

std::string scene_name(const ::testing::TestParamInfo<Meeting>& tested) {
  const auto& [store, situation] = tested.param;
  return std::string(store.name) + "_" + std::string(word(situation));
}

INSTANTIATE_TEST_SUITE_P(Store, Interleaving, ::testing::ValuesIn(all_meetings()), scene_name);

// ---- the suite can see --------------------------------------------------------------------------

/// A store that lies about one operation, and what that one meets when it shows.
struct Exposed {
  StoreRow store;
  Situation situation;
  std::string_view operation;
  std::set<std::string_view> meets;
};

class Exposure : public ::testing::TestWithParam<Exposed> {};

TEST_P(Exposure, comes_with_those_pairs_that_a_lie_concerns) {
  const auto& [store, situation, operation, meets] = GetParam();
  const auto operations = operations_in(situation);
  Outcomes matters = expected_in(situation);
  std::set<std::string_view> exposed;
  for (const Operation& x : operations) {
    for (const Operation& y : operations) {
      if (&y < &x || (x.name != operation && y.name != operation)) continue;
      const auto& expected = matters[{std::string(x.name), std::string(y.name)}];
      const bool objects = count_failures([&] { meet({store, situation}, x, y, expected); }) > 0;
      if (objects) exposed.insert(x.name == operation ? y.name : x.name);
    }
  }
  EXPECT_EQ(exposed, meets);
}

INSTANTIATE_TEST_SUITE_P(
    Planted, Exposure,
    ::testing::Values(
        Exposed{lying<Lie::none>("none"), Situation::idle, "take", {}},
        Exposed{lying<Lie::second_claim>("second_claim"),
                Situation::idle,
                "take",
                {"take", "take_manual", "exec", "lapse", "drop", "cancel", "retire"}},
        Exposed{lying<Lie::early_end>("early_end"), Situation::busy, "sweep", {"beat"}},
        Exposed{lying<Lie::early_end>("early_end"), Situation::idle, "sweep", {"beat"}}),
    [](const auto& tested) {
      return std::string(tested.param.store.name) + "_" + std::string(word(tested.param.situation));
    });

}  // namespace
}  // namespace cronce::contract
