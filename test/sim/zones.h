// Two releases of zone data that disagree about one zone: what nodes of different age compute.
#pragma once

#include <string>

#include "schedule/zone.h"

namespace cronce::sim {

/// In the older release it is UTC; in the newer one its clocks are moved twice in the first minutes
/// of the world, forward and back again.
inline constexpr const char* kMovedZone = "Sim/Moved";

inline const std::string kOldZones = "2026a";
inline const std::string kNewZones = "2026b";

/// How schedules find their zones under that release.
ZoneFinder zones_of(const std::string& release);

}  // namespace cronce::sim
