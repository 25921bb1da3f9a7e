// `cancel` and `release`: what a person decides about a run that is there.
#include <algorithm>

#include <fmt/format.h>

#include "cli/ledger.h"
#include "cli/steer.h"
#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

struct OpenRun {
  const JobRow* job;
  Run run;
};

/// Of a job and its shares, the newest first.
Result<std::vector<OpenRun>, Refusal> open_runs(const ReadStore& read, const std::string& name,
                                                const std::vector<RunState>& states) {
  const auto jobs = find_jobs(read, name);
  if (!jobs) return jobs.error();
  std::vector<OpenRun> found;
  for (const JobRow* job : *jobs) {
    RunFilter filter{.job = job->uid, .states = states};
    filter.output = false;
    auto runs = read.store->runs(filter);
    if (!runs) return store_failure(runs.error());
    for (Run& run : *runs) found.push_back({job, std::move(run)});
  }
  return found;
}

/// The last attempt of the slot that is named.
Result<OpenRun, Refusal> named_run(const ReadStore& read, const Args& args) {
  const auto job = find_one_job(read, args.words[0]);
  if (!job) return job.error();
  const auto asked = read_slot(read, **job, args.words[1]);
  if (!asked) return asked.error();
  const auto attempts = read_attempts(read, *asked, Output::without);
  if (!attempts) return attempts.error();
  if (!attempts->empty()) return OpenRun{*job, attempts->back()};
  return Refusal{kExitNotFound,
                 fmt::format("{}: nothing runs or waits: 'cronce why {} {}' says what became of it",
                             shown_slot(*asked), args.words[0], args.words[1])};
}

std::string names_of(const std::vector<OpenRun>& runs) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(runs.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + shown_run(*runs[i].job, runs[i].run.id);
  }
  return runs.size() > kNamed ? text + ", ..." : text;
}

Result<std::vector<OpenRun>, Refusal> to_cancel(const ReadStore& read, const Args& args) {
  if (args.words.size() > 1) {
    const auto run = named_run(read, args);
    if (!run) return run.error();
    return std::vector{*run};
  }
  const std::string& name = args.words.front();
  std::vector<RunState> states{RunState::running};
  if (args.has("--waiting")) states.insert(states.end(), {RunState::pending, RunState::held});
  auto runs = open_runs(read, name, states);
  if (!runs || !runs->empty()) return runs;
  const auto waiting = open_runs(read, name, {RunState::pending, RunState::held});
  if (!waiting) return waiting.error();
  if (waiting->empty()) {
    return Refusal{kExitNotFound, fmt::format("{}: nothing runs, and nothing waits", name)};
  }
  return Refusal{kExitNotFound,
                 fmt::format("{}: nothing runs; {} wait{}: name a slot, or use --waiting", name,
                             names_of(*waiting), waiting->size() == 1 ? "s" : "")};
}

Result<std::vector<OpenRun>, Refusal> to_release(const ReadStore& read, const Args& args) {
  if (args.words.size() > 1) {
    const auto run = named_run(read, args);
    if (!run) return run.error();
    return std::vector{*run};
  }
  const std::string& name = args.words.front();
  auto runs = open_runs(read, name, {RunState::held});
  if (!runs || runs->size() == 1 || (args.has("--all") && !runs->empty())) return runs;
  if (runs->empty()) return Refusal{kExitNotFound, name + ": nothing is held"};
  return Refusal{kExitUsage, fmt::format("{}: {} are held: {}: name one, or use --all", name,
                                         runs->size(), names_of(*runs))};
}

/// What is said of a run that is not what it was taken for.
Refusal not_as_wanted(const OpenRun& open, std::string_view wanted) {
  return {kExitTryLater, fmt::format("{}: it is not {}: {}", shown_run(*open.job, open.run.id),
                                     wanted, describe(open.run.state, open.run.reason))};
}

void print_done(const OpenRun& open, std::string_view text, std::string_view outcome,
                const Args& args, const Console& console) {
  if (args.has("--json")) {
    json::object out = ledger_json({open.job, open.run});
    out["outcome"] = json::value(outcome);
    put(console.out, json::print(out) + "\n");
  } else {
    put(console.out, fmt::format("{}: {}\n", shown_run(*open.job, open.run.id), text));
  }
}

int cancel_one(const OpenRun& open, Steer& steer, const Args& args, const Console& console) {
  const Run& run = open.run;
  if (run.state == RunState::cancelled) {
    print_done(open, "it is cancelled already", "cancelled", args, console);
    return kExitDone;
  }
  if (is_ended(run.state)) return fail(console, not_as_wanted(open, "alive any more"));
  const auto answer = steer.steering->ask(CancelRun{run.id, steer.by});
  const std::string name = shown_run(*open.job, run.id);
  if (!answer) return fail(console, unanswered(answer.error(), name));
  if (answer->refused == Refused::moved) {
    return fail(console, kExitTryLater, name + ": it has just ended: nothing was cancelled");
  }
  if (answer->refused != Refused::none) return fail(console, refusal_of(answer->refused, name));
  if (run.state == RunState::running) {
    print_done(open, fmt::format("{} is told to stop it", run.node), "stopping", args, console);
  } else {
    print_done(open, "cancelled before it began", "cancelled", args, console);
  }
  return kExitDone;
}

int release_one(const OpenRun& open, Steer& steer, const Args& args, const Console& console) {
  const std::string name = shown_run(*open.job, open.run.id);
  if (open.run.state != RunState::held) return fail(console, not_as_wanted(open, "held"));
  const auto answer = steer.steering->ask(ReleaseRun{open.run.id, steer.by});
  if (!answer) return fail(console, unanswered(answer.error(), name));
  if (answer->refused == Refused::moved) {
    return fail(console, kExitTryLater,
                name + ": somebody else was first: it is not held any more");
  }
  if (answer->refused == Refused::stale) {
    return fail(console, kExitTryLater,
                fmt::format("{}: the store has forgotten a part of its past, in which it may have "
                            "been released and have run: cancel it, or run it anew with 'cronce "
                            "backfill --again'",
                            name));
  }
  if (answer->refused != Refused::none) return fail(console, refusal_of(answer->refused, name));
  print_done(open, "released: it runs as soon as it may", "pending", args, console);
  return kExitDone;
}

template <class Find, class Do>
int each_run(const Args& args, const Console& console, std::string_view command, Find find,
             Do act) {
  if (args.words.empty()) {
    return fail(console, kExitUsage, fmt::format("no job: try 'cronce {} JOB [SLOT]'", command));
  }
  auto steer = open_steer(args, console);
  if (!steer) return fail(console, steer.error());
  const auto runs = find(steer->read, args);
  if (!runs) return fail(console, runs.error());
  int worst = kExitDone;
  for (const OpenRun& open : *runs) {
    const int exit_code = act(open, *steer, args, console);
    if (exit_code == kExitUnavailable) return exit_code;
    if (exit_code != kExitDone) worst = exit_code;
  }
  return worst;
}

}  // namespace

int run_cancel(const Args& args, const Console& console) {
  return each_run(args, console, "cancel", to_cancel, cancel_one);
}

int run_release(const Args& args, const Console& console) {
  return each_run(args, console, "release", to_release, release_one);
}

}  // namespace cronce
