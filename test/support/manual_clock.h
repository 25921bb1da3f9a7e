// A clock that stands still until a test moves it.
#pragma once

#include "base/clock.h"

namespace cronce {

class ManualClock : public Clock {
 public:
  explicit ManualClock(Time wall = {}, Duration boot = {}) : wall_(wall), boot_(boot) {}

  Time wall() const override { return wall_; }
  Duration boot() const override { return boot_; }

  /// Time passes: both clocks go on.
  void advance(Duration by) {
    wall_ += by;
    boot_ += by;
  }

  /// Somebody sets the wall clock; the boot clock does not notice.
  void set(Time wall) { wall_ = wall; }

 private:
  Time wall_;
  Duration boot_;
};

}  // namespace cronce
