// The columns of a run that everybody reads, and how.
#pragma once

#include "store/embedded/rows.h"
#include "store/postgres/values.h"

#define PG_RUN                                                                               \
  "r.job, r.space, r.slot, r.request, r.attempt, r.kind, r.state, r.reason, r.key, r.due, "  \
  "r.fence, r.incarnation, r.node, r.claimed_at, r.started_at, r.finished_at, r.exit_code, " \
  "r.concurrency, r.stop, r.deferred, r.confirmed, r.decided_by, r.decided_at, r.revision, r.env"

namespace cronce::postgres {

/// Without what it printed and how far it is.
embedded::StoredRun read_run(Reader& in);

}  // namespace cronce::postgres
