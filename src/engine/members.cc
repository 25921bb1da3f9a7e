#include "engine/members.h"

#include <algorithm>

namespace cronce {

void Members::saw(const std::vector<Shared<Node>>& nodes, Duration arrived) {
  // Longer than this without an answer was our own trouble, and says nothing about the others.
  const Duration most = settings_.beat + settings_.answer_timeout;
  const Duration since = last_arrival_ < Duration{0} ? Duration{0} : arrived - last_arrival_;
  const Duration counted = std::min(since, most);
  last_arrival_ = arrived;
  nodes_.clear();
  std::map<Incarnation, Silence> silences;
  for (const Shared<Node>& node : nodes) {
    nodes_.emplace(node->incarnation, node);
    const auto known = silences_.find(node->incarnation);
    const bool still = known != silences_.end() && known->second.beat == node->beat;
    silences[node->incarnation] = {node->beat,
                                   still ? known->second.lasted + counted : Duration{0}};
  }
  silences_ = std::move(silences);
}

bool Members::suspect(const Incarnation& incarnation) const {
  const auto known = silences_.find(incarnation);
  return known == silences_.end() || known->second.lasted >= 3 * settings_.beat;
}

std::vector<SweepEntry> Members::to_sweep() const {
  std::vector<SweepEntry> entries;
  for (const auto& [incarnation, silence] : silences_) {
    const bool over = silence.lasted >= nodes_.at(incarnation)->lease;
    if (over && incarnation != self_) entries.push_back({incarnation, silence.beat});
  }
  return entries;
}

}  // namespace cronce
