#include "schedule/civil.h"

#include <algorithm>

namespace cronce {

Reach reach(const Stretch& s, DstRule rule) {
  // Unique: what the clocks show between the two changes.
  Reach r{{civil(s.begin, s.offset), civil(s.end, s.offset)}, {}};

  // Skipped: at the beginning the clocks went forward, over [before, now).
  if (s.offset > s.before && rule.gap == Gap::jump) {
    r.skipped = {civil(s.begin, s.before), civil(s.begin, s.offset)};
  }

  // Repeated: at the beginning the clocks went back, and this stretch begins with the second pass.
  if (s.offset < s.before && rule.fold == Fold::first) {
    r.own.from = civil(s.begin, s.before);
  }

  // Repeated: at the end the clocks go back, and this stretch ends with the first pass.
  if (s.after < s.offset && rule.fold == Fold::second) {
    r.own.to = civil(s.end, s.after);
  }
  return r;
}

std::optional<std::chrono::sys_seconds> resolve(const Zone& zone, CivilTime time, DstRule rule) {
  const std::chrono::sys_seconds near{time.time_since_epoch()};
  for (Stretch s = zone.at(near - kFarthest); s.begin <= near + kFarthest; s = zone.at(s.end)) {
    const Reach r = reach(s, rule);
    if (r.skipped.holds(time)) return s.begin;
    if (r.own.holds(time)) return s.instant(time);
  }
  return std::nullopt;
}

}  // namespace cronce
