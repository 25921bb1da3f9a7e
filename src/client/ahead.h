// Where a job's plan goes on from a time: what whoever resumes, retires or recedes a job has to
// tell the store, which computes no schedules.
#pragma once

#include <cstdint>
#include <optional>

#include "model/plan.h"
#include "schedule/schedule.h"

namespace cronce {

struct Ahead {
  Time base{};
  std::optional<Time> next;  // the first slot after `base`
  std::int64_t owed = 0;     // slots from the plan's next to `base`
};

Ahead look_ahead(const JobRow& row, const Schedule& schedule, Time base);

}  // namespace cronce
