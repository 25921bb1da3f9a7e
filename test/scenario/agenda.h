// Everything that will happen in a scenario, in order, and its clocks. Time passes only by step().
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "base/clock.h"

namespace cronce::scenario {

class Agenda {
 public:
  using Deed = std::function<void()>;

  /// Since the scenario began.
  Duration now() const { return now_; }

  /// What is due at the same time happens in the order of planning.
  void at(Duration time, Deed deed) { deeds_.emplace(std::max(time, now_), std::move(deed)); }
  void after(Duration delay, Deed deed) { at(now_ + delay, std::move(deed)); }

  /// Does the next thing that is due by `until`; false if there is none.
  bool step(Duration until) {
    if (deeds_.empty() || deeds_.begin()->first > until) return false;
    const auto next = deeds_.extract(deeds_.begin());
    now_ = next.key();
    next.mapped()();
    return true;
  }

 private:
  Duration now_{};
  std::multimap<Duration, Deed> deeds_;
};

/// The store's clock: what it shows as the scenario begins, and what it was set by since.
class StoreClock final : public Clock {
 public:
  StoreClock(const Agenda& agenda, Time begin) : agenda_(agenda), shown_(begin) {}

  Time wall() const override { return shown_ + agenda_.now(); }
  Duration boot() const override { return agenda_.now(); }
  void step(Duration by) { shown_ += by; }

 private:
  const Agenda& agenda_;
  Time shown_;
};

/// A machine's clocks: the boot clock may run at a wrong rate, the wall clock may be wrong.
class MachineClock {
 public:
  /// `wall` is what it would have shown as the scenario began; `rate` is how many milliseconds the
  /// boot clock counts in a second.
  MachineClock(Duration since, Time wall, int rate) : since_(since), wall_(wall), rate_(rate) {}

  Duration boot(Duration now) const { return kBoot + (now - since_) * rate_ / 1'000; }
  Time wall(Duration now) const { return wall_ + now; }
  void step_wall(Duration by) { wall_ += by; }

  /// The first time at which the boot clock shows that much.
  Duration when(Duration boot) const {
    return since_ + Duration{((boot - kBoot).count() * 1'000 + rate_ - 1) / rate_};
  }

 private:
  static constexpr Duration kBoot{1'000};

  Duration since_;
  Time wall_;
  int rate_;
};

}  // namespace cronce::scenario
