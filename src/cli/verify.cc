#include "detect/verify.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "cli/ledger.h"
#include "cli/shown_node.h"

namespace cronce {
namespace {

constexpr std::size_t kPage = 1'000;      // rows that are read at once
constexpr std::int64_t kMostSlots = 900;  // for which that will do, where there are few retries
constexpr std::size_t kShown = 100;       // findings of a job

struct JobReport {
  const JobRow* job;
  Time from{};
  Time to{};
  Verified verified;
  bool complete = true;
  std::vector<Discrepancy> shown;
  std::array<std::int64_t, 5> counts{};

  std::int64_t found() const { return std::accumulate(counts.begin(), counts.end(), 0L); }
};

Result<VerifySettings, Refusal> read_settings(const Args& args, Time now) {
  VerifySettings settings{.now = now};
  if (const auto text = args.get("--late")) {
    const auto late = parse_duration(*text);
    if (!late) return Refusal{kExitUsage, "--late: " + late.error().message};
    settings.late = *late;
  }
  return settings;
}

/// Reads the rows of one job, a page at a time, and shows them to its verifier.
class Reading {
 public:
  Reading(Store& store, const JobRow& job, Verifier& verifier)
      : store_(store), job_(job), verifier_(verifier) {}

  std::optional<Error> read(Time after, Time through) {
    while (after < through) {
      const Time to = verifier_.stretch(after, through, slots_);
      const auto read = read_stretch(after, to);
      if (!read) return read.error();
      after = *read;
    }
    return std::nullopt;
  }

 private:
  /// Up to where it could be read: a page may be too small for it.
  Result<Time> read_stretch(Time after, Time to) {
    for (std::size_t limit = kPage;;) {
      auto rows = store_.runs({.job = job_.uid,
                               .from = after + Duration{1},
                               .to = to,
                               .limit = limit,
                               .output = false});
      if (!rows) return rows.error();
      const bool whole = rows->size() < limit;
      if (whole) {
        slots_ = std::min(slots_ + slots_ / 8 + 1, kMostSlots);
        verifier_.look(after, to, *std::move(rows));
        return to;
      }
      slots_ = std::max<std::int64_t>(slots_ / 2, 1);
      if (to - after <= Duration{1}) limit *= 2;  // so many at one moment
      to = std::max(after + (to - after) / 2, after + Duration{1});
    }
  }

  Store& store_;
  const JobRow& job_;
  Verifier& verifier_;
  std::int64_t slots_ = kMostSlots;
};

/// A job that is not there any more has nothing that could be missing.
Result<Time> read_floor(Store& store, JobUid uid) {
  const auto jobs = store.jobs();
  if (!jobs) return jobs.error();
  for (const JobRow& job : *jobs) {
    if (job.uid == uid) return job.floor;
  }
  return kMaxTime;
}

bool is_away(const JobRow& job, const std::vector<Node>& nodes, const ReadStore& read) {
  return job.whole && std::none_of(nodes.begin(), nodes.end(), [&](const Node& node) {
           return node.name == *job.member && !is_silent(node, read.boot);
         });
}

Result<JobReport, Refusal> verify_job(const ReadStore& read, const JobRow& job,
                                      const Window& window, const VerifySettings& settings) {
  const auto past = read.store->past(job.uid);
  if (!past) return store_failure(past.error());
  JobReport report{&job};
  std::optional<Error> error;
  const auto found = [&](const Discrepancy& finding) {
    ++report.counts[static_cast<std::size_t>(finding.what)];
    if (report.shown.size() < kShown) report.shown.push_back(finding);
  };
  const auto floor = [&] {
    const auto now = read_floor(*read.store, job.uid);
    if (!now) error = now.error();
    return now ? *now : kMaxTime;
  };
  Verifier verifier(job, *past, settings, found, floor);
  const Time end = std::min(window.to, settings.now);
  const Time after = window.from > verifier.begin() ? window.from - Duration{1} : verifier.begin();
  Reading reading(*read.store, job, verifier);
  if (const auto failed = reading.read(after, end)) error = failed;
  if (error) return store_failure(*error);
  verifier.end();
  report.from = std::min(std::max(window.from, verifier.begin()), end);
  report.to = std::min(end, std::max(job.plan.cursor, report.from));
  const bool in_window = job.plan.next && *job.plan.next >= window.from;
  if (window.to >= settings.now && in_window) verifier.look_at_next();
  report.verified = verifier.verified();
  report.complete = verifier.is_complete();
  return report;
}

std::string shown_run(const RunId& id) {
  const std::string name = id.space == Space::slot ? print(id.slot) : "request " + id.request;
  return id.attempt > Attempt{1} ? fmt::format("{} #{}", name, id.attempt.value) : name;
}

std::string explain(const Discrepancy& finding) {
  switch (finding.what) {
    case Discrepancy::What::missing:
      return "nothing is recorded of it";
    case Discrepancy::What::duplicate:
      return fmt::format("started again although {} had been started", shown_run(*finding.with));
    case Discrepancy::What::overlapping:
      return fmt::format("alive together with {} for {}", shown_run(*finding.with),
                         human_span(finding.by));
    case Discrepancy::What::late:
      return fmt::format("{} after it was due", human_span(finding.by));
    case Discrepancy::What::unexpected:
      return "no definition of that time has such a slot";
  }
  return "";
}

json::object finding_json(const Discrepancy& finding, const JobRow& job) {
  const RunId& id = finding.run;
  const bool is_slot = id.space == Space::slot;
  json::object out;
  out["job"] = shown_name(job);
  out["finding"] = json::value(word(finding.what));
  out["slot"] = is_slot ? json::value(print(id.slot)) : json::value();
  if (!is_slot) out["request"] = id.request;
  out["attempt"] = id.attempt == Attempt{0} ? json::value() : json::value(id.attempt.value);
  if (finding.with) out["with"] = shown_run(*finding.with);
  if (finding.by != Duration{0}) out["by_ms"] = finding.by.count();
  out["why"] = explain(finding);
  return out;
}

json::object report_json(const JobReport& report) {
  json::object out;
  out["job"] = shown_name(*report.job);
  out["from"] = print(report.from);
  out["to"] = print(report.to);
  out["slots"] = report.verified.slots;
  out["runs"] = report.verified.runs;
  out["complete"] = report.complete;
  out["waiting"] = time_json(report.verified.waiting);
  for (std::size_t i = 0; i < report.counts.size(); ++i) {
    out[word(static_cast<Discrepancy::What>(i))] = report.counts[i];
  }
  return out;
}

/// `2 missing, 1 late`; empty if nothing was found
std::string shown_counts(const std::array<std::int64_t, 5>& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i],
                        word(static_cast<Discrepancy::What>(i)));
  }
  return text;
}

