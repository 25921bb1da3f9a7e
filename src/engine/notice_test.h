// A job of which somebody wants to hear, and runs of its slot at noon.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/notice.h"
#include "test/support/times.h"

namespace cronce {

using LedgerRow = Run;  // a test has a Run of its own

inline const Time kSlot = utc("2026-01-01T12:00:00Z");
inline const Time kNow = utc("2026-01-01T12:05:00Z");

inline const std::vector<std::string> kAllWords{"cancelled", "duplicate", "failed",    "late",
                                                "lost",      "skipped",   "succeeded", "timed_out"};

/// Its next slot is an hour after the one that the runs below are of.
inline JobRow noticed(std::vector<std::string> on, const std::function<void(Job&)>& change = {}) {
  Job job{.name = parse_job_name("billing").value(),
          .notify = Notify{.on = std::move(on), .command = "tell"}};
  if (change) change(job);
  JobRow row{JobUid{7}, job};
  row.sources.edit()["jobs"] = "d1";
  row.plan = {Turn{1}, kSlot, kSlot + std::chrono::hours(1), {}};
  return row;
}

/// On time, unless it says otherwise; ended, if that is its state.
inline Run ran(RunState state, Reason reason = Reason::none, std::uint64_t attempt = 1) {
  Run run;
  run.id = {JobUid{7}, Space::slot, kSlot, "", Attempt{attempt}};
  run.kind = attempt == 1 ? RunKind::scheduled : RunKind::retry;
  run.state = state;
  run.reason = reason;
  run.key = "k";
  run.due = kSlot;
  if (state == RunState::pending || state == RunState::held) return run;
  if (state != RunState::skipped) {
    run.claimed_at = kSlot;
    run.fence = Fence{attempt};
  }
  if (state != RunState::running) run.finished_at = kSlot + std::chrono::seconds(1);
  return run;
}

inline Run but(Run run, const std::function<void(Run&)>& change) {
  change(run);
  return run;
}

/// `failed#1 late#1`
inline std::string told_of(const JobRow& job, const std::vector<Run>& runs, Time now = kNow) {
  std::string text;
  for (const Notice& notice : notices_of(job, runs, now)) {
    text +=
        fmt::format("{}{}#{}", text.empty() ? "" : " ", notice.event, notice.run.id.attempt.value);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace cronce
