#include "store/sqlite/witnesses.h"

#include <algorithm>
#include <utility>

namespace cronce::sqlite {
namespace {

bool agree(Duration a, Duration b) { return std::chrono::abs(a - b) <= kBudget; }

}  // namespace

Verdict judge(std::vector<Duration> readings, Duration own, std::optional<Duration> accepted) {
  if (readings.empty()) return {own, false};
  std::sort(readings.begin(), readings.end());
  const Duration middle = readings[(readings.size() - 1) / 2];
  const bool two_disagree = readings.size() == 2 && !agree(readings[0], readings[1]);
  if (!two_disagree) return {middle, !agree(own, middle)};
  for (const Duration reading : readings) {
    if (accepted && agree(reading, *accepted)) return {reading, !agree(own, reading)};
  }
  return {middle, true};
}

embedded::Moment WitnessClock::now(const embedded::Tables& tables, const Incarnation& asker) const {
  const Duration boot = clock_.boot();
  const Duration own = clock_.wall().time_since_epoch() - boot;
  std::vector<Duration> readings;
  for (const auto& [incarnation, row] : tables.nodes) {
    if (!row.ended) readings.push_back(incarnation == asker ? own : row.node->clock_reading);
  }
  const Verdict verdict = judge(std::move(readings), own, tables.accepted);
  return {Time{boot + verdict.reading}, own, verdict.disputed, Time{boot + own}};
}

}  // namespace cronce::sqlite
