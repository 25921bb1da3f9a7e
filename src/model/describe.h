// One line of text for every value: the same in logs, traces, tests and error messages.
#pragma once

#include <string>

#include "model/job.h"
#include "model/node.h"
#include "model/operation.h"
#include "model/plan.h"
#include "model/run.h"
#include "model/schedule_spec.h"
#include "model/slot.h"

namespace cronce {

/// `billing@2026-03-29T01:30:00Z`
std::string describe(const Slot& slot);

/// `slot 2026-03-29T01:30:00Z #2`, `manual r-17 #1`
std::string describe(const RunId& id);

/// `skipped: overlap`, `succeeded`
std::string describe(RunState state, Reason reason);

/// `slot 2026-03-29T01:30:00Z #1 running fence 1099511627777 on node a`
std::string describe(const Run& run);

/// `a/6f3c... beat 12, 3 of 8 running`
std::string describe(const Node& node);

/// `cursor 2026-03-29T01:30:00Z, next 2026-03-29T01:45:00Z`
std::string describe(const Plan& plan);

/// `billing: cursor 2026-03-29T01:30:00Z, next none, 1 live, 2 pending, paused`
std::string describe(const JobRow& job);

/// `slot 2026-03-29T01:30:00Z #1 fence 1099511627777`
std::string describe(const Claim& claim);

/// `epoch 1, position 17 at 2026-03-29T01:30:00Z`
std::string describe(const Mark& mark);

/// `0 2 * * *`, `every 15m from 2026-01-01`, `after 10m`
std::string describe(const ElementSpec& element);

/// The elements, joined by ` + `, and the zone unless it is UTC.
std::string describe(const ScheduleSpec& schedule);

/// `https://me:secret@host/` -> `https://***@host/`
std::string without_password(const std::string& url);

/// `./bill --all`, `a | b`, `POST https://...`, of which who calls is left out: it is for everybody
/// who may read the store's jobs, and a password is not.
std::string describe(const Command& command);

/// `billing: 0 0 * * * Europe/Berlin -> ./bill --all`
std::string describe(const Job& job);

}  // namespace cronce
