// How often a schedule fires, in words.
#pragma once

#include <chrono>
#include <string>

#include "schedule/schedule.h"

namespace cronce {

/// Over so long a schedule is counted.
inline constexpr std::chrono::days kFrequencySpan{365};

/// How often over the coming year, or over the first one of a schedule that begins later: `96 a
/// day`, `about 21.7 a month`. One that ends within it has no rate: `17 left`. The slots of a list
/// have to be walked, so of a busy one the beginning stands for the year.
std::string frequency(const ScheduleSpec& spec, const Schedule& schedule, Time from);

}  // namespace cronce
