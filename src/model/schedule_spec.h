// When a job runs, as its author said it: plain values, nothing computed yet.
//
// schedule/schedule.h turns a ScheduleSpec into times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/seldom.h"
#include "base/shared.h"
#include "base/time.h"

namespace cronce {

/// What becomes of a civil time that a clock change removes.
enum class Gap : std::uint8_t {
  jump,  // it fires at the first instant after the gap
  skip,  // it does not fire that day
};

/// What becomes of a civil time that a clock change repeats.
enum class Fold : std::uint8_t { first, second, both };

/// How fixed-time schedules meet a clock change. Wildcard-hour schedules and intervals follow
/// elapsed time and do not ask.
struct DstRule {
  Gap gap = Gap::jump;
  Fold fold = Fold::first;
  bool operator==(const DstRule&) const = default;
};

/// Five or six cron fields, or a macro such as `@daily`; without a zone prefix.
struct CronSpec {
  std::string text;
  bool operator==(const CronSpec&) const = default;
};

/// Every so often, aligned to the anchor (default: the epoch), never to a process's start.
struct EverySpec {
  Duration interval{};
  Seldom<WrittenTime> anchor;
  bool operator==(const EverySpec&) const = default;
};

/// Once, at that time.
struct AtSpec {
  WrittenTime time;
  bool operator==(const AtSpec&) const = default;
};

/// That long after the previous run has ended. Only the store knows when; stands alone.
struct AfterSpec {
  Duration delay{};
  bool operator==(const AfterSpec&) const = default;
};

/// Once per boot of a node. Crontabs only; stands alone.
struct RebootSpec {
  bool operator==(const RebootSpec&) const = default;
};

using ElementSpec = std::variant<CronSpec, EverySpec, AtSpec, AfterSpec, RebootSpec>;

/// The first and the last moment at which a slot may lie, both included.
struct Between {
  std::optional<WrittenTime> from;
  std::optional<WrittenTime> to;
  std::optional<std::int64_t> max_runs;
  bool operator==(const Between&) const = default;
};

/// The union of its elements; equal instants are one slot.
struct ScheduleSpec {
  std::vector<ElementSpec> elements;
  std::string timezone = "UTC";
  DstRule dst;
  Shared<Between> between;
  bool operator==(const ScheduleSpec&) const = default;
};

}  // namespace cronce
