// The rows of the ledger: one attempt of a slot, or one range of slots that were settled without a
// run.
//
// States and reasons are closed lists; nothing else is stored or printed. Which moves between
// states are legal is not said here but by the engine's table.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/shared.h"
#include "base/time.h"

namespace cronce {

enum class RunState : std::uint8_t {
  pending,
  held,
  running,
  returned,  // an attempt given back; never a slot's last
  succeeded,
  failed,
  timed_out,
  cancelled,
  skipped,
  lost,
};

enum class Reason : std::uint8_t {
  none,
  // skipped
  overlap,
  missed,
  paused,
  past,
  calendar,
  guard,
  at_least_for,
  retired,
  max_runs,
  superseded,
  replaced,  // also of cancelled
  queue_full,
  expired,
  no_node,
  node_absent,
  civil_repeat,
  store_regressed,
  // failed
  exit,
  signal,
  spawn,
  http,
  retries_exhausted,
  // cancelled
  by_operator,
  drain,
  // lost
  node,
  keeper,
  regressed,
  // a result that arrived after `lost`
  late,
};

/// How a row came about; no part of its key.
enum class RunKind : std::uint8_t { scheduled, exec, backfill, manual, retry, rerun };

/// What the id of a row counts in.
enum class Space : std::uint8_t {
  slot,    // the instant
  manual,  // the request id
  boot,    // boot id and node
};

/// Unique for ever within a namespace. In space `slot` the instant is the id, elsewhere the text
/// is.
struct RunId {
  JobUid job;
  Space space = Space::slot;
  Time slot{};
  std::string request;
  Attempt attempt{1};
  auto operator<=>(const RunId&) const = default;
};

/// Who made a row, when, and by which version of the job.
struct Decided {
  std::string by;          // a node; empty: a person
  std::optional<Time> at;  // store time
  std::int64_t revision = 0;
  bool operator==(const Decided&) const = default;
};

struct Run {
  RunId id;
  RunKind kind = RunKind::scheduled;
  RunState state = RunState::pending;
  Reason reason = Reason::none;
  std::string key;  // idempotency key: written at the first attempt, stays
  Decided decided;

  // A range: every slot from id.slot to slot_to, `count` of them, settled at once.
  std::optional<Time> slot_to;
  std::int64_t count = 1;

  Time due{};
  std::optional<Fence> fence;  // drawn when the run becomes `running`
  std::optional<Incarnation> incarnation;
  std::string node;
  std::optional<Time> claimed_at;   // store time
  std::optional<Time> started_at;   // cluster time of the node
  std::optional<Time> finished_at;  // cluster time of the node
  std::optional<std::int64_t> exit_code;
  std::string output_tail;
  std::string progress;
  Shared<std::map<std::string, std::string>> env;  // added by whoever triggered it

  bool operator==(const Run&) const = default;
};

/// Nothing more will be stored about an ended run, but for a late result of a lost one.
bool is_ended(RunState state);

}  // namespace cronce
