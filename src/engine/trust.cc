#include "engine/trust.h"

#include <algorithm>

#include <fmt/format.h>

namespace cronce {

Duration trust_of(const LeaseSettings& s) {
  return s.lease * (100 - s.drift_percent) / (100 + s.drift_percent) - s.stop;
}

Status check_lease(const LeaseSettings& s) {
  const Duration least = std::min({s.lease, s.beat, s.answer_timeout, s.stop});
  if (least <= Duration{0} || s.drift_percent < 0 || s.drift_percent >= 100) {
    return Error{Code::invalid,
                 "a lease, its beat, its answer timeout and its stop are longer "
                 "than nothing, and clocks drift by 0 to 99 %"};
  }
  const Duration needed = 2 * s.beat + s.answer_timeout;
  const Duration trust = trust_of(s);
  if (needed <= trust) return Done{};
  return Error{
      Code::invalid,
      fmt::format("a lease of {} gives {} of trust, but two beats of {} and an answer timeout of "
                  "{} need {}: use a longer lease or a shorter beat",
                  print(s.lease), print(trust), print(s.beat), print(s.answer_timeout),
                  print(needed))};
}

}  // namespace cronce
