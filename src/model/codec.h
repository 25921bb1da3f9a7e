// The stored form of jobs, runs, nodes, claims and outcomes of writes: JSON with a version.
//
// What equals its default is left out, so a definition's text, and with it its digest, does not
// change when a new key is added to the model. Reading accepts every version up to ours; a newer
// one, an unknown member or a value out of its list is `corrupt`: an older program must not act on
// what it only half understands.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "model/job.h"
#include "model/node.h"
#include "model/operation.h"
#include "model/run.h"

namespace cronce {

inline constexpr int kCodecVersion = 1;

/// Outcomes are read by the process that made them alone. In their lists, which may be of a
/// thousand answers that hardly differ, what equals the one before is left out.
inline constexpr int kOutcomeVersion = 2;

std::string encode(const Job& job);
std::string encode(const Run& run);
std::string encode(const Node& node);
std::string encode(const Outcome& outcome);
std::string encode(const Claim& claim);

Result<Job> decode_job(std::string_view text);
Result<Run> decode_run(std::string_view text);
Result<Node> decode_node(std::string_view text);
Result<Outcome> decode_outcome(std::string_view text);
Result<Claim> decode_claim(std::string_view text);

/// Variables of an environment; none is an empty text.
std::string encode_env(const std::map<std::string, std::string>& env);
Result<std::map<std::string, std::string>> decode_env(std::string_view text);

/// Of a job's stored form. Equal definitions have equal digests on every machine.
Digest digest(const Job& job);

/// Of a set's canonical form: its jobs sorted by name. The source and the generation do not count.
Digest digest(const JobSet& set);

}  // namespace cronce
