#include "engine/members.h"

#include <algorithm>
#include <tuple>

namespace cronce {
namespace {

/// What others make of a node, but for its number, its load and its clock.
bool acts_alike(const Node& a, const Node& b) {
  const auto facts = [](const Node& n) {
    return std::tie(n.name, n.lease, n.labels, n.schedules, n.works, n.leaving, n.version,
                    n.zone_data, n.digests);
  };
  return facts(a) == facts(b);
}

}  // namespace

bool Members::saw(const std::vector<Shared<Node>>& nodes, Duration arrived) {
  // Longer than this without an answer was our own trouble, and says nothing about the others.
  const Duration most = settings_.beat + settings_.answer_timeout;
  const Duration since = last_arrival_ < Duration{0} ? Duration{0} : arrived - last_arrival_;
  const Duration counted = std::min(since, most);
  last_arrival_ = arrived;
  bool changed = false;
  vanished_.clear();
  for (const Shared<Node>& node : nodes) {
    const auto [known, is_new] = members_.try_emplace(node->incarnation, Member{node, {}});
    Member& member = known->second;
    const bool still = !is_new && member.node->beat == node->beat;
    const Duration silent = still ? member.silent + counted : Duration{0};
    changed = changed || is_new || !acts_alike(*member.node, *node) ||
              is_long(member.silent) != is_long(silent);
    member = {node, silent};
  }
  if (members_.size() == nodes.size()) return changed;
  for (const auto& [incarnation, member] : members_) {
    const auto is_it = [&](const Shared<Node>& node) { return node->incarnation == incarnation; };
    if (std::none_of(nodes.begin(), nodes.end(), is_it)) vanished_.push_back(incarnation);
  }
  for (const Incarnation& incarnation : vanished_) members_.erase(incarnation);
  return true;
}

bool Members::is_long(Duration silent) const { return silent >= 3 * settings_.beat; }

const Node* Members::find(const Incarnation& incarnation) const {
  const auto known = members_.find(incarnation);
  return known == members_.end() ? nullptr : &*known->second.node;
}

bool Members::suspect(const Incarnation& incarnation) const {
  const auto known = members_.find(incarnation);
  return known == members_.end() || is_long(known->second.silent);
}

std::vector<SweepEntry> Members::to_sweep() const {
  std::vector<SweepEntry> entries;
  for (const auto& [incarnation, member] : members_) {
    const bool over = member.silent >= member.node->lease;
    if (over && incarnation != self_) entries.push_back({incarnation, member.node->beat});
  }
  return entries;
}

}  // namespace cronce
