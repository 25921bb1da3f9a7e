// The rules of docs/store-contract.md as functions: one each, named by number and sentence.
//
// A rule gets a fresh world and says what must hold in it. It goes through nodes for everything
// that a fault may hit, and past the faults for looking. One table per group of the page; all_rules
// is their union, in the order of the page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "test/contract/world.h"

namespace cronce::contract {

struct Rule {
  std::string_view name;
  void (*check)(World& world);
  bool forgets = false;  // only for stores that can be put back

  /// `S12`
  std::string number() const { return std::string(name.substr(0, name.find('_'))); }
};

#define CRONCE_RULE(function) \
  Rule { #function, function }
#define CRONCE_FORGETTING_RULE(function) \
  Rule { #function, function, true }

std::span<const Rule> lane_rules();
std::span<const Rule> beat_rules();
std::span<const Rule> source_rules();
std::span<const Rule> definition_rules();
std::span<const Rule> decide_rules();
std::span<const Rule> overlap_rules();
std::span<const Rule> take_rules();
std::span<const Rule> finish_rules();
std::span<const Rule> sweep_rules();
std::span<const Rule> control_rules();
std::span<const Rule> past_rules();
std::span<const Rule> backfill_rules();
std::span<const Rule> query_rules();
std::span<const Rule> member_rules();
std::span<const Rule> boot_rules();
std::span<const Rule> plan_rules();
std::span<const Rule> exec_rules();
std::span<const Rule> once_rules();
std::span<const Rule> closing_rules();
std::span<const Rule> remember_rules();
std::span<const Rule> epoch_rules();

const std::vector<Rule>& all_rules();

}  // namespace cronce::contract
