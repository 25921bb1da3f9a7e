#include "test/sim/zones.h"

#include "test/sim/clocks.h"

namespace cronce::sim {
namespace {

std::shared_ptr<const Zone> moved_zone(bool is_new) {
  const auto origin = std::chrono::floor<Seconds>(kOrigin);
  std::vector<Zone::Change> changes;
  if (is_new) {
    changes = {{origin + Seconds{170}, Seconds{20}}, {origin + Seconds{430}, Seconds{-15}}};
  }
  return std::make_shared<const Zone>(kMovedZone, Seconds{0}, std::move(changes));
}

}  // namespace

ZoneFinder zones_of(const std::string& release) {
  static const std::shared_ptr<const Zone> kOld = moved_zone(false);
  static const std::shared_ptr<const Zone> kNew = moved_zone(true);
  return [zone = release == kNewZones ? kNew : kOld](std::string_view name) -> ZoneResult {
    if (name == kMovedZone) return zone;
    return load_zone(name);
  };
}

}  // namespace cronce::sim
