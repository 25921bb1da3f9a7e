#include "cli/store_args.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/suggest.h"
#include "cli/schedule_args.h"
#include "store/open_store.h"

namespace cronce {
namespace {

const char* environment(const char* name) { return std::getenv(name); }

/// What was refused needs a person; what is away may come back.
int exit_code_of(const Error& error) {
  const bool away = error.code == Code::unavailable || error.code == Code::not_found;
  return away ? kExitUnavailable : kExitRefused;
}

bool by_name(const JobRow& a, const JobRow& b) {
  const auto& one = a.definition->name;
  const auto& other = b.definition->name;
  return std::tie(one, *a.member, a.uid) < std::tie(other, *b.member, b.uid);
}

/// Names that hold the word, where none is near enough to be it.
std::string names_with(const ReadStore& read, const std::string& word) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> found;
  for (const JobRow& job : read.jobs) {
    if (job.definition->name.text().find(word) == std::string::npos || job.whole) continue;
    found.push_back("'" + shown_name(job) + "'");
  }
  if (found.empty() || found.size() > kMost) return "";
  return fmt::format("there is {}", fmt::join(found, ", "));
}

Refusal no_such_job(const ReadStore& read, const std::string& name) {
  std::vector<std::string> names;
  for (const JobRow& job : read.jobs) names.push_back(shown_name(job));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = suggest(name, views);
  std::string hint = nearest ? fmt::format("did you mean '{}'?", *nearest) : names_with(read, name);
  if (hint.empty()) {
    hint = read.jobs.empty() ? "the store has no jobs yet" : "'cronce jobs' lists what there is";
  }
  return {kExitNotFound, fmt::format("no job '{}': {}", name, hint)};
}

}  // namespace

const JobRow* ReadStore::find(JobUid uid) const {
  const auto row =
      std::find_if(jobs.begin(), jobs.end(), [&](const JobRow& job) { return job.uid == uid; });
  return row == jobs.end() ? nullptr : &*row;
}

std::optional<Refusal> bad_address(const Places& places) {
  if (const Status address = check_address(places.store, places.name_space); !address) {
    return Refusal{kExitConfig, address.error().message};
  }
  const auto path = places.store_path();
  if (!path || !path->empty()) return std::nullopt;
  return Refusal{kExitConfig, "sqlite: the path of a file must follow the colon"};
}

Result<Places, Refusal> find_store(const Args& args) {
  const Places places = find_places(
      {.store = args.get("--store"), .name_space = args.get("--namespace")}, environment);
  if (const auto refusal = bad_address(places)) return *refusal;
  const auto path = places.store_path();
  std::error_code failed;
  if (!path || std::filesystem::exists(*path, failed) || failed) return places;
  return Refusal{kExitUnavailable,
                 fmt::format("no store at {}: start a node with 'cronce run', or name another "
                             "store with --store or CRONCE_STORE",
                             *path)};
}

Refusal store_failure(const Error& error) { return {exit_code_of(error), error.message}; }

Result<ReadStore, Refusal> read_store(const Args& args, const Console& console) {
  ReadStore read;
  auto places = find_store(args);
  if (!places) return places.error();
  read.places = *std::move(places);
  read.rng = std::make_unique<Rng>(random_seed());
  auto store = open_store(read.places.store, {.name_space = read.places.name_space, .make = false},
                          console.clock, *read.rng);
  if (!store) return store_failure(store.error());
  read.store = *std::move(store);
  const auto opened = read.store->open();
  if (!opened) return store_failure(opened.error());
  for (const std::string& remark : opened->remarks) {
    put(console.err, fmt::format("cronce: {}\n", remark));
  }
  read.now = opened->store_time;
  read.boot = console.clock.boot();
  auto jobs = read.store->jobs();
  if (!jobs) return store_failure(jobs.error());
  read.jobs = *std::move(jobs);
  std::sort(read.jobs.begin(), read.jobs.end(), by_name);
  return read;
}

Result<std::vector<const JobRow*>, Refusal> find_jobs(const ReadStore& read,
                                                      const std::string& name) {
  std::vector<const JobRow*> found;
  for (const JobRow& job : read.jobs) {
    if (shown_name(job) == name) found.push_back(&job);
  }
  if (found.empty()) return no_such_job(read, name);
  const JobUid whole = found.front()->uid;
  for (const JobRow& job : read.jobs) {
    if (job.whole == whole) found.push_back(&job);
  }
  return found;
}

std::optional<Schedule> schedule_of(const JobRow& job) {
  auto schedule = Schedule::build(job.definition->schedule);
  return schedule ? std::optional(*std::move(schedule)) : std::nullopt;
}

Result<Time, Refusal> read_moment(std::string_view flag, const std::string& text, Edge edge,
                                  const Zone& zone, Time now) {
  if (const auto ago = parse_duration(text)) return now - *ago;
  const auto written = parse_written_time(text);
  if (!written) {
    return Refusal{kExitUsage,
                   fmt::format("{}: {}, or how long ago, as in 2h", flag, written.error().message)};
  }
  const auto time = read_time(text, zone);
  CHECK(time.ok());  // it was read above
  if (!written->whole_day || edge == Edge::begin) return *time;
  WrittenTime next = *written;  // a day of 23 or 25 hours ends with it
  next.civil += std::chrono::days{1};
  const auto end = read_time(print(next), zone);
  CHECK(end.ok());
  return *end - Duration{1};
}

Result<Window, Refusal> read_window(const Args& args, const Zone& zone, Time now) {
  Window window;
  if (const auto text = args.get("--from")) {
    const auto from = read_moment("--from", *text, Edge::begin, zone, now);
    if (!from) return from.error();
    window.from = *from;
  }
  if (const auto text = args.get("--to")) {
    const auto to = read_moment("--to", *text, Edge::end, zone, now);
    if (!to) return to.error();
    window.to = *to;
  }
  if (window.from <= window.to) return window;
  return Refusal{kExitUsage, "--from is later than --to: nothing lies between"};
}

}  // namespace cronce
