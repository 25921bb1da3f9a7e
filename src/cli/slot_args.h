// What a person means by SLOT: a time, `last`, `next`, or the request of a run that was asked for.
#pragma once

#include <optional>
#include <string>

#include "cli/store_args.h"

namespace cronce {

struct AskedSlot {
  const JobRow* job;
  RunId any_attempt;  // attempt 0
};

/// The job that is named, or a node's share of it: not one that has no slots of its own.
Result<const JobRow*, Refusal> find_one_job(const ReadStore& read, const std::string& name);

/// RFC 3339, a civil time in the job's zone, `last` for the newest record, `next`, or a request id.
Result<AskedSlot, Refusal> read_slot(const ReadStore& read, const JobRow& job,
                                     const std::string& text);

/// Every attempt that is recorded of it, oldest first; `output` is with the tails, which are long.
enum class Output : bool { without, with };
Result<std::vector<Run>, Refusal> read_attempts(const ReadStore& read, const AskedSlot& asked,
                                                Output output);

/// Every attempt of a request, or of a boot, of which none was due before `since`; oldest first,
/// none if there was no such one. Rows have no index by request: it looks back from the newest as
/// far as it must.
Result<std::vector<Run>, Refusal> read_request_attempts(const ReadStore& read, const JobRow& job,
                                                        const std::string& request, Time since,
                                                        Output output);

/// `billing@2026-03-29T01:30:00Z`, `billing@manual/r-17`
std::string shown_slot(const AskedSlot& asked);

/// The same, with `#2` for a later attempt.
std::string shown_run(const JobRow& job, const RunId& run);

}  // namespace cronce
