// A schedule in English: `at 02:30, Monday to Friday`.
#pragma once

#include <string>

#include "model/schedule_spec.h"
#include "schedule/cron_expr.h"

namespace cronce {

std::string in_words(const CronExpr& expr);

/// The elements, joined by `; and `. Cron texts must be valid.
std::string in_words(const ScheduleSpec& schedule);

}  // namespace cronce
