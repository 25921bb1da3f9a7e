#include "jobfile/schedule_remarks.h"

#include <algorithm>

#include <fmt/format.h>

namespace cronce {
namespace {

/// Whether a DST rule without an end is in force: any late instant shows it.
bool clocks_change(const Zone& zone) {
  const Stretch late = zone.at(std::chrono::sys_days{std::chrono::year{2200} / 1 / 1});
  return late.after != late.offset;
}

/// Lists of seconds or minutes, and their way into the next minute or hour, are seen within it.
constexpr std::size_t kSlotsCompared = 100;

}  // namespace

std::optional<Duration> find_nearer_than(Duration distance, const Schedule& schedule) {
  const Time start =
      std::max(Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}, schedule.from()) -
      Duration{1};
  const auto slots = schedule.slots(start, kMaxTime, kSlotsCompared);
  std::optional<Duration> nearest;
  for (std::size_t i = 1; i < slots.size(); ++i) {
    const Duration between = slots[i] - slots[i - 1];
    if (between < nearest.value_or(distance)) nearest = between;
  }
  return nearest;
}

std::vector<CronRemark> schedule_remarks(const ElementSpec& element, const Zone& zone) {
  const auto* cron = std::get_if<CronSpec>(&element);
  if (cron == nullptr) return {};
  auto remarks = cron_remarks(cron->text);
  if (!clocks_change(zone)) return remarks;
  const auto expr = CronExpr::parse(cron->text);
  if (!expr) return remarks;
  remarks.push_back(
      {false, expr->wildcard_hour()
                  ? fmt::format("wildcard-hour: when the clocks of {} change it follows "
                                "elapsed time",
                                zone.name())
                  : fmt::format("fixed-time: when the clocks of {} change the dst rule "
                                "decides",
                                zone.name())});
  return remarks;
}

}  // namespace cronce
