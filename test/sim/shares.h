// A range of seeds, dealt out to processes of its own.
//
// A process that dies takes nothing with it but itself: its seed is the one that failed.
#pragma once

#include "test/sim/campaign.h"
#include "test/sim/tally.h"

namespace cronce::sim {

WorldSettings settings_of(const Campaign& campaign, std::uint64_t seed);

/// Each process stops at its first seed that fails.
Tally run_shares(const Campaign& campaign);

}  // namespace cronce::sim
