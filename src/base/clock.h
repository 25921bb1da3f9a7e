// The two clocks of a machine, passed to whoever needs one.
//
// wall() is the realtime clock: it can be wrong and it can jump; it is shown, compared and
// exported, and it picks slots only where the store has no better one. boot() counts since the
// machine started, never jumps, and goes on during suspend: every lease is measured with it.
#pragma once

#include "base/time.h"

namespace cronce {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time wall() const = 0;
  virtual Duration boot() const = 0;
};

/// The clocks of this machine (CLOCK_REALTIME and CLOCK_BOOTTIME). Safe from every thread.
const Clock& system_clock();

}  // namespace cronce
