// Schedules as they were built lately: jobs with the same one share it.
//
// Many jobs have few schedules, and a node keeps all of them in memory.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/shared.h"
#include "schedule/schedule.h"

namespace cronce {

class Schedules {
 public:
  /// None if it cannot be built: it is of a newer version.
  std::optional<Shared<Schedule>> build(const ScheduleSpec& spec, const ZoneFinder& find_zone);

 private:
  static constexpr std::size_t kMost = 4'096;

  struct Built {
    ScheduleSpec spec;
    Shared<Schedule> schedule;
  };
  std::map<std::string, Built> lately_;  // by their descriptions, which may be alike
};

}  // namespace cronce
