#include <algorithm>

#include "base/digest.h"
#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

constexpr std::int64_t kUsualReruns = 3;

bool is_result(RunState state) {
  return state == RunState::succeeded || state == RunState::failed ||
         state == RunState::timed_out || state == RunState::cancelled;
}

/// Ways out of `running` that a node may report.
bool may_report(const FinishEntry& end) {
  if (is_result(end.state) || end.state == RunState::returned) return true;
  if (end.state == RunState::skipped) return end.reason == Reason::guard;
  return end.state == RunState::lost;
}

void record(Run& run, const FinishEntry& end) {
  if (end.started_at) run.started_at = end.started_at;
  run.finished_at = end.finished_at;
  run.exit_code = end.exit_code;
  run.output_tail = end.output_tail;
  if (!end.progress.empty()) run.progress = end.progress;
}

/// How many attempts of this slot were used up, this one included; what was given back does not
/// count.
std::int64_t used_attempts(const Tables& tables, const Run& run) {
  std::int64_t used = 0;
  RunId id = run.id;
  for (id.attempt = Attempt{1}; id.attempt <= run.id.attempt; ++id.attempt.value) {
    const auto row = tables.runs.find(id);
    if (row != tables.runs.end() && row->second.state != RunState::returned &&
        row->second.state != RunState::skipped) {
      ++used;
    }
  }
  return used;
}

Run next_attempt(const Run& ended, RunKind kind, Time due) {
  Run run;
  run.id = ended.id;
  ++run.id.attempt.value;
  run.kind = kind;
  run.key = ended.key;
  run.due = due;
  run.env = ended.env;
  return run;
}

/// The back-off grows by its factor to its limit; the jitter is the same whoever computes it.
Duration backoff(const Retries& retries, std::int64_t used, const Run& run) {
  Duration wait = retries.backoff;
  for (std::int64_t i = 1; i < used && wait < retries.limit; ++i) wait *= retries.factor;
  wait = std::min(wait, retries.limit);
  const auto most = wait.count() * retries.jitter_percent / 100;
  const auto text = run.key + "#" + std::to_string(run.id.attempt.value);
  const auto drawn = sha256(text).prefix() % (static_cast<std::uint64_t>(most) + 1);
  return wait + Duration{static_cast<std::int64_t>(drawn)};
}

/// A true result after `lost`: taken once, and it starts nothing. Success makes a later attempt
/// that has not started pointless.
FinishAnswer finish_late(Tables& tables, JobRow& job, Run& run, const FinishEntry& end,
                         const Step& step) {
  if (end.state == RunState::lost) return {Refused::none, run.state};  // said before
  if (!is_result(end.state)) return {Refused::stale, run.state};
  record(run, end);
  tables.move(job, run, end.state, Reason::late, step);
  Run* last = tables.find_run(tables.last_attempt(run.id)->id);
  if (last->state == RunState::pending && tables.is_superseded(*last)) {
    tables.move(job, *last, RunState::skipped, Reason::superseded, step);
    rearm_after(tables, job, step);
  }
  return {Refused::none, run.state};
}

/// A person wants it ended: however it ends, no other attempt follows.
bool is_cancelled(const Tables& tables, const Run& run) {
  const auto stop = tables.stops.find(run.id);
  return stop != tables.stops.end() && stop->second == Reason::by_operator;
}

/// Who waits for the end of a job's attempts, not of each, looks for this.
Reason reason_of(const Tables& tables, const JobRow& job, const Run& run, const FinishEntry& end) {
  const std::int64_t most = job.definition->retries->max;
  if (end.state != RunState::failed || most == 0) return end.reason;
  const bool is_last = tables.last_attempt(run.id)->id == run.id;
  return is_last && used_attempts(tables, run) > most ? Reason::retries_exhausted : end.reason;
}

FinishAnswer finish_run(Tables& tables, const FinishEntry& end, const Step& step) {
  if (tables.closed) return {Refused::closed, RunState::running};
  Run* run = tables.find_run(end.run);
  JobRow* job = tables.find_job(end.run.job);
  if (run == nullptr || job == nullptr) return {Refused::gone, RunState::lost};
  if (!may_report(end)) return {Refused::invalid, run->state};
  if (run->fence != end.fence || run->incarnation != end.incarnation)
    return {Refused::stale, run->state};
  if (run->state == RunState::lost) return finish_late(tables, *job, *run, end, step);
  if (run->state != RunState::running) return {Refused::none, run->state};  // said before
  record(*run, end);
  const bool cancelled = is_cancelled(tables, *run);
  if (cancelled && end.state == RunState::returned) {
    tables.move(*job, *run, RunState::cancelled, Reason::by_operator, step);
  } else {
    tables.move(*job, *run, end.state, reason_of(tables, *job, *run, end), step);
  }
  if (cancelled) {
    rearm_after(tables, *job, step);
  } else {
    follow_up(tables, *job, *run, step);
  }
  return {Refused::none, run->state};
}

