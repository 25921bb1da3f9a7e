// The ledger as people read it: newest first, one line for each slot.
//
// A range of slots that were settled at once is one row; here it becomes a line for each of its
// slots, as far as the job's schedule still tells which they are. After a change of the schedule it
// does not, and the range stays one line.
#pragma once

#include <vector>

#include "cli/store_args.h"
#include "cli/table.h"
#include "model/shown_run.h"

namespace cronce {

struct LedgerLine {
  const JobRow* job;
  Run run;  // slot_to is set if it is a range still
};

struct LedgerAsk {
  std::vector<const JobRow*> jobs;  // none: all
  Time from = kMinTime;
  Time to = kMaxTime;
  std::vector<RunState> states;  // none: all
  std::size_t limit = 100;
  bool attempts = false;  // a line for each, not only for the last
  bool ranges = false;    // as they are
};

struct LedgerLines {
  std::vector<LedgerLine> lines;
  bool more = false;  // than the limit
};

Result<LedgerLines, Refusal> read_ledger(const ReadStore& read, const LedgerAsk& ask);

/// As run_json().
json::object ledger_json(const LedgerLine& line);

/// `2026-03-29T01:30:00Z`, `2026-03-29T01:30:00Z #2`, `manual r-17`, `A to B (3 slots)`
std::string shown_id(const Run& run);

/// `skipped: overlap`, in the colour that says how it went.
Cell state_cell(const Run& run);

/// When it was, or how it is going: for a column beside the state.
std::string shown_when(const Run& run, Time now);

/// A table of lines, with their jobs' names if they are of several.
Table ledger_table(const std::vector<LedgerLine>& lines, Time now, bool with_jobs);

}  // namespace cronce
