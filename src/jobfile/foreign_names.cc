#include "jobfile/foreign_names.h"

#include <array>
#include <string>

#include "base/ascii.h"

namespace cronce {
namespace {

/// A row per foreign name, in lower case without `_` and `-`.
struct ForeignName {
  std::string_view name;
  std::string_view ours;
};

constexpr std::string_view kTemplate = "a job file has no pod template: write run: and schedule:";
constexpr std::string_view kCronField =
    "write it as one text, schedule: \"minute hour day month weekday\"";

constexpr auto kKeys = std::to_array<ForeignName>({
    // Kubernetes
    {"concurrencypolicy", "write overlap: skip (Forbid), replace (Replace) or allow (Allow)"},
    {"startingdeadlineseconds", "write catch_up: {mode: latest, window: 200s}"},
    {"activedeadlineseconds", "write timeout: 600s"},
    {"backofflimit", "write retries: 6"},
    {"suspend", "write paused: true"},
    {"successfuljobshistorylimit", "write history: {succeeded: 3}"},
    {"failedjobshistorylimit", "write history: {failed: 1}"},
    {"ttlsecondsafterfinished", "write history: {age: 1d}"},
    {"terminationgraceperiodseconds", "write kill_after: 30s"},
    {"restartpolicy", "write retries: 3"},
    {"nodeselector", "write on: {label: value}"},
    {"jobtemplate", kTemplate},
    {"spec", kTemplate},
    {"containers", kTemplate},
    {"image", kTemplate},
    {"completions", "a slot runs once; everywhere: true runs it once per node"},
    {"parallelism", "a slot runs once; everywhere: true runs it once per node"},
    // APScheduler
    {"coalesce", "write catch_up: latest (coalesce: true) or catch_up: all"},
    {"maxinstances", "write overlap: skip for 1, or overlap: allow"},
    {"misfiregracetime", "write catch_up: {mode: latest, window: 60s}"},
    {"trigger", "write schedule:"},
    {"func", "write run: [program, argument]"},
    {"replaceexisting", "leave it out: a job is known by its name and never registered twice"},
    {"jobstore", "leave it out: all jobs live in the store of the node"},
    {"executor", "write on: {label: value} to choose nodes"},
    {"startdate", "write between: {from: 2026-01-01}"},
    {"enddate", "write between: {to: 2026-12-31}"},
    {"rundate", "write schedule: {at: 2026-12-24T18:00}"},
    {"nextruntime", "write between: {from: 2026-01-01}"},
    {"minute", kCronField},
    {"hour", kCronField},
    {"dayofweek", kCronField},
    // habit
    {"timezone", "write timezone:"},
    {"tz", "write timezone:"},
    {"crontz", "write timezone:"},
    {"cron", "write schedule: \"0 2 * * *\""},
    {"crontab", "write schedule: \"0 2 * * *\""},
    {"every", "write schedule: {every: 15m}"},
    {"interval", "write schedule: {every: 15m}"},
    {"at", "write schedule: {at: 2026-12-24T18:00}"},
    {"after", "write schedule: {after: 10m}"},
    {"command", "write run:"},
    {"cmd", "write run:"},
    {"exec", "write run:"},
    {"script", "write run:"},
    {"args", "write them into run: [program, argument]"},
    {"url", "write http: {url: ...}"},
    {"environment", "write env:"},
    {"workdir", "write cwd:"},
    {"workingdirectory", "write cwd:"},
    {"enabled", "write paused: true to stop a job"},
});

constexpr auto kValues = std::to_array<ForeignName>({{"forbid", "skip"}});

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, 64)) {
    if (c == '_' || c == '-') continue;
    text += ascii_lower(c);
  }
  return text;
}

template <std::size_t N>
std::optional<std::string_view> find(const std::array<ForeignName, N>& rows,
                                     std::string_view name) {
  const std::string wanted = plain(name);
  for (const ForeignName& row : rows) {
    if (row.name == wanted) return row.ours;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> foreign_key(std::string_view name) { return find(kKeys, name); }

std::optional<std::string_view> foreign_value(std::string_view value) {
  return find(kValues, value);
}

}  // namespace cronce
