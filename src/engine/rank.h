// Who acts first for a job: every node computes the same order, nobody is elected.
//
// Rendezvous hashing over (job, incarnation): rank 0 is the job's home. A wrong view of the
// membership costs a refused attempt, never a second run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace cronce {

/// Who comes first whatever the hash says.
enum class Tier : std::uint8_t {
  fits,     // could run it
  decides,  // could only let others run it
  older,    // knows less of zones and schedules than whoever computed the stored next
};

struct Candidate {
  Incarnation incarnation;
  Tier tier = Tier::fits;
};

/// The place of `self` among the candidates, from 0; their number if it is not among them.
std::size_t rank_of(JobUid job, const Incarnation& self, const std::vector<Candidate>& candidates);

/// How long a rank waits before it stands in: min(rank, 10) x standby.
Duration standby_delay(std::size_t rank, Duration standby);

}  // namespace cronce
