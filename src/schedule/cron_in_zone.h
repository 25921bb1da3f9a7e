// A cron expression in a zone under a DST rule: from civil times to instants.
//
// Walks the stretches of the zone, mostly one of them: inside a stretch the next civil time is the
// next slot. Instants are whole seconds. Pure; the work does not grow with the distance to the
// answer by more than a step a month.
#pragma once

#include <cstdint>
#include <optional>

#include "schedule/civil.h"
#include "schedule/cron_expr.h"
#include "schedule/zone.h"

namespace cronce {

struct CronInZone {
  const CronExpr& expr;
  const Zone& zone;
  DstRule rule;  // kElapsed for wildcard-hour expressions

  /// The first slot later than t; none if there is none within 400 years.
  std::optional<std::chrono::sys_seconds> first_after(std::chrono::sys_seconds t) const;

  /// The newest slot not later than t; none if there is none within 400 years.
  std::optional<std::chrono::sys_seconds> last_at_or_before(std::chrono::sys_seconds t) const;

  /// How many slots are later than `after` and not later than `through`.
  std::int64_t count(std::chrono::sys_seconds after, std::chrono::sys_seconds through) const;

  /// The greatest civil time that fires at this instant; none if the instant is no slot.
  std::optional<CivilTime> label(std::chrono::sys_seconds slot) const;

 private:
  std::optional<CivilTime> last_in(const CivilRange& range, Steps& steps) const;
  Stretch ending_after(CivilTime time) const;
  Stretch beginning_before(CivilTime time) const;
};

}  // namespace cronce
