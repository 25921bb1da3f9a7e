#include "engine/rank.h"

#include <algorithm>

namespace cronce {
namespace {

/// A mixing step that spreads single-bit differences over all bits.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

std::uint64_t weight(JobUid job, const Incarnation& node) {
  return mix(mix(job.value + 0x9e3779b97f4a7c15U) ^ node.bits[0] ^ mix(node.bits[1]));
}

}  // namespace

std::size_t rank_of(JobUid job, const Incarnation& self, const std::vector<Candidate>& candidates) {
  const auto me = std::find_if(candidates.begin(), candidates.end(),
                               [&](const Candidate& c) { return c.incarnation == self; });
  if (me == candidates.end()) return candidates.size();
  const std::uint64_t own = weight(job, self);
  std::size_t ahead = 0;
  for (const Candidate& other : candidates) {
    if (other.incarnation == self) continue;
    const std::uint64_t theirs = weight(job, other.incarnation);
    const bool heavier = theirs > own || (theirs == own && other.incarnation < self);
    if (other.tier != me->tier ? other.tier < me->tier : heavier) ++ahead;
  }
  return ahead;
}

Duration standby_delay(std::size_t rank, Duration standby) {
  return standby * static_cast<int>(std::min<std::size_t>(rank, 10));
}

}  // namespace cronce
