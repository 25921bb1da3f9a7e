#include "cli/slot_args.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/schedule_args.h"
#include "cli/shown_job.h"
#include "model/words.h"
#include "schedule/civil.h"

namespace cronce {
namespace {

constexpr std::size_t kMostRows = 10'000;  // that are read at once

AskedSlot slot_at(const JobRow& job, Time slot) {
  return {&job, {job.uid, Space::slot, slot, "", Attempt{0}}};
}

/// A time without an offset is the slot that the job's own rule makes of it.
Result<Time> read_slot_time(const JobRow& job, const std::string& text) {
  const auto zone = load_zone(job.definition->schedule.timezone);
  if (!zone) return zone.error();
  const auto written = parse_written_time(text);
  if (!written) return written.error();
  if (!written->instant()) {
    const auto second = std::chrono::floor<Seconds>(written->civil);
    const auto slot = resolve(**zone, second, job.definition->schedule.dst);
    if (slot) return Time{*slot} + (written->civil - second);
  }
  return read_time(text, **zone);
}

Result<std::optional<AskedSlot>, Refusal> find_request(const ReadStore& read, const JobRow& job,
                                                       const std::string& text) {
  const std::string prefix = "manual/";
  const std::string request = text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  const auto attempts = read_request_attempts(read, job, request, kMinTime, Output::without);
  if (!attempts) return attempts.error();
  if (attempts->empty()) return std::optional<AskedSlot>{};
  AskedSlot asked{&job, attempts->back().id};
  asked.any_attempt.attempt = Attempt{0};
  return std::optional(asked);
}

/// The tails of output are long, and at one moment few are due.
Status add_output(Store& store, Run& run) {
  const auto rows = store.runs({.job = run.id.job, .from = run.due, .to = run.due});
  if (!rows) return rows.error();
  for (const Run& row : *rows) {
    if (row.id == run.id) run = row;
  }
  return Done{};
}

Time listed_at(const Run& run) {
  return run.slot_to.value_or(run.id.space == Space::slot ? run.id.slot : run.due);
}

Result<AskedSlot, Refusal> last_slot(const ReadStore& read, const JobRow& job) {
  const auto newest = newest_run(read, job);
  if (!newest) return newest.error();
  if (!*newest) {
    return Refusal{kExitNotFound, fmt::format("{}: nothing is recorded yet", shown_name(job))};
  }
  AskedSlot asked{&job, (*newest)->id};
  asked.any_attempt.attempt = Attempt{0};
  if ((*newest)->slot_to) asked.any_attempt.slot = *(*newest)->slot_to;
  return asked;
}

}  // namespace

Result<const JobRow*, Refusal> find_one_job(const ReadStore& read, const std::string& name) {
  const auto jobs = find_jobs(read, name);
  if (!jobs) return jobs.error();
  const JobRow& job = *jobs->front();
  if (!job.is_whole()) return &job;
  std::string shares;
  for (const JobRow* share : *jobs) {
    if (share != &job) shares += (shares.empty() ? ": name one of " : ", ") + shown_name(*share);
  }
  return Refusal{kExitNotFound, fmt::format("{} runs on each node{}", name, shares)};
}

Result<AskedSlot, Refusal> read_slot(const ReadStore& read, const JobRow& job,
                                     const std::string& text) {
  if (text == "last") return last_slot(read, job);
  if (text == "next") {
    if (job.plan.next) return slot_at(job, *job.plan.next);
    return Refusal{kExitNotFound, fmt::format("{} has no next slot: {}", shown_name(job),
                                              next_cell(job, read.now).text)};
  }
  const auto time = read_slot_time(job, text);
  if (time) return slot_at(job, *time);
  const auto request = find_request(read, job, text);
  if (!request) return request.error();
  if (*request) return **request;
  return Refusal{kExitUsage, fmt::format("no slot '{}': write a time (2026-03-29T01:30:00Z, or "
                                         "2026-03-29T03:30 in {}), last, next, or a request id",
                                         text, job.definition->schedule.timezone)};
}

Result<std::vector<Run>, Refusal> read_attempts(const ReadStore& read, const AskedSlot& asked,
                                                Output output) {
  const RunId& id = asked.any_attempt;
  if (id.space != Space::slot) {
    return read_request_attempts(read, *asked.job, id.request, kMinTime, output);
  }
  RunFilter filter{.job = id.job, .from = id.slot, .to = id.slot, .limit = kMostRows};
  filter.output = output == Output::with;
  auto runs = read.store->runs(filter);
  if (!runs) return store_failure(runs.error());
  std::erase_if(*runs, [&](const Run& run) {
    RunId other = run.id;
    other.attempt = id.attempt;
    return run.slot_to || other != id;
  });
  std::sort(runs->begin(), runs->end(), [](const Run& a, const Run& b) { return a.id < b.id; });
  return *std::move(runs);
}

Result<std::vector<Run>, Refusal> read_request_attempts(const ReadStore& read, const JobRow& job,
                                                        const std::string& request, Time since,
                                                        Output output) {
  std::map<Attempt, Run> found;
  RunFilter filter{.job = job.uid, .from = since, .limit = kMostRows};
  filter.output = false;
  for (bool whole = false; !whole && !found.contains(Attempt{1});) {
    const auto rows = read.store->runs(filter);
    if (!rows) return store_failure(rows.error());
    for (const Run& run : *rows) {
      const bool meant = run.id.space != Space::slot && run.id.request == request;
      if (meant) found.insert_or_assign(run.id.attempt, run);
    }
    whole = rows->size() < filter.limit;
    const Time oldest = rows->empty() ? since : listed_at(rows->back());
    if (oldest >= filter.to) filter.limit *= 2;  // so many at one moment
    filter.to = std::min(filter.to, oldest);
  }
  std::vector<Run> attempts;
  for (auto& [attempt, run] : found) {
    const Status done = output == Output::with ? add_output(*read.store, run) : Status(Done{});
    if (!done) return store_failure(done.error());
    attempts.push_back(std::move(run));
  }
  return attempts;
}

std::string shown_slot(const AskedSlot& asked) {
  const RunId& id = asked.any_attempt;
  return shown_name(*asked.job) + "@" +
         (id.space == Space::slot ? print(id.slot)
                                  : fmt::format("{}/{}", word(id.space), id.request));
}

std::string shown_run(const JobRow& job, const RunId& run) {
  const std::string slot = shown_slot({&job, run});
  return run.attempt > Attempt{1} ? fmt::format("{}#{}", slot, run.attempt.value) : slot;
}

}  // namespace cronce
