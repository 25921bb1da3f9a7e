#include "test/oracle/oracle.h"

#include <algorithm>

namespace oracle {
namespace {

// Rounds towards the past also before 1970.
std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  const std::int64_t rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

// Matching civil times from `begin` up to but not including `end`, one after another.
std::vector<std::int64_t> matching_civil_times(const Expr& expr, std::int64_t begin,
                                               std::int64_t end) {
  std::vector<std::int64_t> found;
  for (std::int64_t day = floor_to(begin, kDay); day < end; day += kDay) {
    if (!expr.day_matches(day / kDay)) continue;
    const std::int64_t next_day = std::min(day + kDay, end);
    for (std::int64_t minute = std::max(day, floor_to(begin, 60)); minute < next_day;
         minute += 60) {
      const int of_day = static_cast<int>((minute - day) / 60);
      if (!expr.minute_matches(of_day / 60, of_day % 60)) continue;
      for (int second = 0; second < 60; ++second) {
        const std::int64_t civil = minute + second;
        if (begin <= civil && civil < end && expr.second_matches(second)) found.push_back(civil);
      }
    }
  }
  return found;
}

// `instant` shows a matching civil time; may it fire, seen that the same civil time may be shown
// twice?
bool chosen(Fold fold, const std::vector<std::int64_t>& occurrences, std::int64_t instant) {
  if (fold == Fold::both) return true;
  return instant == (fold == Fold::first ? occurrences.front() : occurrences.back());
}

void add_shown_times(const Expr& expr, const Zone& zone, Rule rule, const Segment& segment,
                     std::vector<std::int64_t>& found) {
  const std::int64_t offset = segment.offset;
  for (const std::int64_t civil :
       matching_civil_times(expr, segment.begin + offset, segment.end + offset)) {
    const std::int64_t instant = civil - offset;
    if (expr.wildcard_hour() || chosen(rule.fold, zone.occurrences(civil), instant)) {
      found.push_back(instant);
    }
  }
}

// Does a civil time match that the clocks left out at this transition?
bool a_missing_time_matches(const Expr& expr, const Zone& zone, const Transition& transition) {
  const std::vector<std::int64_t> civil_times = matching_civil_times(
      expr, transition.at + transition.before, transition.at + transition.after);
  return std::any_of(civil_times.begin(), civil_times.end(),
                     [&zone](std::int64_t civil) { return zone.occurrences(civil).empty(); });
}

}  // namespace

std::vector<std::int64_t> slots(const Expr& expr, const Zone& zone, Rule rule, std::int64_t after,
                                std::int64_t through) {
  std::vector<std::int64_t> found;
  for (const Segment& segment : zone.segments(after + 1, through)) {
    add_shown_times(expr, zone, rule, segment, found);
  }
  if (!expr.wildcard_hour() && rule.gap == Gap::jump) {
    for (const Transition& transition : zone.transitions(after + 1, through)) {
      if (a_missing_time_matches(expr, zone, transition)) found.push_back(transition.at);
    }
  }
  // A missing time may fire at the very instant at which a shown time fires: that is one slot.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Both searches look at one window after another. The windows grow from a minute to a day, so that
// a dense expression does not list a day of slots and a sparse one does not list every minute.
std::optional<std::int64_t> first_after(const Expr& expr, const Zone& zone, Rule rule,
                                        std::int64_t t) {
  for (std::int64_t length = 60; t < kLastInstant; length = std::min(2 * length, kDay)) {
    const std::int64_t through = std::min(t + length, kLastInstant);
    const std::vector<std::int64_t> found = slots(expr, zone, rule, t, through);
    if (!found.empty()) return found.front();
    t = through;
  }
  return std::nullopt;
}

std::optional<std::int64_t> last_at_or_before(const Expr& expr, const Zone& zone, Rule rule,
                                              std::int64_t t) {
  for (std::int64_t length = 60; t > kFirstInstant; length = std::min(2 * length, kDay)) {
    const std::int64_t after = std::max(t - length, kFirstInstant);
    const std::vector<std::int64_t> found = slots(expr, zone, rule, after, t);
    if (!found.empty()) return found.back();
    t = after;
  }
  return std::nullopt;
}

}  // namespace oracle
