// The slots of a job's past, by the definitions that it had then, and what became of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/slot_args.h"

namespace cronce {

/// What a backfill would do with a slot.
enum class Fate : std::uint8_t {
  runs,     // it did not run: it is asked for
  ran,      // it may have: only --again
  unknown,  // nothing is recorded of it: only --again
  open,     // it waits, or runs
};

struct PastSlot {
  Time slot{};
  Fate fate = Fate::unknown;
  std::optional<Run> last;  // its last attempt, or the range that it is one of

  bool is_asked(bool again) const { return fate == Fate::runs || (again && fate != Fate::open); }
};

/// From and to included, nothing after the job's cursor; oldest first. More than can be looked
/// at is a refusal.
Result<std::vector<PastSlot>, Refusal> read_past_slots(const ReadStore& read, const JobRow& job,
                                                       Time from, Time to);

/// `succeeded`, `skipped: missed`, `nothing recorded`
std::string shown_fate(const PastSlot& slot);

}  // namespace cronce
