// What a chaos run leaves behind, as plain values: what the jobs wrote themselves, and what the
// commands that read the store say.
//
// Nothing of ours is used to read either: a mistake in our own times or ledgers must not hide
// itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "test/chaos/jobs.h"

namespace cronce::chaos {

/// Milliseconds since 1970.
using Millis = std::int64_t;
inline constexpr Millis kSecond = 1'000;

/// One line of the witness; see actor.cc. Their order is the order in which they happened.
struct WitnessLine {
  std::string what;  // begin, beside, end
  std::string job;
  Millis slot = 0;
  int attempt = 0;
  std::uint64_t fence = 0;
  std::string node;
  std::int64_t pid = 0;
  Millis at = 0;  // by the kernel's wall clock
  int exit_code = 0;
};

/// One line of `cronce history --attempts --json`.
struct Record {
  std::string job;
  Millis slot = 0;
  int attempt = 0;
  std::string state;
  std::string reason;
  std::uint64_t fence = 0;
  std::string node;
  std::optional<int> exit_code;
};

/// One line of `cronce jobs --json`.
struct JobLine {
  std::string job;
  std::optional<Millis> next;
  int running = 0;
};

struct Evidence {
  std::vector<JobSpec> jobs;
  std::vector<WitnessLine> witness;
  std::vector<Record> records;
  std::vector<JobLine> lines;
  /// The first line of `cronce why`, for some slots.
  std::map<std::pair<std::string, Millis>, std::string> stories;
  /// Slots after the first and up to the last of these must be accounted for.
  Millis from = 0;
  Millis to = 0;
};

/// `2026-03-29T01:30:00Z`, perhaps with a fraction; none for anything else.
std::optional<Millis> read_time(const std::string& text);
std::string print_time(Millis time);

/// What is not a line of the witness is told in `trouble`.
std::vector<WitnessLine> read_witness(const std::string& text, std::vector<std::string>& trouble);
std::vector<Record> read_history(const std::string& json_lines);
std::vector<JobLine> read_jobs(const std::string& json_lines);

}  // namespace cronce::chaos
