#include "schedule/schedule.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "schedule/civil.h"
#include "schedule/cron_in_zone.h"

namespace cronce {
namespace {

using std::chrono::floor;

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

CronInZone in_zone(const CronExpr& expr, const Zone& zone, DstRule rule) {
  return {expr, zone, expr.wildcard_hour() ? kElapsed : rule};
}

std::optional<Time> as_time(std::optional<std::chrono::sys_seconds> t) {
  if (!t) return std::nullopt;
  return Time{*t};
}

/// How many whole intervals lie between the anchor and t, rounded down.
std::int64_t intervals(Time anchor, Duration interval, Time t) {
  const Duration distance = t - anchor;
  const std::int64_t whole = distance / interval;
  return distance % interval < Duration{0} ? whole - 1 : whole;
}

}  // namespace

std::optional<Time> Schedule::first_after(const Element& element, Time t) const {
  return std::visit(
      Overloaded{
          [&](const CronExpr& expr) {
            return as_time(in_zone(expr, *zone_, rule_).first_after(floor<Seconds>(t)));
          },
          [&](const Every& e) -> std::optional<Time> {
            return e.anchor + e.interval * (intervals(e.anchor, e.interval, t) + 1);
          },
          [&](Time at) { return at > t ? std::optional(at) : std::nullopt; },
      },
      element);
}

std::optional<Time> Schedule::last_at_or_before(const Element& element, Time t) const {
  return std::visit(
      Overloaded{
          [&](const CronExpr& expr) {
            return as_time(in_zone(expr, *zone_, rule_).last_at_or_before(floor<Seconds>(t)));
          },
          [&](const Every& e) -> std::optional<Time> {
            return e.anchor + e.interval * intervals(e.anchor, e.interval, t);
          },
          [&](Time at) { return at <= t ? std::optional(at) : std::nullopt; },
      },
      element);
}

std::int64_t Schedule::count(const Element& element, Time after, Time through) const {
  return std::visit(Overloaded{
                        [&](const CronExpr& expr) {
                          return in_zone(expr, *zone_, rule_)
                              .count(floor<Seconds>(after), floor<Seconds>(through));
                        },
                        [&](const Every& e) {
                          return intervals(e.anchor, e.interval, through) -
                                 intervals(e.anchor, e.interval, after);
                        },
                        [&](Time at) { return std::int64_t{after < at && at <= through}; },
                    },
                    element);
}

std::optional<Time> Schedule::first_after(Time t) const {
  if (t >= to_) return std::nullopt;
  t = std::max(t, from_ - Duration{1});
  std::optional<Time> first;
  for (const Element& element : elements_) {
    const auto slot = first_after(element, t);
    if (slot && *slot <= to_ && (!first || *slot < *first)) first = slot;
  }
  return first;
}

std::optional<Time> Schedule::last_at_or_before(Time t) const {
  if (t < from_) return std::nullopt;
  t = std::min(t, to_);
  std::optional<Time> last;
  for (const Element& element : elements_) {
    const auto slot = last_at_or_before(element, t);
    if (slot && *slot >= from_ && (!last || *slot > *last)) last = slot;
  }
  return last;
}

std::vector<Time> Schedule::slots(Time after, Time through, std::size_t limit) const {
  std::vector<Time> found;
  auto slot = first_after(after);
  while (slot && *slot <= through && found.size() < limit) {
    found.push_back(*slot);
    slot = first_after(*slot);
  }
  return found;
}

std::int64_t Schedule::count(Time after, Time through) const {
  after = std::max(after, from_ - Duration{1});
  through = std::min(through, to_);
  if (after >= through) return 0;
  if (elements_.size() == 1) return count(elements_.front(), after, through);
  std::int64_t total = 0;
  for (auto slot = first_after(after); slot && *slot <= through; slot = first_after(*slot)) ++total;
  return total;
}

std::optional<CivilTime> Schedule::civil_label(Time slot) const {
  const auto second = floor<Seconds>(slot);
  if (rule_.fold == Fold::both || Time{second} != slot) return std::nullopt;
  std::optional<CivilTime> greatest;
  for (const Element& element : elements_) {
    const auto* expr = std::get_if<CronExpr>(&element);
    if (expr == nullptr || expr->wildcard_hour()) continue;
    const auto label = in_zone(*expr, *zone_, rule_).label(second);
    if (label && (!greatest || *label > *greatest)) greatest = label;
  }
  return greatest;
}

Duration jitter(std::string_view job, Time slot, Duration most) {
  const auto steps = static_cast<std::uint64_t>(most.count()) + 1;
  const auto text = fmt::format("jitter/{}/{}", job, slot.time_since_epoch().count());
  return Duration{static_cast<std::int64_t>(sha256(text).prefix() % steps)};
}

}  // namespace cronce
