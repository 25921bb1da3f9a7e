// People's commands on a world of nodes.
#pragma once

#include <string>

#include "test/node/world.h"

namespace cronce::test {

/// Of the witness.
std::size_t count_lines(const World& world, const std::string& beginning);

void expect_said(const World::Said& said, int exit_code, const std::string& text);

/// A node with jobs.yaml that decides.
NodeProcess& start_ready(World& world, const std::string& name);

/// How often the node of the world has beaten.
std::uint64_t beats_so_far(const World& world);

}  // namespace cronce::test
