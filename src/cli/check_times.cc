#include "cli/check_times.h"

#include <algorithm>

#include "cli/frequency.h"
#include "cli/table.h"
#include "schedule/in_words.h"
#include "schedule/schedule.h"

namespace cronce {
namespace {

constexpr std::int64_t kTimesShown = 5;

struct Times {
  Schedule schedule;
  std::vector<Time> next;
  std::string runs;
};

Times times_of(const Job& job, const Begin& begin) {
  auto schedule = Schedule::build(job.schedule);
  CHECK(schedule.ok());  // a file gives only jobs that build
  const Time from = begin(schedule->zone());
  const auto most = std::min(kTimesShown, job.schedule.between->max_runs.value_or(kTimesShown));
  auto next = schedule->slots(from, kMaxTime, static_cast<std::size_t>(most));
  std::string runs = next.empty() ? "" : frequency(job.schedule, *schedule, from);
  return {*std::move(schedule), std::move(next), std::move(runs)};
}

/// What has no times of its own is said in words; what has had all of them, too.
std::string shown_next(const Job& job, const Times& times) {
  if (!times.next.empty()) return human_times(times.next, times.schedule.zone());
  const bool timed = !times.schedule.delay_after_end() && !times.schedule.at_boot();
  return timed ? "no times left" : in_words(job.schedule);
}

}  // namespace

std::string times_table(const JobSet& set, const Begin& begin, const Console& console) {
  Table table({{"JOB"}, {"RUNS"}, {"ZONE"}, {"NEXT"}});
  for (const Job& job : set.jobs) {
    const Times times = times_of(job, begin);
    table.add({job.name.text(), times.runs, times.next.empty() ? "" : times.schedule.zone().name(),
               shown_next(job, times)});
  }
  return table.empty() ? "" : table.print(console, "  ");
}

json::array times_json(const JobSet& set, const Begin& begin) {
  json::array out;
  for (const Job& job : set.jobs) {
    const Times times = times_of(job, begin);
    json::object line;
    line["job"] = job.name.text();
    line["runs"] = times.runs;
    json::array next;
    for (const Time slot : times.next) next.push_back(json::value(print(slot)));
    line["next"] = next;
    out.push_back(line);
  }
  return out;
}

}  // namespace cronce
