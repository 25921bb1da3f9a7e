// The sentences of `why`.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/human.h"
#include "cli/slot_story.h"
#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

std::string skipped_text(const Run& run, const Job& job) {
  switch (run.reason) {
    case Reason::overlap:
      return "another run of the job was alive when it was due (overlap: skip)";
    case Reason::missed:
      return fmt::format("no node decided it in time, and catch_up: {} does not run it later",
                         word(job.catch_up.mode));
    case Reason::paused:
      return "the job was paused; what a pause covers is never caught up";
    case Reason::past:
      return "its time was over when the job was registered first";
    case Reason::calendar:
      return "the calendar leaves this day out";
    case Reason::guard:
      return "somebody else held a guard of the job";
    case Reason::at_least_for:
      return "the job had to rest after its last run (at_least_for)";
    case Reason::retired:
      return "no file defined the job any more";
    case Reason::max_runs:
      return "the job has had all its runs (between: max_runs)";
    case Reason::superseded:
      return run.kind == RunKind::scheduled
                 ? "it still waited for a node or a place when the next slot was due"
                 : "an earlier attempt has succeeded after all";
    case Reason::replaced:
      return "a newer slot took its place (overlap: replace)";
    case Reason::queue_full:
      return fmt::format("{} were waiting already (overlap: queue)", job.catch_up.cap);
    case Reason::expired:
      return "it waited for longer than it may be late";
    case Reason::no_node:
      return "no node that may run it was there in time";
    case Reason::node_absent:
      return "its node was gone";
    case Reason::civil_repeat:
      return "the clocks went back, and this local time had its slot before";
    case Reason::store_regressed:
      return "the store had forgotten its past: it may have run, so it must not run again";
    default:
      return "";
  }
}

/// Of an http action the last line is ours: `cronce: HTTP 503, expected 200-299`.
std::string http_text(const Run& run) {
  constexpr std::string_view kOurs = "cronce: ";
  const std::string_view line = last_line(run.output_tail);
  if (!line.starts_with(kOurs)) return "the answer was not the expected one";
  return "the call failed: " + as_utf8(line.substr(kOurs.size()));
}

/// Of a run whose reason says only that no retry is left.
std::string last_failure_text(const Run& run) {
  constexpr std::int64_t kBySignal = 128;  // as a shell has it
  if (!run.exit_code) return http_text(run);
  if (*run.exit_code > kBySignal) return "the last command was killed by a signal";
  return fmt::format("the last command ended with exit code {}", *run.exit_code);
}

std::string failed_text(const Run& run) {
  switch (run.reason) {
    case Reason::exit:
      return fmt::format("the command ended with exit code {}", run.exit_code.value_or(-1));
    case Reason::signal:
      return "the command was killed by a signal";
    case Reason::spawn:
      return "the command could not be started";
    case Reason::http:
      return http_text(run);
    case Reason::retries_exhausted:
      return "every attempt has failed: " + last_failure_text(run);
    case Reason::late:
      return "its node was taken for dead; the true result came later: it failed";
    default:
      return "the command failed";
  }
}

std::string cancelled_text(Reason reason) {
  switch (reason) {
    case Reason::replaced:
      return "a newer slot took its place (overlap: replace)";
    case Reason::drain:
      return "its node shut down, and it did not end in time";
    default:
      return "a person cancelled it";
  }
}

std::string lost_text(Reason reason) {
  switch (reason) {
    case Reason::keeper:
      return "the process that kept it died: it may have run";
    case Reason::regressed:
      return "the store had forgotten its past, and nobody knew of this run: it may have run";
    default:
      return "its node vanished: it may have run";
  }
}

std::string neighbours(const SlotStory& story) {
  std::string text;
  if (story.before) text += "the slot before it is " + print(*story.before);
  if (story.after) text += (text.empty() ? "" : ", ") + ("the one after it " + print(*story.after));
  return text.empty() ? "it has no times of its own" : text;
}

std::string which_attempt(const SlotStory& story) {
  const Run& last = story.attempts.back();
  const bool again = last.state == RunState::succeeded && last.id.attempt > Attempt{1};
  return again ? fmt::format(", at attempt {}", last.id.attempt.value) : "";
}

std::string who_would(const SlotStory& story) {
  if (story.home.empty()) return "no node is alive to decide it";
  return fmt::format("{} decides it, or another node in its place", story.home);
}

