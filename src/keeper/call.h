// An http action as a command of ours.
//
// The keeper owns processes, so a call is one: our own program, which reads from its input what to
// send, and prints what is answered. On a command line, or in an environment, others could read a
// password. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/operation.h"

namespace cronce {

/// The program that this process runs, even if its file has been replaced since.
inline constexpr std::string_view kOwnProgram = "/proc/self/exe";
/// Its command that makes a call; not for people.
inline constexpr std::string_view kCallCommand = "call";

/// What such a process reads.
struct CallOrder {
  std::string method;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::int64_t expect_low = 0;
  std::int64_t expect_high = 0;
  bool operator==(const CallOrder&) const = default;
};

/// The job's headers, and ours: the same facts as a command finds in its environment.
CallOrder call_order(const Claim& claim, const JobName& job, const HttpCall& call);

/// As JSON, in one line.
std::string print(const CallOrder& order);
/// Only what print() writes: no member may be missing, unknown or of another kind, and no header
/// may hold the end of its line. The message repeats nothing of the text.
Result<CallOrder> parse_call_order(std::string_view text);

}  // namespace cronce
