// A schedule's text, and the times that come of it.
//
// The first three bytes of the input choose zone, DST rule and the year to look at; the rest is the
// text.
#include <array>
#include <cstddef>
#include <cstdint>

#include "schedule/schedule.h"
#include "schedule/schedule_text.h"
#include "test/fuzz/property.h"

namespace cronce::fuzz {
namespace {

using std::chrono::days;
using std::chrono::hours;

/// Whole hours, half an hour, a whole day left out, years without a rule.
constexpr std::array<std::string_view, 6> kZones{
    "UTC",          "Europe/Berlin",    "America/New_York", "Australia/Lord_Howe",
    "Pacific/Apia", "Africa/Casablanca"};
constexpr std::array<DstRule, 6> kRules{{{Gap::jump, Fold::first},
                                         {Gap::jump, Fold::second},
                                         {Gap::jump, Fold::both},
                                         {Gap::skip, Fold::first},
                                         {Gap::skip, Fold::second},
                                         {Gap::skip, Fold::both}}};

bool is_fixed_time(const ScheduleSpec& spec) {
  const auto* cron = std::get_if<CronSpec>(&spec.elements[0]);
  return cron != nullptr && spec.dst.fold != Fold::both &&
         !CronExpr::parse(cron->text)->wildcard_hour();
}

/// Walks a few slots forward and asks every question about each.
void check_chain(const Schedule& schedule, Time from, bool fixed_time) {
  Time last = from;
  for (int i = 0; i < 20; ++i) {
    const auto next = schedule.first_after(last);
    if (!next) return;
    CHECK(*next > last);
    CHECK(schedule.last_at_or_before(*next) == next);
    const auto before = schedule.last_at_or_before(*next - Duration{1});
    CHECK(!before || *before < *next);
    CHECK(i == 0 || before == last);
    CHECK(schedule.count(last, *next) == 1);
    CHECK(schedule.civil_label(*next).has_value() == fixed_time);
    last = *next;
  }
}

/// Counting and walking agree over a few days; long enough for a clock change when one is near.
void check_count(const Schedule& schedule, Time from) {
  constexpr std::size_t kLimit = 2'000;
  const Time through = from + days{2};
  const auto slots = schedule.slots(from, through, kLimit);
  if (slots.size() < kLimit) {
    CHECK(schedule.count(from, through) == static_cast<std::int64_t>(slots.size()));
  }
  Time last = from;
  for (const Time slot : slots) {
    CHECK(slot > last && slot <= through);
    last = slot;
  }
  CHECK(schedule.count(from, through) ==
        schedule.count(from, from + hours{29}) + schedule.count(from + hours{29}, through));
}

/// A day before the next clock change after `t`, or t itself.
Time near_change(const Zone& zone, Time t) {
  const Stretch stretch = zone.at(std::chrono::floor<Seconds>(t));
  const Time end{stretch.end};
  return stretch.after != stretch.offset && end < kMaxTime - days{3} ? end - days{1} : t;
}

void check_schedule(const ScheduleSpec& spec, Time from) {
  const auto schedule = Schedule::build(spec);
  if (!schedule) {
    CHECK(is_one_line(schedule.error().message));
    return;
  }
  if (schedule->at_boot() || schedule->delay_after_end()) {
    CHECK(!schedule->first_after(from));
    return;
  }
  const bool fixed_time = is_fixed_time(spec);
  for (const Time start : {from, near_change(schedule->zone(), from)}) {
    check_chain(*schedule, start, fixed_time);
    check_count(*schedule, start);
  }
  cron_remarks(std::holds_alternative<CronSpec>(spec.elements[0])
                   ? std::get<CronSpec>(spec.elements[0]).text
                   : "");
}

}  // namespace
}  // namespace cronce::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cronce;
  if (size < 3) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes + 3), size - 3);
  const auto parsed = parse_schedule_text(text);
  if (!parsed) {
    CHECK(parsed.error().offset <= text.size());
    CHECK(!parsed.error().message.empty());
    CHECK(fuzz::is_one_line(parsed.error().message));
    return 0;
  }
  ScheduleSpec spec;
  spec.elements = {parsed->element};
  spec.timezone =
      parsed->timezone.value_or(std::string(fuzz::kZones[bytes[0] % fuzz::kZones.size()]));
  spec.dst = fuzz::kRules[bytes[1] % fuzz::kRules.size()];
  fuzz::check_schedule(spec,
                       Time{std::chrono::sys_days{std::chrono::year{1850 + bytes[2]} / 1 / 1}});
  return 0;
}
