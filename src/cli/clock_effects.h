// What the clock changes of the coming two years do to a schedule, for `explain`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/schedule_args.h"
#include "schedule/clock_change.h"

namespace cronce {

/// An element that asks the wall clock: a cron text, or one time without an offset.
struct CivilElement {
  ElementSpec spec;
  std::string text;
  std::optional<CronExpr> cron;

  bool wildcard_hour() const { return cron && cron->wildcard_hour(); }
};

/// Equal elements are one.
std::vector<CivilElement> civil_elements(const ScheduleSpec& spec);

/// A clock change, with those slots of the element that the bounds of the schedule leave.
struct ClockEffect {
  std::string element;
  ClockChange change;
};

/// For cron texts every change between the bounds, also one that does not matter; for one time the
/// change that touches it.
std::vector<ClockEffect> clock_effects(const Asked& asked, Time from);

/// `2026-03-08 02:00 -> 03:00`; with both dates where the clocks go back over midnight.
std::string change_text(const ClockChange& change);

/// `02:30 does not exist: one run at 03:00:00-04:00`
std::string effect_text(const ClockChange& change);

json::object effect_json(const ClockEffect& effect);

}  // namespace cronce
