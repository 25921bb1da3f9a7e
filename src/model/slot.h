// One job at one scheduled time: what runs once.
#pragma once

#include <compare>

#include "base/ids.h"
#include "base/time.h"

namespace cronce {

struct Slot {
  JobName job;
  Time time;
  auto operator<=>(const Slot&) const = default;
};

}  // namespace cronce
