// What is legal in a schedule but worth a word, for both kinds of file.
#pragma once

#include <optional>
#include <vector>

#include "model/schedule_spec.h"
#include "schedule/cron_expr.h"
#include "schedule/schedule.h"

namespace cronce {

/// The remarks on a cron text and, where the zone's clocks still change, which class it has: the
/// class decides what happens on those days. Nothing for other elements, nor for texts that are
/// wrong.
std::vector<CronRemark> schedule_remarks(const ElementSpec& element, const Zone& zone);

/// The least distance of two neighbouring slots, if it is less than that. Only the first hundred
/// slots from 2026 on are compared, or those from the beginning of `between`.
std::optional<Duration> find_nearer_than(Duration distance, const Schedule& schedule);

}  // namespace cronce
