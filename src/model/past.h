// What was: definitions that a job had before, and what people did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/shared.h"
#include "base/time.h"
#include "model/job.h"
#include "model/run.h"

namespace cronce {

/// Which person asks for something, and why: for `why`, and for nothing else.
struct By {
  std::string who;
  std::string why;
  bool operator==(const By&) const = default;
};

/// What a person did to a job, to one of its runs, or to the store, as it is kept.
struct Intervention {
  enum class What : std::uint8_t {
    pause,
    resume,
    trigger,
    cancel,
    release,
    backfill,
    retire,
    recede,
    adopt,
    accept_clock,
  };
  Time at{};
  What what = What::pause;
  std::optional<RunId> run;   // that it was about, or that it made
  std::optional<Time> until;  // of a pause
  bool again = false;         // a backfill of what may have run
  By by;
  bool operator==(const Intervention&) const = default;
};

/// A definition that a job had once.
struct FormerDefinition {
  Time since{};
  Time until{};  // its slots up to then were decided by it
  std::uint64_t revision = 0;
  Shared<Job> definition;
  bool operator==(const FormerDefinition&) const = default;
};

/// What a job was before, and what people did to it; oldest first.
struct JobPast {
  std::vector<FormerDefinition> definitions;
  std::vector<Intervention> interventions;
};

}  // namespace cronce
