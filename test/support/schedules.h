// Expressions, zones and schedules as tests write them; what cannot be read aborts the test.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "schedule/cron_expr.h"
#include "schedule/schedule.h"
#include "schedule/zone.h"
#include "test/support/times.h"

namespace cronce {

inline CronExpr cron(std::string_view text) { return CronExpr::parse(text).value(); }

inline std::shared_ptr<const Zone> zone(std::string_view name) { return load_zone(name).value(); }

inline Schedule schedule(const ScheduleSpec& spec) { return Schedule::build(spec).value(); }

inline Schedule schedule(std::string_view cron_text, std::string_view timezone = "UTC",
                         DstRule rule = {}) {
  return schedule(ScheduleSpec{.elements = {CronSpec{std::string(cron_text)}},
                               .timezone = std::string(timezone),
                               .dst = rule});
}

}  // namespace cronce
