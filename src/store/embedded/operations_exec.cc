// exec: one slot, claimed by the process that runs it. It waits for nobody, and moves no plan.
#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

/// What is known of a slot that cannot run any more; none if it can.
std::optional<SlotOutcome> settled(const Tables& tables, const JobRow* job, Time slot) {
  if (job != nullptr) {
    const RunId id{job->uid, Space::slot, slot, "", Attempt{1}};
    if (const Run* last = tables.last_attempt(id)) {
      return SlotOutcome{last->state, last->reason, std::nullopt};
    }
    if (const RangeRow* range = tables.range_of(job->uid, slot)) {
      return SlotOutcome{RunState::skipped, range->reason, std::nullopt};
    }
  }
  if (slot > tables.remembered) return std::nullopt;
  return SlotOutcome{RunState::skipped, Reason::store_regressed, std::nullopt};
}

/// Why this slot is not for this asker, if so.
Refused judge(const Tables& tables, const JobRow* job, const ExecSlot& ask, const Step& step) {
  const NodeRow* node = tables.find_node(step.incarnation);
  if (ask.node.incarnation != step.incarnation) return Refused::invalid;
  if (node != nullptr && node->ended) return Refused::ended;
  const bool wrong = std::chrono::abs(step.store_time - ask.wall) > ask.budget;
  if (step.disputed || wrong) return Refused::clock;
  if (ask.slot > step.now) return Refused::future;
  if (job == nullptr) return Refused::none;
  return job->is_whole() ? Refused::invalid : Refused::none;
}

/// Paused by a person, and not only until a time that is over, or by the file that defines it
/// still.
bool is_paused(const JobRow& job, Time now) {
  const bool over = job.pause && job.pause->until && *job.pause->until <= now;
  return (job.pause && !over) || (job.definition->paused && !job.retired());
}

/// An attempt that waits, of a job that only `exec` runs: nobody else could take it.
Run* waiting(Tables& tables, const JobRow* job, Time slot) {
  if (job == nullptr || !job->only_exec) return nullptr;
  const Run* last = tables.last_attempt({job->uid, Space::slot, slot, "", Attempt{1}});
  return last != nullptr && last->state == RunState::pending ? tables.find_run(last->id) : nullptr;
}

/// A job that no file defines begins with nothing settled. One that was retired is known by its
/// name, its cursor and its fence.
JobRow& job_of(Tables& tables, JobRow* known, const Job& job, const Step& step) {
  if (known != nullptr && !known->only_exec && !known->retired()) return *known;
  JobRow& row = known != nullptr ? *known : tables.add_job(job);
  if (known == nullptr) row.plan.cursor = kMinTime;
  const bool same = known != nullptr && row.only_exec && row.definition == job;
  if (same) return row;
  tables.define(row, job, step);
  row.only_exec = true;
  ++row.revision;
  tables.turn(row, step);
  return row;
}

void beat_of(Tables& tables, const Node& node) {
  NodeRow* known = tables.find_node(node.incarnation);
  NodeRow& row = known == nullptr ? tables.add_node(node) : *known;
  if (node.beat <= row.node->beat) return;
  row.node = node;
  tables.note_node(node.incarnation);
}

ControlAnswer take(Tables& tables, JobRow& job, Run& run, const ExecSlot& ask, const Step& step) {
  if (is_paused(job, step.now)) return {Refused::paused, run.id};
  if (run.due > step.now) return {Refused::future, run.id};
  const Refused refused = tables.may_start(job, step.now);
  if (refused != Refused::none) return {refused, run.id};
  beat_of(tables, ask.node);
  ControlAnswer answer{Refused::none, run.id};
  answer.claim = tables.move_to_running(job, run, step.as(Mover::take));
  return answer;
}

ControlAnswer claim(Tables& tables, JobRow& job, const ExecSlot& ask, const Step& step) {
  Run run = first_attempt(job, Space::slot, ask.slot, "", RunKind::exec, ask.slot);
  ControlAnswer answer;
  answer.run = run.id;
  const Refused refused = tables.may_start(job, step.now);
  if (refused == Refused::none) {
    beat_of(tables, ask.node);
    answer.claim = tables.create_running(job, std::move(run), step);
  } else {
    const bool rests = refused == Refused::busy && job.live.empty();
    const Reason reason = rests ? Reason::at_least_for : Reason::overlap;
    tables.create(job, std::move(run), RunState::skipped, reason, step);
    answer.settled = SlotOutcome{RunState::skipped, reason, std::nullopt};
  }
  return answer;
}

}  // namespace

ControlAnswer exec(Tables& tables, const ExecSlot& ask, const Step& step) {
  JobRow* known = tables.find_job(ask.job.name.text());
  const Refused refused = judge(tables, known, ask, step);
  if (refused != Refused::none) return {refused};
  if (Run* run = waiting(tables, known, ask.slot)) return take(tables, *known, *run, ask, step);
  ControlAnswer answer;
  answer.settled = settled(tables, known, ask.slot);
  if (answer.settled) return answer;
  if (known != nullptr && ask.slot <= known->plan.cursor) return {Refused::too_old};
  if (known != nullptr && is_paused(*known, step.now)) return {Refused::paused};
  const Step executing = step.as(Mover::exec);
  return claim(tables, job_of(tables, known, ask.job, executing), ask, executing);
}

}  // namespace cronce::embedded
