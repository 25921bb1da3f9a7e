// The commands of a scenario; docs/scenarios.md says what each does.
#pragma once

#include <string>
#include <vector>

#include "test/scenario/world.h"

namespace cronce::scenario {

/// Empty, or why it could not be understood.
std::string perform_command(World& world, const Command& command);

/// The first words of all commands.
std::vector<std::string> command_words();

}  // namespace cronce::scenario
