// Two clients at once, for every pair of operations and in both orders.
//
// Where the order matters, both outcomes are written below: what is true only when the first of the
// two came first, and what only when the second did. Every other pair must end the same way. The
// watch of the world checks the tables after each step.
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "test/contract/scene.h"

namespace cronce::contract {
namespace {

struct OrderMatters {
  const char* first;
  const char* second;
  const char* first_first;   // facts that are true only in this order
  const char* second_first;  // and only in this one
};

struct Ended {
  std::set<std::string> facts;
  std::size_t claims = 0;
};

Ended in_order(bool busy, const StoreRow& store, const Operation& x, const Operation& y,
               bool x_first) {
  Scene scene(store, busy);
  Ended ended;
  if (x_first) ended.claims += x.ask(scene, scene.a);
  ended.claims += y.ask(scene, scene.b);
  if (!x_first) ended.claims += x.ask(scene, scene.a);
  scene.world.end();
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

/// Whether 30 is live or not.
constexpr OrderMatters kAlways[] = {
    {"decide", "other_schedule", "digest 3, next 56", "digest 1, next 60"},
    {"join", "retire", "next none, retired", "digest 1, next 60"},
    {"other_command", "retire", "next none, retired", "digest 2, next 60"},
    {"other_schedule", "drop", "next none, retired", "digest 3, next 56"},
    {"other_schedule", "retire", "next none, retired", "digest 3, next 56"},
    {"drop", "trigger", "", "q#1 skipped: retired"},
    {"drop", "cancel", "40#1 skipped: retired", "40#1 cancelled: operator"},
    {"drop", "release", "10#2 held", "10#2 skipped: retired"},
    {"drop", "backfill", "", "20#2 skipped: retired"},
    {"pause", "resume", "50-50#1 skipped: paused (1), cursor 50, next 60",
     "cursor 40, next 50, paused"},
    {"trigger", "retire", "q#1 skipped: retired", ""},
    {"cancel", "retire", "40#1 cancelled: operator", "40#1 skipped: retired"},
    {"release", "retire", "10#2 skipped: retired", "10#2 held"},
    {"backfill", "retire", "20#2 skipped: retired", ""},
};

/// While 30 is live.
constexpr OrderMatters kBusy[] = {
    {"decide", "finish", "50#1 pending", "50#1 running"},
    {"decide", "sweep", "50#1 pending", "50#1 running"},
    {"decide", "other_command", "50#1 pending, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "pause", "50#1 pending, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "retire", "50#1 skipped: retired", "50-50#1 skipped: retired (1)"},
    {"take", "finish", "40#1 pending", "40#1 running"},
    {"take", "sweep", "40#1 pending", "40#1 running"},
    {"take_manual", "finish", "r#1 pending", "r#1 running"},
    {"take_manual", "sweep", "r#1 pending", "r#1 running"},
    {"finish", "sweep", "30#1 succeeded", "30#1 succeeded: late, 30#2 held"},
    {"finish", "drop", "50#1 running", "50#1 skipped: retired"},
    {"sweep", "drop", "30#2 held, 50#1 running", "50#1 skipped: retired"},
    {"sweep", "retire", "30#2 held", ""},
    {"other_command", "drop", "40#1 pending, cursor 40, next 50, r#1 pending",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next 60, r#1 skipped: retired"},
    {"drop", "pause",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next none, r#1 skipped: retired, "
     "retired",
     "40#1 pending, cursor 40, digest 1, next 50, r#1 pending"},
    {"drop", "retire", "50#1 skipped: retired", "50-50#1 skipped: retired (1)"},
};

/// When 30 has ended.
constexpr OrderMatters kIdle[] = {
    {"decide", "take", "40#1 pending, 50#1 running", "40#1 running, 50#1 pending"},
    {"decide", "take_manual", "50#1 running, r#1 pending", "50#1 pending, r#1 running"},
    {"decide", "other_command", "50#1 running, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "pause", "50#1 running, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "retire", "50#1 running", "50-50#1 skipped: retired (1)"},
    {"take", "take_manual", "40#1 running, r#1 pending", "40#1 pending, r#1 running"},
    {"take", "drop", "40#1 running, 50#1 skipped: retired", "40#1 skipped: retired, 50#1 running"},
    {"take", "pause", "40#1 running", "40#1 pending"},
    {"take", "cancel", "40#1 running", "40#1 cancelled: operator"},
    {"take", "retire", "40#1 running", "40#1 skipped: retired"},
    {"take_manual", "drop", "50#1 skipped: retired, r#1 running",
     "50#1 running, r#1 skipped: retired"},
    {"take_manual", "retire", "r#1 running", "r#1 skipped: retired"},
    {"other_command", "drop", "40#1 pending, cursor 40, next 50, r#1 pending",
     "40#1 skipped: retired, 50#1 running, cursor 50, next 60, r#1 skipped: retired"},
    {"drop", "pause",
     "40#1 skipped: retired, 50#1 running, cursor 50, next none, r#1 skipped: retired, retired",
     "40#1 pending, cursor 40, digest 1, next 50, r#1 pending"},
    {"drop", "retire", "50#1 running", "50-50#1 skipped: retired (1)"},
};

using Outcomes = std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>>;

Outcomes outcomes_of(std::span<const OrderMatters> table) {
  Outcomes outcomes;
  for (const OrderMatters& row : table) {
    outcomes[{row.first, row.second}] = {row.first_first, row.second_first};
  }
  return outcomes;
}

class Interleaving : public ::testing::TestWithParam<std::tuple<StoreRow, bool>> {};

TEST_P(Interleaving, of_every_pair_ends_as_one_of_its_two_orders) {
  const auto& [store, busy] = GetParam();
  Outcomes matters = outcomes_of(kAlways);
  matters.merge(busy ? outcomes_of(kBusy) : outcomes_of(kIdle));
  for (const Operation& x : operations()) {
    for (const Operation& y : operations()) {
      if (&y < &x) continue;
      const Ended one = in_order(busy, store, x, y, true), two = in_order(busy, store, x, y, false);
      const auto expected = matters[{std::string(x.name), std::string(y.name)}];
      const std::pair found{only_in(one.facts, two.facts), only_in(two.facts, one.facts)};
      EXPECT_EQ(found, expected) << "{\"" << x.name << "\", \"" << y.name << "\", \"" << found.first
                                 << "\", \"" << found.second << "\"},";
      // The job is no `allow` job: whoever wins, at most one of the two started something.
      EXPECT_LE(std::max(one.claims, two.claims), 1U) << x.name << " and " << y.name;
    }
  }
  const std::size_t count = operations().size();
  EXPECT_EQ(matters.size(), count * (count + 1) / 2) << "a row names no pair";
}

std::string scene_name(const ::testing::TestParamInfo<std::tuple<StoreRow, bool>>& tested) {
  const auto& [store, busy] = tested.param;
  return std::string(store.name) + (busy ? "_busy" : "_idle");
}

INSTANTIATE_TEST_SUITE_P(Store, Interleaving,
                         ::testing::Combine(::testing::ValuesIn(stores().begin(), stores().end()),
                                            ::testing::Bool()),
                         scene_name);

}  // namespace
}  // namespace cronce::contract
