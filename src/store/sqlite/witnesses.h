// The time of a store without a clock: what most of the living nodes say.
//
// Each beat tells how far its node's wall clock is from the clock that counts since the host
// started, which all of them share. Store time is that clock plus the lower median of the living
// nodes' readings; of an asker that lives, its reading at this moment counts. Where nobody lives,
// the asker's own is all there is.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "store/embedded/store_clock.h"

namespace cronce::sqlite {

/// Farther than this from the others a node of the same host decides nothing.
inline constexpr Duration kBudget{2'000};

/// The reading to go by, and whether whoever has the reading `own` is too far from it. Of two that
/// disagree nobody decides, until a person has called one of them right.
struct Verdict {
  Duration reading{};
  bool disputed = false;
};
Verdict judge(std::vector<Duration> readings, Duration own, std::optional<Duration> accepted);

class WitnessClock final : public embedded::StoreClock {
 public:
  /// The clock of this process, which is the asker's.
  explicit WitnessClock(const Clock& clock) : clock_(clock) {}

  embedded::Moment now(const embedded::Tables& tables, const Incarnation& asker) const override;

 private:
  const Clock& clock_;
};

}  // namespace cronce::sqlite
