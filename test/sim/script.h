// What a seed means: the nodes of a world, and the versions of its set of jobs.
#pragma once

#include <vector>

#include "engine/event.h"
#include "test/sim/stage.h"

namespace cronce::sim {

/// The files of a world, in the versions in which they are deployed one after the other; each has a
/// digest of its own.
struct Script {
  std::vector<Offered> sets;    // the jobs of everybody
  std::vector<Offered> extras;  // a second source, on some hosts; its last version is at peace with
                                // every set
  bool numbered = false;        // the sets carry numbers
};
Script write_script(Rng& rng);

/// A job that only `exec` knows; later sets may define it.
Job outside_job();

/// A node of the world: name, labels, places, what it knows of zones.
Node write_node(Rng& rng, std::size_t index);

/// The row for tests (5 s) or for a short lease (15 s) of the protocol's table.
LeaseSettings write_lease(Rng& rng);

}  // namespace cronce::sim
