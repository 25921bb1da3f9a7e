// The columns of a run that everybody reads, and how.
#pragma once

#include "store/embedded/rows.h"
#include "store/postgres/values.h"

#define PG_RUN                                                                               \
  "r.job, r.space, r.slot, r.request, r.attempt, r.kind, r.state, r.reason, r.key, r.due, "  \
  "r.fence, r.incarnation, r.node, r.claimed_at, r.started_at, r.finished_at, r.exit_code, " \
  "r.concurrency, r.stop, r.deferred, r.confirmed, r.decided_by, r.decided_at, r.revision, r.env"

// Of some jobs `j` what they say has not ended, as `r`: each looked up by its key, whatever the
// server thinks of how many there are.
#define PG_OPEN(some_jobs)                                                               \
  some_jobs                                                                              \
      " CROSS JOIN LATERAL unnest(j.open::cronce.run_id[]) AS i CROSS JOIN LATERAL "     \
      "(SELECT * FROM cronce.runs r WHERE r.ns = j.ns AND r.job = j.uid AND r.space = "  \
      "i.space AND r.slot = i.slot AND r.request = i.request AND r.attempt = i.attempt " \
      "OFFSET 0) AS r"
// Who holds it, and what is kept of it while it lives.
#define PG_LIVE(some_jobs)                                                              \
  "SELECT r.job, r.space, r.slot, r.request, r.attempt, r.incarnation, r.concurrency, " \
  "r.stop, r.confirmed FROM " PG_OPEN(some_jobs) " WHERE r.state = 'running'"

namespace cronce::postgres {

/// Without what it printed and how far it is.
embedded::StoredRun read_run(Reader& in);

}  // namespace cronce::postgres
