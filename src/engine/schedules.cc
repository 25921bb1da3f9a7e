#include "engine/schedules.h"

#include <utility>

#include "model/describe.h"

namespace cronce {

std::optional<Shared<Schedule>> Schedules::build(const ScheduleSpec& spec,
                                                 const ZoneFinder& find_zone) {
  const std::string text = describe(spec);
  const auto known = lately_.find(text);
  if (known != lately_.end() && known->second.spec == spec) return known->second.schedule;
  auto built = Schedule::build(spec, find_zone);
  if (!built) return std::nullopt;
  if (lately_.size() >= kMost) lately_.clear();
  Shared<Schedule> schedule(*std::move(built));
  lately_.insert_or_assign(text, Built{spec, schedule});
  return schedule;
}

}  // namespace cronce
