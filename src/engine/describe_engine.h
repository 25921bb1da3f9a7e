// One line of text for what reaches the engine and what it orders: logs, traces and tests read the
// same.
#pragma once

#include <string>

#include "engine/action.h"
#include "engine/event.h"

namespace cronce {

/// `write 17 not answered`, `run started: job 3 slot 2026-03-29T01:30:00Z #1`
std::string describe(const Event& event);

/// `write 4: settle the last write`, `start billing slot 2026-03-29T01:30:00Z #1 fence
/// 1099511627777`
std::string describe(const Action& action);

/// `moved`, `busy`
std::string_view describe(Refused refused);

/// What a write was answered: `take: granted busy`
std::string describe(const Outcome& outcome);

}  // namespace cronce
