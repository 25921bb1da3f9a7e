#include "schedule/clock_change.h"

#include <algorithm>

#include "schedule/cron_in_zone.h"

namespace cronce {
namespace {

using std::chrono::sys_seconds;

constexpr std::size_t kMostSlots = 3;

/// Skipped times can only fire at the change itself; repeated ones in either pass.
void find_slots(const CronInZone& cron, ClockChange& change) {
  const Seconds shift = change.skips() ? kSecond : change.before - change.after;
  const sys_seconds before_first = change.at - (change.skips() ? Seconds{0} : shift) - kSecond;
  const sys_seconds last = change.at + shift - kSecond;
  // In a gap, a civil time of the new offset may fire at the same instant: that is not its effect.
  const bool by_the_gap = !change.skips() || cron.rule.gap == Gap::jump;
  if (change.matching == 0 || !by_the_gap) return;
  change.slot_count = cron.count(before_first, last);
  auto slot = cron.first_after(before_first);
  while (slot && *slot <= last && change.slots.size() < kMostSlots) {
    change.slots.push_back(*slot);
    slot = cron.first_after(*slot);
  }
}

ClockChange change_between(const CronInZone& cron, const Stretch& s, const Stretch& next) {
  ClockChange change;
  change.at = next.begin;
  change.before = s.offset;
  change.after = next.offset;
  const CivilTime was = civil(next.begin, s.offset);
  const CivilTime is = civil(next.begin, next.offset);
  change.range = {std::min(was, is), std::max(was, is)};
  change.matching = cron.expr.count(change.range.from, change.range.to);
  if (change.matching > 0) change.first_match = cron.expr.at_or_after(change.range.from);
  find_slots(cron, change);
  return change;
}

}  // namespace

std::vector<ClockChange> clock_changes(const CronExpr& expr, const Zone& zone, DstRule rule,
                                       sys_seconds after, sys_seconds through) {
  const CronInZone cron{expr, zone, expr.wildcard_hour() ? kElapsed : rule};
  std::vector<ClockChange> changes;
  through =
      std::min(through, std::chrono::floor<Seconds>(kMaxTime));  // no zone knows later changes
  for (Stretch s = zone.at(after); s.end <= through;) {
    const Stretch next = zone.at(s.end);
    changes.push_back(change_between(cron, s, next));
    s = next;
  }
  return changes;
}

}  // namespace cronce
