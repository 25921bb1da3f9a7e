// What a transaction of rows.h has written so far.
#pragma once

#include "store/postgres/rows.h"

namespace cronce::postgres {

struct Rows::Batch {
  std::vector<Value> meta;  // of which there is one
  Columns no_runs, no_ranges, no_keys, no_sources, no_past;
  Columns nodes, lanes, sources, digests, jobs, definitions, job_sources, new_runs, runs,
      moved_runs, ranges, keys, former, interventions;
  std::vector<JobUid> touched;  // those in jobs, in the order of their uids

  std::map<embedded::LaneId, std::uint64_t> sequences;  // of the lanes
  Meta counted;

  /// Adds the statements that write all of it: what has to go goes before what comes in its place.
  void add_to(std::vector<PostgresStatement>& statements, const std::string& ns);
  /// Those that it does not write, of some in the order of their uids.
  std::vector<JobUid> others_of(const std::vector<JobUid>& compared) const;
  /// The same as add_to() in one statement, for jobs, their rows and lanes alone, where others may
  /// have written since that was known, but not these jobs: positions and changes are counted on
  /// from what they are by then.
  PostgresStatement after_others(const std::string& ns, const Meta& known);

 private:
  /// Now and then.
  bool forgets() const { return counted.position % 64 == 0; }
};

}  // namespace cronce::postgres
