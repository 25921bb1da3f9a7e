// A run as programs read it: one shape in `history --json` and in notices.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "model/plan.h"
#include "model/run.h"

namespace cronce {

/// `billing`; a node's share of a job that runs everywhere is `billing/NODE`.
std::string shown_name(const JobRow& job);

/// The members that `history` promises; `request` where there is no slot, `slot_to` and `count` of
/// a range.
json::object run_json(const std::string& shown_name, const Run& run);

/// null where there is none.
json::value time_json(const std::optional<Time>& time);

}  // namespace cronce
