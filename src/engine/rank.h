// Who acts first for a job: every node computes the same order, nobody is elected.
//
// Rendezvous hashing over (job, incarnation): rank 0 is the job's home. A wrong view of the
// membership costs a refused attempt, never a second run.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace cronce {

/// One node as a candidate: those that fit come before those that could only enqueue.
struct Candidate {
  Incarnation incarnation;
  bool fits = true;
};

/// The place of `self` among the candidates, from 0; their number if it is not among them.
std::size_t rank_of(JobUid job, const Incarnation& self, const std::vector<Candidate>& candidates);

/// How long a rank waits before it stands in: min(rank, 10) x standby.
Duration standby_delay(std::size_t rank, Duration standby);

}  // namespace cronce
