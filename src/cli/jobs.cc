#include <fmt/format.h>

#include "cli/ledger.h"
#include "cli/shown_job.h"
#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

/// A job and its newest record, if it has one.
struct Known {
  const JobRow* job;
  std::optional<Run> last;
};

Result<std::vector<Known>, Refusal> read_jobs(const ReadStore& read, const Args& args) {
  std::vector<const JobRow*> wanted;
  if (args.words.empty()) {
    for (const JobRow& job : read.jobs) {
      if (!job.retired() || args.has("--all")) wanted.push_back(&job);
    }
  } else {
    auto found = find_jobs(read, args.words.front());
    if (!found) return found.error();
    wanted = *std::move(found);
  }
  auto newest = newest_runs(read, wanted);
  if (!newest) return newest.error();
  std::vector<Known> known;
  for (const JobRow* job : wanted) {
    const auto last = newest->find(job->uid);
    known.push_back(
        {job, last == newest->end() ? std::nullopt : std::optional(std::move(last->second))});
  }
  return known;
}

void print_json(const std::vector<Known>& jobs, const Console& console) {
  for (const auto& [job, last] : jobs) {
    json::object line = job_json(*job);
    line["last"] = last ? json::value(ledger_json({job, *last})) : json::value();
    put(console.out, json::print(line) + "\n");
  }
}

void print_table(const std::vector<Known>& jobs, Time now, const Console& console) {
  Table table({{"JOB"}, {"SCHEDULE", Column::Side::left, true}, {"NEXT"}, {"LAST"}, {"WHEN"}});
  for (const auto& [job, last] : jobs) {
    table.add({Cell(shown_name(*job)), Cell(describe(job->definition->schedule)),
               next_cell(*job, now), last ? state_cell(*last) : Cell(),
               last ? Cell(shown_when(*last, now), Colour::dim) : Cell()});
  }
  put(console.out, table.print(console));
}

/// What the table does not show.
std::string footer(const ReadStore& read, bool all) {
  std::size_t paused = 0, retired = 0, live = 0;
  for (const JobRow& job : read.jobs) {
    retired += job.retired() ? 1U : 0U;
    paused += !job.retired() && job.paused() ? 1U : 0U;
    live += job.live.size();
  }
  std::string text = counted(read.jobs.size() - (all ? 0 : retired), "job");
  if (live > 0) text += fmt::format(", {} running", live);
  if (paused > 0) text += fmt::format(", {} paused", paused);
  if (retired > 0 && !all) text += fmt::format("; {} retired (--all)", retired);
  return text;
}

}  // namespace

int run_jobs(const Args& args, const Console& console) {
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto jobs = read_jobs(*read, args);
  if (!jobs) return fail(console, jobs.error());
  if (args.has("--json")) {
    print_json(*jobs, console);
    return kExitDone;
  }
  if (!jobs->empty()) print_table(*jobs, read->now, console);
  if (args.words.empty()) {
    put(console.out, paint(console, Colour::dim, footer(*read, args.has("--all"))) + "\n");
  }
  return kExitDone;
}

}  // namespace cronce
