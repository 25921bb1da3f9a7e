// What a chaos run leaves behind, as plain values: what the jobs wrote themselves, and what the
// commands that read the store say.
//
// Nothing of ours is used to read either: a mistake in our own times or ledgers must not hide
// itself.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/chaos/jobs.h"

namespace cronce::chaos {

/// Milliseconds since 1970.
using Millis = std::int64_t;
inline constexpr Millis kSecond = 1'000;

/// Which slot, or which request of a person: that has no slot.
struct SlotRef {
  std::string job;
  Millis slot = 0;
  std::string request = {};
  auto operator<=>(const SlotRef&) const = default;
};
struct RunRef {
  SlotRef of;
  int attempt = 0;
  auto operator<=>(const RunRef&) const = default;
};
std::string print(const SlotRef& slot);
std::string print(const RunRef& run);

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
  std::string key = {};
  std::string request = {};  // as its key says

  SlotRef slot_ref() const { return {job, request.empty() ? slot : 0, request}; }
  RunRef ref() const { return {slot_ref(), attempt}; }
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
  std::string kind = "scheduled";
  std::string request = {};
  Millis claimed_at = 0;

  SlotRef slot_ref() const { return {job, slot, request}; }
  RunRef ref() const { return {slot_ref(), attempt}; }
};

/// One line of `cronce jobs --json`.
struct JobLine {
  std::string job;
  std::optional<Millis> next;
  int running = 0;
};

/// One line of `cronce verify --json`.
struct Finding {
  std::string what;
  RunRef run;
  std::string text;
};

/// What a person did, and what was answered.
enum class What { trigger, pause, resume, cancel, backfill, release, retire, recede, drop };
inline constexpr int kWhats = 9;
std::string name_of(What what);

struct Act {
  What what{};
  std::vector<std::string> jobs = {};  // that it is about
  Millis began = 0;                    // by the kernel's wall clock
  Millis ended = 0;
  int exit_code = -1;        // 128 + signal
  bool waits = false;        // trigger --wait: the exit code is the run's
  bool killed = false;       // by us, so that nobody knows whether it was done
  std::string request = {};  // of a trigger
  Millis from = 0;           // of a backfill
  Millis to = 0;
  bool again = false;
  int until_ms = 0;               // of a pause; 0: until somebody ends it
  std::vector<RunRef> runs = {};  // that it says it has made, stopped or released
  std::string said = {};          // all that it printed
};

/// What the store said between these times it may have forgotten: it was put back to what it was
/// at the first, or another took its place that had not heard of it.
struct Forgotten {
  Millis from = 0;
  Millis to = 0;
};

/// Of a node: the life of a process, or a hard time, in which it was frozen or its line was bad.
struct Span {
  std::string node;
  Millis from = 0;
  Millis to = 0;
};

struct Evidence {
  std::vector<JobSpec> jobs;
  std::vector<WitnessLine> witness;
  std::vector<Record> records;
  std::vector<JobLine> lines;
  std::vector<Finding> findings;
  std::vector<Act> acts;
  /// The first line of `cronce why`, for some slots.
  std::map<SlotRef, std::string> stories;
  std::vector<Forgotten> forgotten;
  std::vector<Span> lives;
  std::vector<Span> hard_times;
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
std::vector<Finding> read_findings(const std::string& json_lines);
/// The runs that a command names with --json, among whatever else it says.
std::vector<RunRef> read_runs(const std::string& said);

}  // namespace cronce::chaos
