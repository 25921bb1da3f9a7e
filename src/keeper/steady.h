// The clock by which a keeper measures deadlines, and which no one can set.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace cronce {

enum class Steady : std::uint8_t {
  boottime,   // goes on while the machine sleeps: others may be awake
  monotonic,  // stands still with the machine: all who could take over sleep too (SQLite)
};

Duration read_steady(Steady clock);

/// The kernel's number of it, for timers.
int clock_id(Steady clock);

}  // namespace cronce
