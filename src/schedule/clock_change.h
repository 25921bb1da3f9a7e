// What becomes of a cron expression where the clocks of its zone change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/civil.h"
#include "schedule/cron_expr.h"
#include "schedule/zone.h"

namespace cronce {

struct ClockChange {
  std::chrono::sys_seconds at;
  Seconds before{};  // offsets
  Seconds after{};

  /// The civil times that are skipped, or that come twice.
  CivilRange range;
  bool skips() const { return after > before; }

  /// Of those the ones that match the expression: how many, and the first.
  std::int64_t matching = 0;
  std::optional<CivilTime> first_match;

  /// The slots that they lead to, oldest first, at most a few.
  std::vector<std::chrono::sys_seconds> slots;
  std::int64_t slot_count = 0;
};

/// The changes later than `after` and not later than `through`.
std::vector<ClockChange> clock_changes(const CronExpr& expr, const Zone& zone, DstRule rule,
                                       std::chrono::sys_seconds after,
                                       std::chrono::sys_seconds through);

}  // namespace cronce
