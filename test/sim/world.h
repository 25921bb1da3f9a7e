// One seed from beginning to end.
#pragma once

#include <string>
#include <vector>

#include "test/sim/canary.h"
#include "test/sim/check.h"
#include "test/sim/rare.h"
#include "test/sim/stage.h"
#include "test/sim/trouble.h"

namespace cronce::sim {

struct WorldSettings {
  std::uint64_t seed = 1;
  bool liveness = false;  // faults stop at a random time, and all must come right
  Canary canary = Canary::none;
  Reader reader = Reader::nobody;
};

struct Report {
  std::uint64_t hash = 0;
  std::uint64_t events = 0;
  std::uint64_t faults = 0;
  Trouble::Counts troubles{};  // of each kind
  std::uint64_t nodes = 0;
  std::uint64_t slots = 0;
  std::uint64_t starts = 0;
  double minutes = 0;
  RareCounts rare;
  std::vector<Violation> violations;
  Excused excused;
};

Report run_world(const WorldSettings& settings);

}  // namespace cronce::sim
