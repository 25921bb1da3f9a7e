// `pause` and `resume`.
#include <algorithm>

#include <fmt/format.h>

#include "cli/ledger.h"
#include "cli/schedule_args.h"
#include "cli/shown_job.h"
#include "cli/steer.h"

namespace cronce {
namespace {

/// A time in the job's zone, or how long from now.
Result<Time, Refusal> read_until(const std::string& text, const JobRow& job, Time now) {
  const auto span = parse_duration(text);
  const auto zone = load_zone(job.definition->schedule.timezone);
  if (!zone) return Refusal{kExitBadData, zone.error().message};
  const auto time =
      span ? Result<Time>(std::chrono::ceil<Seconds>(now + *span)) : read_time(text, **zone);
  if (!time) {
    return Refusal{kExitUsage,
                   fmt::format("--until: {}, or for how long, as in 2h", time.error().message)};
  }
  if (*time > now) return *time;
  return Refusal{kExitUsage, fmt::format("--until: {} is over", print(*time))};
}

struct Ask {
  const JobRow* job;
  Pause pause;
};

/// All of them are read before the first is asked: a mistake changes nothing.
Result<std::vector<Ask>, Refusal> read_asks(const Args& args, const Steer& steer) {
  const auto jobs = choose_jobs(args, steer.read, "pause");
  if (!jobs) return jobs.error();
  std::vector<Ask> asks;
  for (const JobRow* job : *jobs) {
    Ask ask{job, {std::nullopt, steer.by.why}};
    if (const auto text = args.get("--until")) {
      const auto until = read_until(*text, *job, steer.read.now);
      if (!until) return until.error();
      ask.pause.until = *until;
    }
    asks.push_back(ask);
  }
  return asks;
}

void print_paused(const Ask& ask, const Args& args, const Console& console) {
  const std::string name = shown_name(*ask.job);
  if (args.has("--json")) {
    const json::object out{{"job", name},
                           {"paused", true},
                           {"until", time_json(ask.pause.until)},
                           {"was_paused", ask.job->pause.has_value()}};
    put(console.out, json::print(out) + "\n");
    return;
  }
  std::string text = name + (ask.job->pause ? " stays paused" : " is paused");
  if (ask.pause.until) text += " until " + print(*ask.pause.until);
  const std::size_t live = ask.job->live.size();
  if (live > 0) text += fmt::format("; {} go{} on", counted(live, "run"), live == 1 ? "es" : "");
  put(console.out, text + "\n");
}

/// What there is to say of a job that no person has paused.
int print_not_paused(const JobRow& job, const Args& args, const Console& console) {
  const std::string name = shown_name(job);
  if (job.definition->paused) {
    return fail(console, kExitTryLater,
                fmt::format("{} is paused by its file, and not by a person: take 'paused: true' "
                            "out of the file",
                            name));
  }
  const json::object out{{"job", name}, {"paused", false}, {"was_paused", false}};
  put(console.out, args.has("--json") ? json::print(out) + "\n" : name + " is not paused\n");
  return kExitDone;
}

int resume_one(const JobRow& job, Steer& steer, const Args& args, const Console& console) {
  if (!job.pause) return print_not_paused(job, args, console);
  const std::string name = shown_name(job);
  const auto answer = steer.steering->resume(job.uid, steer.by);
  if (!answer) return fail(console, unanswered(answer.error(), name));
  if (answer->refused == Refused::moved) return print_not_paused(job, args, console);
  if (answer->refused != Refused::none) return fail(console, refusal_of(answer->refused, name));
  const bool still = job.definition->paused;
  if (args.has("--json")) {
    const json::object out{{"job", name}, {"paused", still}, {"was_paused", true}};
    put(console.out, json::print(out) + "\n");
  } else {
    put(console.out, fmt::format("{}{}\n", name,
                                 still ? " is paused by its file still"
                                       : " goes on from now; what the pause covered does not run"));
  }
  return kExitDone;
}

}  // namespace

int run_pause(const Args& args, const Console& console) {
  auto steer = open_steer(args, console);
  if (!steer) return fail(console, steer.error());
  const auto asks = read_asks(args, *steer);
  if (!asks) return fail(console, asks.error());
  int worst = kExitDone;
  for (const Ask& ask : *asks) {
    const auto answer = steer->steering->ask(PauseJob{ask.job->uid, ask.pause, steer->by});
    const std::string name = shown_name(*ask.job);
    if (!answer) return fail(console, unanswered(answer.error(), name));
    if (answer->refused == Refused::none) {
      print_paused(ask, args, console);
    } else {
      worst = fail(console, refusal_of(answer->refused, name));
    }
  }
  return worst;
}

int run_resume(const Args& args, const Console& console) {
  auto steer = open_steer(args, console);
  if (!steer) return fail(console, steer.error());
  const auto jobs = choose_jobs(args, steer->read, "resume");
  if (!jobs) return fail(console, jobs.error());
  // Of many those are meant that a person has paused.
  const bool many = jobs->size() > 1;
  const bool any = std::any_of(jobs->begin(), jobs->end(),
                               [](const JobRow* job) { return job->pause.has_value(); });
  if (many && !any && !args.has("--json")) put(console.out, "no person has paused any of them\n");
  int worst = kExitDone;
  for (const JobRow* job : *jobs) {
    if (many && !job->pause) continue;
    const int exit_code = resume_one(*job, *steer, args, console);
    if (exit_code == kExitUnavailable) return exit_code;
    if (exit_code != kExitDone) worst = exit_code;
  }
  return worst;
}

}  // namespace cronce