SweepAnswer sweep_node(Tables& tables, const SweepEntry& entry, const Step& step) {
  NodeRow* row = tables.find_node(entry.incarnation);
  if (row == nullptr || row->ended || row->node->beat != entry.beat) return {};
  return {true, end_node(tables, *row, Reason::node, step)};
}

/// `returned` is never a slot's last. Of a retired job nobody takes the next one, so it ends at
/// once.
void give_back(Tables& tables, JobRow& job, const Run& ended, const Step& step) {
  Run next = next_attempt(ended, ended.kind, ended.due);
  const RunId id = next.id;
  tables.create(job, std::move(next), RunState::pending, Reason::none, step);
  if (job.retired()) {
    tables.move(job, *tables.find_run(id), RunState::skipped, Reason::retired, step);
  }
}

/// The attempt that follows this one, by the job's policy.
void add_attempt(Tables& tables, JobRow& job, const Run& ended, const Step& step) {
  const Retries& retries = job.definition->retries;
  const OnLost on_lost = job.definition->on_lost;
  const std::int64_t used = used_attempts(tables, ended);
  if (ended.state == RunState::returned) return give_back(tables, job, ended, step);
  if (job.retired()) return;  // nobody would ever take it
  if (ended.state == RunState::failed || ended.state == RunState::timed_out) {
    if (used > retries.max) return;
    const Time due = step.now + backoff(retries, used, ended);
    tables.create(job, next_attempt(ended, RunKind::retry, due), RunState::pending, Reason::none,
                  step);
  } else if (ended.state == RunState::lost && on_lost != OnLost::skip) {
    const bool held = on_lost == OnLost::hold;
    if (!held && used > (retries.max > 0 ? retries.max : kUsualReruns)) return;
    tables.create(job, next_attempt(ended, RunKind::rerun, step.now),
                  held ? RunState::held : RunState::pending, Reason::none, step);
  }
}

}  // namespace

/// When the store had forgotten, the next attempt may have been put back before this one ended.
void follow_up(Tables& tables, JobRow& job, const Run& ended, const Step& step) {
  const bool is_last = tables.last_attempt(ended.id)->id == ended.id;
  if (is_last) add_attempt(tables, job, ended, step);
  rearm_after(tables, job, step);
}

void rearm_after(Tables& tables, JobRow& job, const Step& step) {
  const auto& elements = job.definition->schedule.elements;
  const auto* after = elements.size() == 1 ? std::get_if<AfterSpec>(&elements.front()) : nullptr;
  if (after == nullptr || job.plan.next || job.retired() || !has_slots(job)) return;
  const Run* last = tables.newest_run(job.uid);
  if (last != nullptr && !is_ended(last->state)) return;
  // Never at or before the cursor, even if the clock went back.
  const Time after_cursor = std::chrono::ceil<Seconds>(job.plan.cursor) + Seconds{1};
  job.plan.next = std::max<Time>(std::chrono::ceil<Seconds>(step.now) + after->delay, after_cursor);
  tables.turn(job, step);
}

std::int64_t end_node(Tables& tables, NodeRow& node, Reason reason, const Step& step) {
  node.ended = true;
  node.ended_at = step.now;
  tables.note_node(node.node->incarnation);
  lose_keys(tables, node.node->incarnation);
  const auto held = tables.held.find(node.node->incarnation);
  if (held == tables.held.end()) return 0;
  const auto runs = held->second;  // losing one changes the list
  for (const auto& [id, group] : runs) {
    JobRow& job = *tables.find_job(id.job);
    Run& run = *tables.find_run(id);
    const bool cancelled = is_cancelled(tables, run);
    tables.move(job, run, RunState::lost, reason, step);
    if (reason == Reason::node && !cancelled) follow_up(tables, job, run, step);
    if (reason == Reason::node && cancelled) rearm_after(tables, job, step);
  }
  return static_cast<std::int64_t>(runs.size());
}

std::vector<FinishAnswer> finish(Tables& tables, std::span<const FinishEntry> ends,
                                 const Step& step) {
  std::vector<FinishAnswer> answers;
  tables.foresee(ends, [](const FinishEntry& end) { return end.run.job; });
  for (const FinishEntry& end : ends) answers.push_back(finish_run(tables, end, step));
  return answers;
}

std::vector<SweepAnswer> sweep(Tables& tables, std::span<const SweepEntry> nodes,
                               const Step& step) {
  std::vector<SweepAnswer> answers(nodes.size());
  if (tables.closed) return answers;
  for (std::size_t i = 0; i < nodes.size(); ++i) answers[i] = sweep_node(tables, nodes[i], step);
  if (!step.disputed) purge(tables, step);
  return answers;
}

}  // namespace cronce::embedded
