// The runs of one request: a row, or one on each node, and how they end.
#pragma once

#include <string>
#include <vector>

#include "cli/steer.h"
#include "cli/stop_signals.h"

namespace cronce {

struct RequestedRun {
  const JobRow* job;
  Run run;  // its last attempt
};

/// The last attempt of each run that a request has made, with its output; none if there was no such
/// request. `jobs` is a job and its shares; nothing of it was due before `since`.
Result<std::vector<RequestedRun>, Refusal> read_request(const ReadStore& read,
                                                        const std::vector<const JobRow*>& jobs,
                                                        const std::string& request, Time since);

/// Until all of them have ended, retries included, or a signal comes: then it is named, and the
/// runs go on. While the store is away it is asked again.
struct Waited {
  std::vector<RequestedRun> runs;
  int signal = 0;
};
Waited wait_for_end(const ReadStore& read, std::vector<RequestedRun> runs,
                    const StopSignals& signals, const Console& console);

/// Whether nothing more will come of it.
bool is_over(const Run& run);

/// As that of the command: its own, 124 timed out, 75 if it did not start, otherwise 1.
int exit_code_of(const Run& run);

}  // namespace cronce
