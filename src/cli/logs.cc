#include <fmt/format.h>

#include "cli/human.h"
#include "cli/log_tail.h"
#include "cli/slot_args.h"
#include "model/describe.h"

namespace cronce {
namespace {

/// How often the store is asked whether the run has ended.
constexpr Duration kLook{500};

/// Of these attempts the one that is asked for, or the last one that was given to a node.
Result<Run, Refusal> choose(const std::vector<Run>& attempts, const AskedSlot& asked,
                            const std::optional<Attempt>& wanted) {
  for (auto run = attempts.rbegin(); run != attempts.rend(); ++run) {
    if (wanted ? run->id.attempt == *wanted : run->claimed_at.has_value()) return *run;
  }
  std::string why = "nothing is recorded of it";
  if (wanted) {
    why = fmt::format("there is no attempt {}", wanted->value);
  } else if (!attempts.empty()) {
    why =
        fmt::format("it did not run ({})", describe(attempts.back().state, attempts.back().reason));
  }
  return Refusal{kExitNotFound, fmt::format("{}: no output: {}", shown_slot(asked), why)};
}

/// Mostly the first row is the one: those that were cancelled while they waited have not run.
Result<Run, Refusal> newest_that_ran(const ReadStore& read, const JobRow& job) {
  using S = RunState;
  RunFilter filter{.job = job.uid, .limit = 10};
  filter.states = {S::running, S::succeeded, S::failed, S::timed_out, S::cancelled, S::lost};
  filter.output = false;
  for (;; filter.limit *= 10) {
    const auto runs = read.store->runs(filter);
    if (!runs) return store_failure(runs.error());
    for (const Run& run : *runs) {
      if (run.claimed_at) return run;
    }
    if (runs->size() < filter.limit) break;
  }
  return Refusal{kExitNotFound, fmt::format("{}: no output: it has not run yet", shown_name(job))};
}

Result<Run, Refusal> find_run(const Args& args, const ReadStore& read, const JobRow& job) {
  std::optional<Attempt> wanted;
  if (const auto text = args.get("--attempt")) {
    const auto attempt = read_number("--attempt", *text);
    if (!attempt) return attempt.error();
    wanted = Attempt{static_cast<std::uint64_t>(*attempt)};
  }
  std::string slot = args.words.size() > 1 ? args.words[1] : "";
  if (slot.empty() || slot == "last") {
    auto newest = newest_that_ran(read, job);
    if (!newest || !wanted) return newest;
    const AskedSlot same{&job,
                         {job.uid, newest->id.space, newest->id.slot, newest->id.request, {}}};
    const auto attempts = read_attempts(read, same, Output::without);
    return attempts ? choose(*attempts, same, wanted) : attempts.error();
  }
  const auto asked = read_slot(read, job, slot);
  if (!asked) return asked.error();
  const auto attempts = read_attempts(read, *asked, Output::without);
  return attempts ? choose(*attempts, *asked, wanted) : attempts.error();
}

void remark(const Console& console, const std::string& text) {
  put(console.err, paint(console, Colour::dim, "cronce: " + text) + "\n");
  std::fflush(console.err);
}

/// The row as it is now; none if it was purged meanwhile.
Result<std::optional<Run>> look_again(const ReadStore& read, const Run& run, Output output) {
  const Time at = run.id.space == Space::slot ? run.id.slot : run.due;
  RunFilter filter{.job = run.id.job, .from = at, .to = at};
  filter.output = output == Output::with;
  const auto rows = read.store->runs(filter);
  if (!rows) return rows.error();
  for (const Run& row : *rows) {
    if (row.id == run.id && !row.slot_to) return std::optional(row);
  }
  return std::optional<Run>{};
}

/// Copies until the run has ended, and what came until then. The store is asked whenever nothing
/// was printed for a while; while it is away, what is printed here is printed on.
void follow(LogTail& tail, const ReadStore& read, Run& run, const Console& console) {
  bool told = false;
  for (;;) {
    const auto now = look_again(read, run, Output::without);
    if (now && *now) run = **now;
    if (!now && !std::exchange(told, true)) {
      remark(console, "the store does not answer, and is asked again: " + now.error().message);
    }
    const bool over = now && (!*now || is_ended(run.state));
    do {
      static_cast<void>(tail.copy(console.out));
      if (std::fflush(console.out) != 0) return;
    } while (!over && tail.wait(kLook));
    if (over) return;
  }
}

/// There is no file here: what the store keeps of the output is its end.
void print_kept(const JobRow& job, const Run& run, const Console& console) {
  put(console.out, run.output_tail);
  const auto kept = static_cast<std::size_t>(job.definition->output_keep_bytes);
  if (run.output_tail.empty()) {
    remark(console, shown_run(job, run.id) +
                        (is_ended(run.state) ? " printed nothing" : " has printed nothing yet"));
  } else if (run.output_tail.size() >= kept) {
    remark(console,
           fmt::format("this is the end of it; the whole output is in a file on {}", run.node));
  }
}

}  // namespace

int run_logs(const Args& args, const Console& console) {
  if (args.words.empty()) return fail(console, kExitUsage, "no job: try 'cronce logs JOB'");
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto job = find_one_job(*read, args.words.front());
  if (!job) return fail(console, job.error());
  auto run = find_run(args, *read, **job);
  if (!run) return fail(console, run.error());
  LogTail tail(run_log_path(read->places, run->id));
  const bool here = tail.copy(console.out).has_value();
  const bool follows = args.has("--follow");
  if (follows) follow(tail, *read, *run, console);
  if (!here && !tail.copy(console.out)) {
    const auto kept = look_again(*read, *run, Output::with);
    if (!kept) return fail(console, store_failure(kept.error()));
    print_kept(**job, kept->value_or(*run), console);
  }
  if (follows) {
    remark(console,
           fmt::format("{} {}", shown_run(**job, run->id), describe(run->state, run->reason)));
  }
  return kExitDone;
}

}  // namespace cronce
