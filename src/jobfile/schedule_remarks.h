// What is legal in a schedule but worth a word, for both kinds of file.
#pragma once

#include <vector>

#include "model/schedule_spec.h"
#include "schedule/cron_expr.h"
#include "schedule/zone.h"

namespace cronce {

/// The remarks on a cron text and, where the zone's clocks still change, which class it has: the
/// class decides what happens on those days. Nothing for other elements, nor for texts that are
/// wrong.
std::vector<CronRemark> schedule_remarks(const ElementSpec& element, const Zone& zone);

}  // namespace cronce
