// Many seeds, added up and judged: what the tests and people run.
#pragma once

#include <cstdint>

#include "test/sim/world.h"

namespace cronce::sim {

struct Range {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};

struct Campaign {
  Range range{1, 1'000};
  bool liveness = false;
  bool mixed = false;       // every tenth seed is one in which faults stop
  bool progress = false;    // a line now and then
  bool keep_going = false;  // after a wrong seed
  Reader reader = Reader::nobody;
  int processes = 1;
  Canary canary = Canary::none;
};

// Each prints what came of it and returns the exit status of the program.
int run_one(const Campaign& campaign);
int run_range(const Campaign& campaign);
int run_standard(const Campaign& campaign);
int run_twice(const Campaign& campaign);
int run_canary(const Campaign& campaign);  // 1 if the bug is caught: a run with it is wrong
int run_canaries(const Campaign& campaign);

}  // namespace cronce::sim
