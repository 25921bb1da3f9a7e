// What the store keeps about a job besides its definition, as nodes see it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/seldom.h"
#include "base/shared.h"
#include "base/time.h"
#include "model/job.h"
#include "model/node.h"
#include "model/run.h"

namespace cronce {

/// Where a job stands. Everything at or before the cursor is settled; `next` is the slot that is
/// expected next, none if there is no other; every change of the plan increases the turn.
struct Plan {
  Turn turn;
  Time cursor{};
  std::optional<Time> next;
  std::optional<CivilTime>
      label;  // the greatest civil time settled so far, for fixed-time schedules
  bool operator==(const Plan&) const = default;
};

/// A run as its job's row remembers it while it is alive.
struct LiveRun {
  RunId id;
  Incarnation incarnation;
  Fence fence;
  bool operator==(const LiveRun&) const = default;
};

/// A run that waits for its turn.
struct PendingRun {
  RunId id;
  RunKind kind = RunKind::scheduled;
  Time due{};
  bool deferred = false;  // waits for a suspicion to end, then runs or is skipped
  bool operator==(const PendingRun&) const = default;
};

/// What a person asked for waits as long as it must.
inline bool may_expire(const PendingRun& run) {
  return run.id.space == Space::slot && run.kind != RunKind::backfill;
}

/// A person's pause; a file's is part of the definition.
struct Pause {
  std::optional<Time> until;
  std::string note;
  bool operator==(const Pause&) const = default;
};

struct JobRow {
  JobUid uid;
  Shared<Job> definition;
  Shared<std::map<std::string, std::string>> sources;  // source -> digest
  std::uint64_t revision = 0;                          // grows with each change of the definition
  Time since{};  // slots after it are this definition's; of a retired job it means nothing
  Plan plan;
  Shared<Knowledge> pointed_by;  // what the node that computed `next` knew
  Shared<std::string> moved_by;  // the node that changed the plan last
  std::optional<JobUid> whole;   // this row is a node's share of that job, which runs everywhere
  Shared<std::string> member;    // the name of that node
  Seldom<Pause> pause;
  std::vector<LiveRun> live;
  std::vector<PendingRun> pending;  // oldest slot first
  std::uint64_t fence_count = 0;
  std::int64_t runs_started = 0;  // slots of the schedule, each once however often it was tried
  Time busy_until{};              // at_least_for
  Time floor{};                   // the newest slot whose record was purged
  Time succeeded = kMinTime;      // the newest slot that did
  Attempt purged{1};       // the greatest attempt of a purged record: a number is never given again
  bool only_exec = false;  // made by `exec`: no file defines it, and nothing of it is settled

  bool retired() const { return sources->empty() && !only_exec; }
  bool paused() const { return definition->paused || pause.has_value(); }
  /// Runs on every node: the members have slots, this row has none.
  bool is_whole() const { return definition->everywhere && !whole; }
};

}  // namespace cronce
