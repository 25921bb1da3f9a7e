// Ctrl-C and TERM as something that can be waited for, for as long as the object lives.
//
// For commands that wait for others: a signal ends the waiting, and they can still say so.
#pragma once

#include <csignal>

#include "base/time.h"
#include "keeper/descriptor.h"

namespace cronce {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The one that has come, or comes until then; 0 if none.
  int wait(Duration most) const;

 private:
  sigset_t before_{};
  Descriptor signals_;
};

}  // namespace cronce
