// The DST rule, in one place: what fires where two stretches of a zone meet.
//
// A civil time is unique, skipped (the clocks went forward over it) or repeated (they went back).
// Unique times fire. The rule decides the other two.
#pragma once

#include "base/time.h"
#include "model/schedule_spec.h"
#include "schedule/zone.h"

namespace cronce {

inline constexpr Seconds kSecond{1};

/// What clocks show that are ahead of UTC by `offset`.
inline CivilTime civil(std::chrono::sys_seconds t, Seconds offset) {
  return CivilTime{t.time_since_epoch() + offset};
}

/// The civil times in [from, to).
struct CivilRange {
  CivilTime from{};
  CivilTime to{};

  bool empty() const { return from >= to; }
  bool holds(CivilTime c) const { return from <= c && c < to; }
};

/// What a stretch fires: each civil time of `own` at its instant, and, if any civil time of
/// `skipped` matches, one slot at the stretch's first instant.
struct Reach {
  CivilRange own;
  CivilRange skipped;
};

Reach reach(const Stretch& stretch, DstRule rule);

/// The instant at which one civil time fires; none if it is skipped and the rule skips it too.
/// Under Fold::both it is the first of the two.
std::optional<std::chrono::sys_seconds> resolve(const Zone& zone, CivilTime time, DstRule rule);

/// No offset, and no change of one, is as large: what a civil time can fire at is that near.
inline constexpr std::chrono::hours kFarthest{36};

/// Elapsed time: every instant whose civil time matches, however the clocks are set.
inline constexpr DstRule kElapsed{Gap::skip, Fold::both};

}  // namespace cronce
