#include "cli/shown_job.h"

#include <fmt/format.h>

#include "cli/ledger.h"
#include "cli/schedule_args.h"
#include "model/describe.h"

namespace cronce {
namespace {

template <class Spec>
bool consists_of(const JobRow& job) {
  const auto& elements = job.definition->schedule.elements;
  return elements.size() == 1 && std::holds_alternative<Spec>(elements.front());
}

/// Of a range the last slot alone, if the schedule still tells which that is: a range may end
/// between two slots.
void take_last_slot(Run& range, const JobRow& job) {
  const auto schedule = schedule_of(job);
  const auto last = schedule ? schedule->last_at_or_before(*range.slot_to) : std::nullopt;
  if (!last || *last < range.id.slot) return;
  range.id.slot = range.due = *last;
  range.slot_to.reset();
  range.count = 1;
}

RunFilter not_waiting() {
  using S = RunState;
  RunFilter filter;
  filter.states = {S::running,   S::succeeded, S::failed, S::timed_out,
                   S::cancelled, S::skipped,   S::lost};
  filter.last_attempts = true;
  filter.output = false;
  return filter;
}

}  // namespace

Result<std::optional<Run>, Refusal> newest_run(const ReadStore& read, const JobRow& job) {
  RunFilter filter = not_waiting();
  filter.job = job.uid;
  filter.limit = 1;
  auto rows = read.store->runs(filter);
  if (!rows) return store_failure(rows.error());
  if (rows->empty()) return std::optional<Run>{};
  if (rows->front().slot_to) take_last_slot(rows->front(), job);
  return std::optional(std::move(rows->front()));
}

Result<std::map<JobUid, Run>, Refusal> newest_runs(const ReadStore& read,
                                                   const std::vector<const JobRow*>& jobs) {
  std::map<JobUid, Run> newest;
  if (jobs.size() > 1) {
    RunFilter filter = not_waiting();
    filter.limit = 2 * jobs.size();
    auto rows = read.store->runs(filter);
    if (!rows) return store_failure(rows.error());
    for (Run& run : *rows) newest.try_emplace(run.id.job, std::move(run));  // the newest come first
  }
  for (const JobRow* job : jobs) {
    const auto known = newest.find(job->uid);
    if (known != newest.end()) {
      if (known->second.slot_to) take_last_slot(known->second, *job);
      continue;
    }
    auto run = newest_run(read, *job);
    if (!run) return run.error();
    if (*run) newest.emplace(job->uid, **std::move(run));
  }
  return newest;
}

Cell next_cell(const JobRow& job, Time now) {
  if (job.retired()) return {"retired", Colour::dim};
  if (job.paused()) return {"paused", Colour::yellow};
  if (job.only_exec) return {"by exec", Colour::dim};
  if (job.is_whole()) return {"on each node", Colour::dim};
  if (consists_of<RebootSpec>(job)) return {"at boot", Colour::dim};
  if (!job.plan.next) {
    return {consists_of<AfterSpec>(job) ? "after its run" : "never again", Colour::dim};
  }
  return *job.plan.next <= now ? Cell("due") : Cell(human_relative(*job.plan.next, now));
}

std::string shown_time(Time time, const JobRow& job, Time now) {
  const auto zone = load_zone(job.definition->schedule.timezone);
  const std::string text = zone ? human_time(time, **zone) : print(time);
  return fmt::format("{}  ({})", text, human_relative(time, now));
}

std::string shown_pause(const JobRow& job, const std::string& who) {
  if (!job.pause) return job.definition->paused ? "by its file" : "";
  std::string text = "by " + who;
  if (job.definition->paused) text += " and by its file";
  if (job.pause->until) text += " until " + print(*job.pause->until);
  return job.pause->note.empty() ? text : text + ": " + job.pause->note;
}

json::object job_json(const JobRow& job) {
  json::object out;
  out["job"] = shown_name(job);
  out["schedule"] = written(job.definition->schedule);
  out["timezone"] = job.definition->schedule.timezone;
  out["next"] = time_json(job.plan.next);
  out["paused"] = job.paused();
  out["pause_until"] = time_json(job.pause ? job.pause->until : std::nullopt);
  out["pause_note"] = job.pause ? json::value(job.pause->note) : json::value();
  out["retired"] = job.retired();
  out["running"] = job.live.size();
  out["pending"] = job.pending.size();
  out["cursor"] = print(job.plan.cursor);
  out["revision"] = job.revision;
  json::object sources;
  for (const auto& [source, digest] : *job.sources) sources[source] = digest;
  out["sources"] = sources;
  return out;
}

}  // namespace cronce
