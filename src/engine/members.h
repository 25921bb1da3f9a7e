// Who is alive, as far as this node can tell.
//
// A lease is a beat number, not a time: a node is counted silent for as long as its number stands
// still, by this node's boot clock, and only while this node itself had answers. That can make a
// takeover late, never early.
#pragma once

#include <map>
#include <vector>

#include "base/ids.h"
#include "base/shared.h"
#include "base/time.h"
#include "engine/trust.h"
#include "model/node.h"
#include "model/operation.h"

namespace cronce {

class Members {
 public:
  struct Member {
    Shared<Node> node;
    Duration silent{};
  };

  Members(Incarnation self, const LeaseSettings& settings) : self_(self), settings_(settings) {}

  /// What a beat's answer showed, at the boot time of its arrival. True if anything changed that
  /// matters for who acts: who lives, what they may run, who is suspect.
  bool saw(const std::vector<Shared<Node>>& nodes, Duration arrived);

  /// It was ended.
  void forget(const Incarnation& incarnation) { members_.erase(incarnation); }
  /// Those that the last answer showed no more.
  const std::vector<Incarnation>& vanished() const { return vanished_; }

  const std::map<Incarnation, Member>& all() const { return members_; }
  const Node* find(const Incarnation& incarnation) const;
  const Node* self() const { return find(self_); }
  /// No beat for three.
  bool suspect(const Incarnation& incarnation) const;

  /// Nodes whose number stood still for as long as their own lease.
  std::vector<SweepEntry> to_sweep() const;

 private:
  bool is_long(Duration silent) const;

  Incarnation self_;
  LeaseSettings settings_;
  std::map<Incarnation, Member> members_;
  std::vector<Incarnation> vanished_;
  Duration last_arrival_{-1};
};

}  // namespace cronce
