// What a service manager wants to hear: ready, stopping, alive (sd_notify(3), over its socket).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "keeper/descriptor.h"
#include "node/settings.h"

namespace cronce {

class Supervisor {
 public:
  /// By NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; without them it says nothing.
  explicit Supervisor(const Environment& environment);

  void say(std::string_view words) const;

  /// How often it wants to hear that the loop goes round: half of what it allows.
  std::optional<Duration> interval() const { return interval_; }
  void alive() const { say("WATCHDOG=1"); }

 private:
  std::string address_;
  Descriptor socket_;
  std::optional<Duration> interval_;
};

}  // namespace cronce
