// What a job file says of a job, on a world of nodes.
#pragma once

#include <string>
#include <vector>

#include "test/node/world.h"

namespace cronce::test {

using Row = Run;  // in a test that name is gtest's

/// `job`, which has a slot each second; `keys` are lines of its definition.
std::string job_each_second(const std::string& keys, const std::string& command);

/// One that only a person starts.
std::string job_on_request(const std::string& keys, const std::string& command);

/// Lives until there is a file `gate`, then tells the witness.
std::string until_gate(const World& world);

/// Of the witness: whether one has started before the one before it had ended.
bool saw_two_at_a_time(const World& world);

JobUid uid_of(const World& world, const std::string& job);

/// The rows of a slot, by attempt.
std::vector<Row> rows_of(const World& world, Time slot);

Time wall_time();

}  // namespace cronce::test
