// The order in which the runs of a job that wait are taken.
#pragma once

#include <tuple>

#include "model/plan.h"

namespace cronce {

/// The oldest slot first, and a request as if it were the slot of the time at which it is due:
/// behind all slots it would wait for ever where one always waits.
inline bool taken_before(const PendingRun& a, const PendingRun& b) {
  const auto time = [](const PendingRun& run) {
    return run.id.space == Space::slot ? run.id.slot : run.due;
  };
  return std::tuple(time(a), a.id) < std::tuple(time(b), b.id);
}

}  // namespace cronce
