#include "keeper/steady.h"

#include <ctime>

namespace cronce {

int clock_id(Steady clock) { return clock == Steady::boottime ? CLOCK_BOOTTIME : CLOCK_MONOTONIC; }

Duration read_steady(Steady clock) {
  timespec now{};
  CHECK(clock_gettime(clock_id(clock), &now) == 0);
  return Seconds{now.tv_sec} +
         std::chrono::duration_cast<Duration>(std::chrono::nanoseconds{now.tv_nsec});
}

}  // namespace cronce
