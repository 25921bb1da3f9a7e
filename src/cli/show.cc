#include <algorithm>

#include <fmt/format.h>

#include "cli/interventions.h"
#include "cli/ledger.h"
#include "cli/shown_job.h"
#include "model/describe.h"
#include "model/words.h"
#include "schedule/in_words.h"

namespace cronce {
namespace {

constexpr std::size_t kRunsShown = 10;
constexpr std::size_t kInterventionsShown = 5;

void print_fact(const Console& console, std::string_view label, std::string_view text) {
  constexpr std::size_t kLabel = 13;
  print_row(console, kLabel, label, text);
}

void print_definition(const JobRow& job, const Console& console) {
  const Job& definition = *job.definition;
  print_fact(console, "schedule", describe(definition.schedule));
  print_fact(console, "in words", in_words(definition.schedule));
  for (const JobKey& key : definition_of(definition)) {
    if (key.telling) print_fact(console, key.name, key.text);
  }
}

void print_sources(const JobRow& job, const Console& console) {
  constexpr std::size_t kDigits = 12;
  for (const auto& [source, digest] : *job.sources) {
    print_fact(console, "source", fmt::format("{} ({})", source, digest.substr(0, kDigits)));
  }
  if (job.only_exec) print_fact(console, "source", "cronce exec");
  if (job.retired()) print_fact(console, "retired", "no file defines it any more");
  print_fact(console, "revision", std::to_string(job.revision));
}

void print_plan(const JobRow& job, const std::string& who, Time now, const Console& console) {
  print_fact(console, "paused", shown_pause(job, who));
  if (job.plan.next) {
    print_fact(console, "next", shown_time(*job.plan.next, job, now));
  } else {
    print_fact(console, "next", next_cell(job, now).text);
  }
  if (job.is_whole()) return;
  print_fact(console, "settled to", shown_time(job.plan.cursor, job, now));
  if (job.busy_until > now)
    print_fact(console, "rests until", shown_time(job.busy_until, job, now));
  if (job.floor > Time{}) print_fact(console, "purged to", print(job.floor));
  const std::string by = job.moved_by->empty() ? "" : ", last moved by " + *job.moved_by;
  print_fact(console, "turn", fmt::format("{}{}", job.plan.turn.value, by));
  print_fact(console, "starts", std::to_string(job.runs_started));
}

/// What runs and waits now; the ledger's lines would drown it.
std::optional<Refusal> print_now(const ReadStore& read, const JobRow& job, const Console& console) {
  LedgerAsk ask{.jobs = {&job}, .states = {RunState::running, RunState::pending, RunState::held}};
  ask.attempts = true;
  const auto found = read_ledger(read, ask);
  if (!found) return found.error();
  for (const auto& [row, run] : found->lines) {
    std::string text = shown_id(run);
    if (run.state == RunState::running) {
      text += fmt::format(" on {}, fence {}, {}", run.node, run.fence->value,
                          shown_when(run, read.now));
    } else {
      text += fmt::format(", due {}", human_relative(run.due, read.now));
    }
    const std::string label =
        run.state == RunState::pending ? "waiting" : std::string(word(run.state));
    print_fact(console, label, text);
  }
  return std::nullopt;
}

/// What people did, the newest first. A share shows what was done to it alone.
std::vector<Intervention> last_interventions(const JobRow& job, std::vector<Intervention> all) {
  std::reverse(all.begin(), all.end());
  if (job.whole) {
    std::erase_if(all, [&](const Intervention& one) { return one.run && one.run->job != job.uid; });
  }
  all.resize(std::min(all.size(), kInterventionsShown));
  return all;
}

std::optional<Refusal> print_job(const ReadStore& read, const JobRow& job, const Console& console) {
  put(console.out, paint(console, Colour::bold, shown_name(job)) + "\n");
  print_definition(job, console);
  print_sources(job, console);
  const auto interventions = read_interventions(read, job);
  if (!interventions) return interventions.error();
  print_plan(job, who_paused(job, *interventions), read.now, console);
  if (auto refusal = print_now(read, job, console)) return refusal;
  for (const Intervention& one : last_interventions(job, *interventions)) {
    const std::string subject = shown_subject(one);
    print_fact(console, word(one.what),
               (subject.empty() ? "" : subject + ", ") + shown_intervention(one));
  }
  LedgerAsk ask{.jobs = {&job}};
  ask.limit = kRunsShown;
  const auto found = read_ledger(read, ask);
  if (!found) return found.error();
  if (found->lines.empty()) return std::nullopt;
  put(console.out, "\n" + ledger_table(found->lines, read.now, false).print(console, "  "));
  return std::nullopt;
}

json::array lines_json(const std::vector<LedgerLine>& lines) {
  json::array out;
  for (const LedgerLine& line : lines) out.push_back(ledger_json(line));
  return out;
}

Result<json::object, Refusal> show_json(const ReadStore& read, const JobRow& job) {
  LedgerAsk now{.jobs = {&job}, .states = {RunState::running, RunState::pending, RunState::held}};
  now.attempts = true;
  LedgerAsk last{.jobs = {&job}};
  last.limit = kRunsShown;
  const auto open = read_ledger(read, now);
  if (!open) return open.error();
  const auto past = read_ledger(read, last);
  if (!past) return past.error();
  const auto interventions = read_interventions(read, job);
  if (!interventions) return interventions.error();
  json::object out = job_json(job);
  const std::string who = who_paused(job, *interventions);
  out["paused_by"] = who.empty() ? json::value() : json::value(who);
  out["turn"] = job.plan.turn.value;
  out["moved_by"] = job.moved_by->empty() ? json::value() : json::value(*job.moved_by);
  out["starts"] = job.runs_started;
  out["definition"] = definition_json(*job.definition);
  out["interventions"] = interventions_json(last_interventions(job, *interventions));
  out["open"] = lines_json(open->lines);
  out["history"] = lines_json(past->lines);
  return out;
}

}  // namespace

int run_show(const Args& args, const Console& console) {
  if (args.words.empty()) return fail(console, kExitUsage, "no job: try 'cronce show JOB'");
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto jobs = find_jobs(*read, args.words.front());
  if (!jobs) return fail(console, jobs.error());
  if (args.has("--json")) {
    for (const JobRow* job : *jobs) {
      const auto out = show_json(*read, *job);
      if (!out) return fail(console, out.error());
      put(console.out, json::print(*out) + "\n");
    }
    return kExitDone;
  }
  for (const JobRow* job : *jobs) {
    if (job != jobs->front()) put(console.out, "\n");
    if (const auto refusal = print_job(*read, *job, console)) return fail(console, *refusal);
  }
  return kExitDone;
}

}  // namespace cronce
