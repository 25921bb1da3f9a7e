// Who is alive, as far as this node can tell.
//
// A lease is a beat number, not a time: a node is counted silent for as long as its number stands
// still, by this node's boot clock, and only while this node itself had answers. That can make a
// takeover late, never early.
#pragma once

#include <map>
#include <vector>

#include "engine/trust.h"
#include "model/node.h"
#include "model/operation.h"

namespace cronce {

class Members {
 public:
  Members(Incarnation self, const LeaseSettings& settings) : self_(self), settings_(settings) {}

  /// What a beat's answer showed, at the boot time of its arrival.
  void saw(const std::vector<Shared<Node>>& nodes, Duration arrived);

  const std::map<Incarnation, Shared<Node>>& nodes() const { return nodes_; }
  bool suspect(const Incarnation& incarnation) const;

  /// Nodes whose number stood still for as long as their own lease.
  std::vector<SweepEntry> to_sweep() const;

 private:
  struct Silence {
    Beat beat;
    Duration lasted{};
  };

  Incarnation self_;
  LeaseSettings settings_;
  std::map<Incarnation, Shared<Node>> nodes_;
  std::map<Incarnation, Silence> silences_;
  Duration last_arrival_{-1};
};

}  // namespace cronce
