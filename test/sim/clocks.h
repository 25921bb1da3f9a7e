// The clocks of a simulated world, each a function of true time.
#pragma once

#include "base/clock.h"
#include "test/sim/agenda.h"

namespace cronce::sim {

/// True time zero.
inline constexpr Time kOrigin{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

/// How far apart the clocks of callers, nodes and the store may be.
inline constexpr Duration kSkewBudget{30'000};

/// What nobody settles ahead of true time while most wall clocks are right: the budget of the
/// clocks, and what a fast boot clock gains while the store's is doubted.
inline constexpr Duration kFarAhead{60'000};

/// A host's clocks: the boot clock drifts and may stand still with its host, the wall clock may be
/// wrong.
class HostClock {
 public:
  /// `rate`: how many milliseconds the boot clock counts in a true second.
  HostClock(Duration since, Duration boot, int rate, Duration skew)
      : since_(since), boot_(boot), rate_(rate), skew_(skew) {}

  Duration boot(Duration now) const { return boot_ + (now - since_) * rate_ / 1000; }
  Time wall(Duration now) const { return kOrigin + now + skew_; }

  /// The first true time at which the boot clock shows that much.
  Duration when(Duration boot) const {
    return since_ + Duration{((boot - boot_).count() * 1000 + rate_ - 1) / rate_};
  }

  void step_wall(Duration by) { skew_ += by; }
  void set_wall_right() { skew_ = {}; }
  /// The boot clock did not count between then and now: the guest was paused with its clocks.
  void stood_still(Duration then, Duration now) {
    boot_ = boot(then);
    since_ = now;
  }

 private:
  Duration since_;
  Duration boot_;
  int rate_;
  Duration skew_;
};

/// The store's clock: true time plus what it was set by.
class StoreClock final : public Clock {
 public:
  explicit StoreClock(const Agenda& agenda) : agenda_(agenda) {}

  Time wall() const override { return kOrigin + agenda_.now() + offset_; }
  Duration boot() const override { return agenda_.now(); }
  void step(Duration by) { offset_ += by; }
  Duration offset() const { return offset_; }

 private:
  const Agenda& agenda_;
  Duration offset_{};
};

}  // namespace cronce::sim
