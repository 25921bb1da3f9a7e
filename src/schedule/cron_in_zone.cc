#include "schedule/cron_in_zone.h"

#include <algorithm>

namespace cronce {
namespace {

using std::chrono::sys_seconds;

/// Calendar and clock changes repeat after 400 years, so what has not fired by then does not fire:
/// under Gap::skip every time that an expression names may lie in a gap.
constexpr std::chrono::days kHorizon{146'097 + 366};

const sys_seconds kFirst = std::chrono::ceil<Seconds>(kMinTime);
const sys_seconds kLast = std::chrono::floor<Seconds>(kMaxTime);

/// What no offset can bring back into the written years.
const CivilTime kTooEarly{kFirst.time_since_epoch() - kFarthest};
const CivilTime kTooLate{kLast.time_since_epoch() + kFarthest};

std::optional<sys_seconds> if_written(sys_seconds t) {
  return kFirst <= t && t <= kLast ? std::optional(t) : std::nullopt;
}

}  // namespace

std::optional<CivilTime> CronInZone::last_in(const CivilRange& range, Steps& steps) const {
  if (range.empty()) return std::nullopt;
  const auto c = expr.at_or_before(range.to - kSecond, steps);
  return c && *c >= range.from ? c : std::nullopt;
}

/// The first stretch whose clocks end later than the time. The time is in it, or in the gap at its
/// beginning.
Stretch CronInZone::ending_after(CivilTime time) const {
  Stretch s = zone.at(sys_seconds{time.time_since_epoch()} - kFarthest);
  while (s.civil(s.end) <= time) s = zone.at(s.end);
  return s;
}

/// The last stretch that begins, with the gap before it, not later than the time.
Stretch CronInZone::beginning_before(CivilTime time) const {
  Stretch s = zone.at(sys_seconds{time.time_since_epoch()} + kFarthest);
  while (CivilTime{s.begin.time_since_epoch() + std::min(s.before, s.offset)} > time) {
    s = zone.at(s.begin - kSecond);
  }
  return s;
}

std::optional<sys_seconds> CronInZone::first_after(sys_seconds t) const {
  Steps steps;
  sys_seconds from = std::max(t + kSecond, kFirst);
  const sys_seconds end = std::min(from, kLast) + kHorizon;
  Stretch s = zone.at(std::min(from, kLast));
  while (from <= kLast && from <= end) {
    steps.take();
    const Reach r = reach(s, rule);
    if (from == s.begin && last_in(r.skipped, steps)) return s.begin;
    const auto c = expr.at_or_after(std::max(s.civil(from), r.own.from), steps);
    if (!c || *c >= kTooLate) return std::nullopt;
    if (*c < r.own.to) return if_written(s.instant(*c));
    // A fold shows civil times again that this search has passed; otherwise nothing can fire before
    // c.
    s = s.after < s.offset ? zone.at(s.end) : ending_after(*c);
    from = s.begin;
  }
  return std::nullopt;
}

std::optional<sys_seconds> CronInZone::last_at_or_before(sys_seconds t) const {
  Steps steps;
  sys_seconds to = std::min(t, kLast);
  const sys_seconds end = std::max(to, kFirst) - kHorizon;
  Stretch s = zone.at(std::max(to, kFirst));
  while (to >= kFirst && to >= end) {
    steps.take();
    const Reach r = reach(s, rule);
    const auto c = expr.at_or_before(std::min(s.civil(to), r.own.to - kSecond), steps);
    if (c && *c >= r.own.from) return if_written(s.instant(*c));
    if (last_in(r.skipped, steps)) return if_written(s.begin);
    if (!c || *c <= kTooEarly) return std::nullopt;
    // As above; and a gap that fires nothing belongs to the stretch that this search has just left.
    const Stretch previous = zone.at(s.begin - kSecond);
    const Stretch holding = s.offset < s.before ? previous : beginning_before(*c);
    s = holding.begin < previous.begin ? holding : previous;
    to = s.end - kSecond;
  }
  return std::nullopt;
}

std::int64_t CronInZone::count(sys_seconds after, sys_seconds through) const {
  std::int64_t total = 0;
  sys_seconds from = std::max(after + kSecond, kFirst);
  const sys_seconds to = std::min(through, kLast);
  while (from <= to) {
    Steps steps;
    const Stretch s = zone.at(from);
    const Reach r = reach(s, rule);
    const CivilTime end = s.civil(std::min(to + kSecond, s.end));
    total += expr.count(std::max(s.civil(from), r.own.from), std::min(end, r.own.to));
    const bool own_at_begin = r.own.holds(s.civil(s.begin)) && expr.matches(s.civil(s.begin));
    if (from == s.begin && !own_at_begin && last_in(r.skipped, steps)) ++total;
    from = s.end;
  }
  return total;
}

std::optional<CivilTime> CronInZone::label(sys_seconds slot) const {
  Steps steps;
  const Stretch s = zone.at(slot);
  const Reach r = reach(s, rule);
  const CivilTime own = s.civil(slot);
  if (r.own.holds(own) && expr.matches(own)) return own;
  return slot == s.begin ? last_in(r.skipped, steps) : std::nullopt;
}

}  // namespace cronce
