// A row per command: its first word, and what it does.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "test/scenario/args.h"
#include "test/scenario/world.h"

namespace cronce::scenario {

struct CommandRow {
  std::string_view word;
  void (*perform)(World& world, Args& args, const std::string& body);
  bool has_body = false;
};

std::span<const CommandRow> cluster_commands();
std::span<const CommandRow> network_commands();
std::span<const CommandRow> console_commands();

}  // namespace cronce::scenario
