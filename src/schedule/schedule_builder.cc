#include <algorithm>

#include <fmt/format.h>

#include "schedule/civil.h"
#include "schedule/schedule.h"

namespace cronce {

/// Builds one Schedule, element by element; the first thing wrong ends it.
class ScheduleBuilder {
 public:
  ScheduleBuilder(const ScheduleSpec& spec, std::shared_ptr<const Zone> zone) : spec_(spec) {
    schedule_.zone_ = std::move(zone);
    schedule_.rule_ = spec.dst;
  }

  Result<Schedule, ScheduleError> build() {
    if (spec_.elements.empty()) return fail("the schedule is empty");
    for (index_ = 0; index_ < spec_.elements.size(); ++index_) {
      std::visit([this](const auto& element) { add(element); }, spec_.elements[index_]);
      if (error_) return *error_;
    }
    set_bounds();
    if (error_) return *error_;
    return std::move(schedule_);
  }

 private:
  static constexpr Duration kShortest{1'000};
  static constexpr Duration kLongest = std::chrono::days{36'525};

  ScheduleError fail(std::string message, std::size_t offset = 0) {
    error_ = ScheduleError{ScheduleError::Part::element, index_, offset, std::move(message)};
    return *error_;
  }
  void fail_between(std::string message) {
    error_ = ScheduleError{ScheduleError::Part::between, 0, 0, std::move(message)};
  }

  void add(const CronSpec& cron) {
    auto expr = CronExpr::parse(cron.text);
    if (!expr) {
      fail(expr.error().message, expr.error().offset);
      return;
    }
    schedule_.elements_.emplace_back(*expr);
  }

  void add(const EverySpec& every) {
    if (!in_range(every.interval, "an interval")) return;
    const auto anchor = every.anchor ? instant(*every.anchor) : Time{};
    if (!anchor) {
      fail(fmt::format("the anchor {} does not exist in {}", print(*every.anchor), spec_.timezone));
      return;
    }
    schedule_.elements_.emplace_back(Schedule::Every{every.interval, *anchor});
  }

  void add(const AtSpec& at) {
    const auto time = instant(at.time);
    if (!time) {
      fail(fmt::format("{} does not exist in {}: the clocks skip it and the rule is gap: skip",
                       print(at.time), spec_.timezone));
      return;
    }
    schedule_.elements_.emplace_back(*time);
  }

  void add(const AfterSpec& after) {
    if (!in_range(after.delay, "a delay")) return;
    stands_alone("after");
    schedule_.delay_ = after.delay;
  }

  void add(const RebootSpec&) {
    stands_alone("@reboot");
    schedule_.at_boot_ = true;
  }

  bool in_range(Duration duration, std::string_view what) {
    if (duration >= kShortest && duration <= kLongest) return true;
    fail(fmt::format("{} of {} is out of range: from {} to {}", what, print(duration),
                     print(kShortest), print(kLongest)));
    return false;
  }

  void stands_alone(std::string_view what) {
    if (spec_.elements.size() > 1) fail(fmt::format("{} cannot be part of a list", what));
  }

  std::optional<Time> instant(const WrittenTime& time) const {
    if (const auto exact = time.instant()) return exact;
    const auto second = std::chrono::floor<Seconds>(time.civil);
    const auto found = resolve(*schedule_.zone_, second, spec_.dst);
    if (!found) return std::nullopt;
    return Time{*found} + (time.civil - second);
  }

  /// A bound exists even where its civil time does not: it moves to the end of the gap.
  Time bound(WrittenTime time, bool end_of_day) const {
    if (const auto exact = time.instant()) return *exact;
    if (end_of_day) time.civil += std::chrono::days{1};
    const auto second = std::chrono::floor<Seconds>(time.civil);
    const Time found{*resolve(*schedule_.zone_, second, DstRule{})};
    // The first and the last written day begin or end beyond the written years in some zones.
    return std::clamp(found + (time.civil - second) - Duration{end_of_day ? 1 : 0}, kMinTime,
                      kMaxTime);
  }

  void set_bounds() {
    const Between& between = spec_.between;
    if (between.from) schedule_.from_ = bound(*between.from, false);
    if (between.to) schedule_.to_ = bound(*between.to, between.to->whole_day);
    if (schedule_.from_ > schedule_.to_) {
      fail_between(
          fmt::format("from {} is later than to {}", print(*between.from), print(*between.to)));
      return;
    }
    const bool has_times = !schedule_.elements_.empty();
    if (has_times && !schedule_.first_after(kMinTime)) {
      fail_between("never fires: the schedule has no time between the two");
    }
  }

  const ScheduleSpec& spec_;
  std::size_t index_ = 0;
  Schedule schedule_;
  std::optional<ScheduleError> error_;
};

Result<Schedule, ScheduleError> Schedule::build(const ScheduleSpec& spec,
                                                const ZoneFinder& find_zone) {
  auto zone = find_zone(spec.timezone);
  if (!zone) return ScheduleError{ScheduleError::Part::timezone, 0, 0, zone.error().message};
  return ScheduleBuilder(spec, *std::move(zone)).build();
}

}  // namespace cronce
