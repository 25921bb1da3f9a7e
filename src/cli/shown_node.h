// The living nodes as commands print them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/store_args.h"

namespace cronce {

/// By name.
Result<std::vector<Node>, Refusal> read_nodes(const ReadStore& read);

/// How far the node's wall clock is from the store's time. Nodes and reader share a boot clock: the
/// store is on their host.
Duration clock_offset(const Node& node, const ReadStore& read);

/// How long ago its last beat was, as far as it says; `boot` is what the boot clock shows now.
std::optional<Duration> silence(const Node& node, Duration boot);
std::optional<Duration> silence(const Node& node, const Console& console);

/// No beat for so long that others will soon take it for dead.
bool is_silent(const Node& node, Duration boot);
bool is_silent(const Node& node, const Console& console);

/// Of its sources those of which it offers another version than the registered one: it runs none of
/// their jobs.
std::vector<std::string> outdated_sources(const Node& node, const std::vector<JobRow>& jobs);

/// Whether its files say what is registered of this job, or it has none and takes anything.
bool offers(const Node& node, const JobRow& job);

/// Whether its labels, role and files let it run this job.
bool may_run(const Node& node, const JobRow& job);

/// The node that decides the job's next slot, as things are; none if nobody could.
const Node* home_of(const JobRow& job, const std::vector<Node>& nodes, const Console& console);

}  // namespace cronce
