// How long a node may trust its lease: the inequality of the protocol, and nothing else.
//
//   (trust + stop) / (1 - drift)  <=  L / (1 + drift)
//   2 beat + answer_timeout  <=  trust
//
// The node counts its trust from the moment it *asked* for the beat that was granted; whoever takes
// over counts L from the moment an answer *arrived*. Clocks may run wrong by `drift`. So the node's
// last process is gone before anybody may end the node, whatever the network does.
#pragma once

#include "base/result.h"
#include "base/time.h"

namespace cronce {

struct LeaseSettings {
  Duration lease{60'000};
  Duration beat{5'000};
  Duration answer_timeout{3'000};
  Duration stop{3'000};  // TERM, lease_stop later KILL, and one second to be gone
  int drift_percent = 10;
};

/// L (1 - drift) / (1 + drift) - stop, rounded down.
Duration trust_of(const LeaseSettings& settings);

/// Whether these settings can hold at all.
Status check_lease(const LeaseSettings& settings);

}  // namespace cronce
