// The slots of a job: its ScheduleSpec, built.
//
// A Schedule is immutable, pure and safe from every thread: the same spec and zone data give the
// same slots on every node, whatever its clock. It knows no "now", no cursor and no run. Slots lie
// between year 1 and year 9999.
//
// A schedule that only the course of events can tell (`after`, `@reboot`) has no times of its own:
// first_after() and the others answer "none".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/schedule_spec.h"
#include "schedule/cron_expr.h"
#include "schedule/zone.h"

namespace cronce {

/// Which part of a spec is wrong, where in its text, and why.
struct ScheduleError {
  enum class Part : std::uint8_t { element, timezone, between };

  Part part = Part::element;
  std::size_t element = 0;  // index, when an element is wrong
  std::size_t offset = 0;   // in the element's text
  std::string message;
};

class Schedule {
 public:
  /// Refuses what never fires.
  static Result<Schedule, ScheduleError> build(const ScheduleSpec& spec,
                                               const ZoneFinder& find_zone = load_zone);

  /// The first slot later than t.
  std::optional<Time> first_after(Time t) const;

  /// The newest slot not later than t.
  std::optional<Time> last_at_or_before(Time t) const;

  /// The slots later than `after` and not later than `through`, oldest first, at most `limit`.
  std::vector<Time> slots(Time after, Time through, std::size_t limit) const;

  /// How many slots() there are without a limit. For a single element the cost does not grow with
  /// their number; a list is walked.
  std::int64_t count(Time after, Time through) const;

  /// The greatest civil time that the slot stands for, for fixed-time cron elements under
  /// Fold::first or Fold::second; none for all others.
  std::optional<CivilTime> civil_label(Time slot) const;

  /// `after: 10m`
  std::optional<Duration> delay_after_end() const { return delay_; }
  bool at_boot() const { return at_boot_; }

  const Zone& zone() const { return *zone_; }

  /// The first and the last moment at which a slot may lie: the bounds of `between`.
  Time from() const { return from_; }
  Time to() const { return to_; }

 private:
  struct Every {
    Duration interval;
    Time anchor;
  };
  using Element = std::variant<CronExpr, Every, Time>;
  friend class ScheduleBuilder;

  Schedule() = default;
  std::optional<Time> first_after(const Element& element, Time t) const;
  std::optional<Time> last_at_or_before(const Element& element, Time t) const;
  std::int64_t count(const Element& element, Time after, Time through) const;

  std::shared_ptr<const Zone> zone_;
  std::vector<Element> elements_;
  Time from_ = kMinTime;
  Time to_ = kMaxTime;
  std::optional<Duration> delay_;
  DstRule rule_;
  bool at_boot_ = false;
};

/// A job's start offset for a slot: evenly spread over [0, most], the same on every node and for
/// ever (the first eight bytes of SHA-256 of `jitter/JOB/MILLISECONDS`, modulo most + 1 ms).
Duration jitter(std::string_view job, Time slot, Duration most);

}  // namespace cronce
