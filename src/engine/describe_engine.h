// One line of text for what reaches the engine and what it orders: logs, traces and tests read the
// same.
#pragma once

#include <string>

#include "engine/action.h"
#include "engine/event.h"

namespace cronce {

/// `beat answered: 3 nodes, 1 changed`, `run ended: slot 2026-03-29T01:30:00Z #1 succeeded`
std::string describe(const Event& event);

/// `decide 2 entries (write 17)`, `start slot 2026-03-29T01:30:00Z #1 fence 1099511627777`
std::string describe(const Action& action);

/// `moved`, `busy`
std::string_view describe(Refused refused);

/// What a write was answered: `granted, moved`
std::string describe(const Outcome& outcome);

}  // namespace cronce
