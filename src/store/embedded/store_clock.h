// What time it is in a step of a store that judges in the asker's process.
#pragma once

#include "base/clock.h"
#include "store/embedded/tables.h"

namespace cronce::embedded {

struct Moment {
  Time now{};
  Duration reading{};     // the asker's: how far its wall clock is from its boot-time clock
  bool disputed = false;  // clocks disagree, and the asker's is not one to go by
  Time shown{};  // by the clock that a person accepts who asks now: the store's, or its host's
};

class StoreClock {
 public:
  virtual ~StoreClock() = default;
  /// Asked inside the step: the tables are what is known in it. The asker may be a person.
  virtual Moment now(const Tables& tables, const Incarnation& asker) const = 0;
};

/// A clock that is the store's own, as a server's is.
class OwnClock final : public StoreClock {
 public:
  explicit OwnClock(const Clock& clock) : clock_(clock) {}
  Moment now(const Tables&, const Incarnation&) const override {
    const Time now = clock_.wall();
    return {now, now.time_since_epoch() - clock_.boot(), false, now};
  }

 private:
  const Clock& clock_;
};

}  // namespace cronce::embedded
