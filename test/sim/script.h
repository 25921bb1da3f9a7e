// What a seed means: the nodes of a world, and the versions of its set of jobs.
#pragma once

#include <vector>

#include "engine/event.h"
#include "test/sim/stage.h"

namespace cronce::sim {

/// Job sets as they are deployed one after the other; each has a digest of its own.
std::vector<Offered> write_sets(Rng& rng);

/// A node of the world: name, labels, places.
Node write_node(Rng& rng, std::size_t index);

/// The row for tests (5 s) or for a short lease (15 s) of the protocol's table.
LeaseSettings write_lease(Rng& rng);

}  // namespace cronce::sim
