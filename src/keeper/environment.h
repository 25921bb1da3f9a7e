// The environment of a command: what it inherits, what its job says, and what it may know of its
// run. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keeper/user.h"
#include "model/operation.h"

namespace cronce {

/// What a command's environment needs beside its claim and its job.
struct RunFacts {
  std::string name_space;
  std::string node;
  std::string slot_local;             // the slot in the job's zone, with its offset
  std::optional<Time> deadline;       // the end of its timeout
  std::optional<Time> previous_slot;  // the newest earlier one that succeeded
};

/// `billing@2026-03-29T01:30:00Z#1`; `billing@manual/r-17#1` where there is no slot.
std::string run_label(const JobName& job, const RunId& run);

/// What a run is told as its slot. Outside the schedule it is when it was due: better than nothing,
/// and only informative.
Time told_slot(const Claim& claim);

/// The node's own without what is ours: its store's password is nobody else's.
std::vector<std::string> inherited_environment(const std::vector<std::string>& node_environment);

/// Whether a variable decides which code runs: then only the job file may say it, not whoever can
/// write the store.
bool loads_code(std::string_view name);

/// Entries `NAME=value`, each name once, sorted. Later ones win: the base (the node's own
/// environment without what is ours, or cron's small one), the user's HOME, LOGNAME, USER and SHELL
/// if the job names a user, the job's `env`, and CRONCE_*.
std::vector<std::string> child_environment(const Claim& claim, const Job& job,
                                           const RunFacts& facts, const User& user,
                                           const std::vector<std::string>& node_environment);

}  // namespace cronce