std::string shown_slots(const JobReport& report) {
  if (report.from >= report.to) return "nothing is settled in this time";
  return fmt::format("{}, {} from {} to {}",
                     counted(static_cast<std::size_t>(report.verified.slots), "slot"),
                     counted(static_cast<std::size_t>(report.verified.runs), "run"),
                     print(report.from), print(report.to));
}

std::string shown_waiting(const JobReport& report) {
  if (!report.verified.waiting) return "";
  return fmt::format("; {} is away: its slots from {} on are not settled", *report.job->member,
                     print(*report.verified.waiting));
}

void print_report(const JobReport& report, const Console& console) {
  const std::string counts = shown_counts(report.counts);
  put(console.out,
      fmt::format("{}  {}{}{}{}\n", paint(console, Colour::bold, shown_name(*report.job)),
                  shown_slots(report),
                  counts.empty() ? "" : ": " + paint(console, Colour::red, counts),
                  report.complete ? "" : "; not all of its schedules can be computed here",
                  shown_waiting(report)));
  for (const Discrepancy& finding : report.shown) {
    put(console.out, fmt::format("  {:<12} {}  {}\n", word(finding.what), shown_run(finding.run),
                                 explain(finding)));
  }
  const auto more = report.found() - static_cast<std::int64_t>(report.shown.size());
  if (more > 0) put(console.out, fmt::format("  and {} more\n", more));
}

void print_report_json(const JobReport& report, const Console& console) {
  for (const Discrepancy& finding : report.shown) {
    put(console.out, json::print(finding_json(finding, *report.job)) + "\n");
  }
  put(console.out, json::print(report_json(report)) + "\n");
}

struct Sum {
  std::size_t jobs = 0;
  std::size_t slots = 0;
  std::size_t waiting = 0;  // jobs
  std::array<std::int64_t, 5> counts{};

  void add(const JobReport& report) {
    slots += static_cast<std::size_t>(report.verified.slots);
    if (report.verified.waiting) ++waiting;
    std::transform(counts.begin(), counts.end(), report.counts.begin(), counts.begin(),
                   std::plus<>());
  }
};

std::string shown_sum(const Sum& sum) {
  const std::string found = shown_counts(sum.counts);
  const std::string fine =
      sum.waiting == 0 ? "all accounted for, none twice" : "none missing, none twice";
  return fmt::format(
      "{}, {}: {}{}\n", counted(sum.jobs, "job"), counted(sum.slots, "slot"),
      found.empty() ? fine : found,
      sum.waiting == 0
          ? ""
          : fmt::format("; {} for nodes that are away",
                        sum.waiting == 1 ? "1 waits" : std::to_string(sum.waiting) + " wait"));
}

/// Those that run everywhere too: what they were before counts.
Result<std::vector<const JobRow*>, Refusal> asked_jobs(const Args& args, const ReadStore& read) {
  std::vector<const JobRow*> jobs;
  for (const std::string& name : args.words) {
    const auto found = find_jobs(read, name);
    if (!found) return found.error();
    jobs.insert(jobs.end(), found->begin(), found->end());
  }
  if (!args.words.empty()) return jobs;
  for (const JobRow& job : read.jobs) jobs.push_back(&job);
  return jobs;
}

}  // namespace

int run_verify(const Args& args, const Console& console) {
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto window = read_window(args, **load_zone("UTC"), read->now);
  if (!window) return fail(console, window.error());
  auto settings = read_settings(args, read->now);
  if (!settings) return fail(console, settings.error());
  const auto jobs = asked_jobs(args, *read);
  if (!jobs) return fail(console, jobs.error());
  const auto nodes = read_nodes(*read);
  if (!nodes) return fail(console, nodes.error());
  Sum sum{.jobs = jobs->size()};
  for (const JobRow* job : *jobs) {
    settings->away = is_away(*job, *nodes, *read);
    const auto report = verify_job(*read, *job, *window, *settings);
    if (!report) return fail(console, report.error());
    sum.add(*report);
    if (args.has("--json")) {
      print_report_json(*report, console);
    } else {
      const bool named = !args.words.empty() && !job->is_whole();
      const bool odd = report->found() > 0 || !report->complete || report->verified.waiting;
      if (odd || named) print_report(*report, console);
    }
  }
  if (!args.has("--json")) put(console.out, shown_sum(sum));
  return shown_counts(sum.counts).empty() ? kExitDone : kExitFound;
}

}  // namespace cronce
