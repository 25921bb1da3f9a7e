#include "test/contract/rules.h"

namespace cronce::contract {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> rules;
    for (const auto group :
         {lane_rules(),     beat_rules(), source_rules(), definition_rules(), decide_rules(),
          overlap_rules(),  take_rules(), finish_rules(), sweep_rules(),      control_rules(),
          backfill_rules(), past_rules(), query_rules(),  member_rules(),     boot_rules(),
          plan_rules(),     exec_rules(), once_rules(),   closing_rules(),    remember_rules(),
          epoch_rules()}) {
      rules.insert(rules.end(), group.begin(), group.end());
    }
    return rules;
  }();
  return kRules;
}

}  // namespace cronce::contract