std::string owed_text(const SlotStory& story, Time now) {
  const std::string since = fmt::format("it was due {}, and nobody has decided it yet",
                                        human_relative(story.slot(), now));
  return fmt::format("{}: {}", since, who_would(story));
}

/// What a run that waits is waiting for.
std::string waiting_text(const SlotStory& story, const Run& run, Time now) {
  const JobRow& job = *story.asked.job;
  if (run.due > now) return "it waits for its time, " + human_relative(run.due, now);
  if (job.paused() && run.kind != RunKind::manual) return "it waits for the end of the pause";
  if (!job.live.empty() && job.definition->overlap != Overlap::allow) {
    return fmt::format("it waits for the end of {}", describe(job.live.front().id));
  }
  const bool anybody = std::any_of(story.nodes.begin(), story.nodes.end(),
                                   [&](const Node& node) { return may_run(node, job); });
  return anybody ? "it waits for a free place" : "it waits: no living node may run it";
}

std::string recorded_text(const SlotStory& story, Time now) {
  const Run& last = story.attempts.back();
  if (last.state == RunState::pending) return waiting_text(story, last, now);
  return explain_state(last, *story.asked.job->definition) + which_attempt(story);
}

std::string future_text(const SlotStory& story, Time now) {
  const JobRow& job = *story.asked.job;
  const std::string when = "it is due " + human_relative(story.slot(), now);
  if (job.retired()) return when + ", but no file defines the job any more: it will not run";
  if (job.paused()) return when + "; the job is paused, and while it is nothing runs";
  const bool anybody = std::any_of(story.nodes.begin(), story.nodes.end(),
                                   [&](const Node& node) { return may_run(node, job); });
  if (!story.home.empty() && !anybody) return when + ", and no living node may run it";
  return fmt::format("{}; {}", when, who_would(story));
}

}  // namespace

std::string explain_state(const Run& run, const Job& job) {
  switch (run.state) {
    case RunState::pending:
      return "it waits for its turn";
    case RunState::held:
      return "the attempt before was lost, and a person must say what to do (on_lost: hold)";
    case RunState::running:
      return "it runs";
    case RunState::returned:
      return "its node gave it back before it began";
    case RunState::succeeded:
      return run.reason == Reason::late
                 ? "its node was taken for dead; the true result came later: it succeeded"
                 : "it ran";
    case RunState::failed:
      return failed_text(run);
    case RunState::timed_out:
      return job.timeout
                 ? fmt::format("it ran for longer than its timeout of {}", print(*job.timeout))
                 : "it ran for longer than its timeout";
    case RunState::cancelled:
      return cancelled_text(run.reason);
    case RunState::skipped:
      return skipped_text(run, job);
    case RunState::lost:
      return lost_text(run.reason);
  }
  return "";
}

std::string explain_kind(const Run& run) {
  switch (run.kind) {
    case RunKind::scheduled:
      return run.id.attempt > Attempt{1} ? "the attempt before was given back" : "by the schedule";
    case RunKind::exec:
      return "by cronce exec";
    case RunKind::backfill:
      return "a person asked for it again";
    case RunKind::manual:
      return "a person asked for it";
    case RunKind::retry:
      return "the attempt before failed, and retries were left";
    case RunKind::rerun:
      return "the attempt before was lost (on_lost)";
  }
  return "";
}

std::string explain_story(const SlotStory& story, const ReadStore& read) {
  const JobRow& job = *story.asked.job;
  switch (story.verdict) {
    case Verdict::recorded:
      return recorded_text(story, read.now);
    case Verdict::in_range:
      return fmt::format("{}; settled as one of {}, from {} to {}",
                         skipped_text(*story.range, *job.definition), story.range->count,
                         print(story.range->id.slot), print(*story.range->slot_to));
    case Verdict::future:
      return future_text(story, read.now);
    case Verdict::owed:
      return owed_text(story, read.now);
    case Verdict::purged:
      return fmt::format("its record was purged, as all up to {}; it does not run again",
                         print(job.floor));
    case Verdict::before:
      return "the job, or its schedule as it is now, began later: nobody owed this slot";
    case Verdict::not_a_slot:
      return fmt::format("'{}' has no such time: {}", describe(job.definition->schedule),
                         neighbours(story));
  }
  return "";
}

}  // namespace cronce
