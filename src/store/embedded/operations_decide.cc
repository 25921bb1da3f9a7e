#include <algorithm>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

/// Ranges and runs lie in [from, through], in order, without touching each other.
bool is_well_formed(const DecideEntry& entry) {
  if (entry.through < entry.from || (entry.next && *entry.next <= entry.through)) return false;
  struct Piece {
    Time from, to;
  };
  std::vector<Piece> pieces;
  for (const SkippedRange& range : entry.skipped) {
    if (range.count < 1 || range.to < range.from) return false;
    pieces.push_back({range.from, range.to});
  }
  const auto older = [](const SlotToRun& a, const SlotToRun& b) { return a.slot < b.slot; };
  if (!std::is_sorted(entry.runs.begin(), entry.runs.end(), older)) return false;
  for (const SlotToRun& run : entry.runs) pieces.push_back({run.slot, run.slot});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.from < b.from; });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].from < entry.from || pieces[i].to > entry.through) return false;
    if (i > 0 && pieces[i].from <= pieces[i - 1].to) return false;
  }
  return !pieces.empty() && pieces.front().from == entry.from;
}

bool all_skip_for_pause(const DecideEntry& entry) {
  return entry.runs.empty() &&
         std::all_of(entry.skipped.begin(), entry.skipped.end(),
                     [](const SkippedRange& range) { return range.reason == Reason::paused; });
}

Refused judge(const JobRow& job, const DecideEntry& entry, const Step& step) {
  if (job.retired()) return Refused::retired;
  if (entry.turn != job.plan.turn || job.plan.next != entry.from) return Refused::moved;
  if (!is_well_formed(entry)) return Refused::invalid;
  if (step.disputed || entry.through > step.now) return Refused::future;
  if (job.paused() && !all_skip_for_pause(entry)) return Refused::paused;
  const auto window = start_window(*job.definition);
  for (const SlotToRun& run : entry.runs) {
    if (run.due > step.now) return Refused::future;
    if (window && step.now - run.due > *window) return Refused::too_old;
  }
  return Refused::none;
}

SlotOutcome skip(Tables& tables, JobRow& job, const Run& run, Reason reason, const Step& step) {
  tables.create(job, run, RunState::skipped, reason, step);
  return {RunState::skipped, reason, std::nullopt};
}

/// What a person asked for is none of them.
std::int64_t waiting_slots(const JobRow& job) {
  return std::count_if(job.pending.begin(), job.pending.end(), [](const PendingRun& p) {
    return p.kind == RunKind::scheduled && p.id.space == Space::slot;
  });
}

/// Of what waits for a place, a node or a live run there is an end.
SlotOutcome enqueue(Tables& tables, JobRow& job, const Run& run, const Step& step) {
  if (waiting_slots(job) >= job.definition->catch_up.cap)
    return skip(tables, job, run, Reason::queue_full, step);
  tables.create(job, run, RunState::pending, Reason::none, step);
  return {RunState::pending, Reason::none, std::nullopt};
}

SlotOutcome defer(Tables& tables, JobRow& job, const Run& run, const Step& step) {
  const bool taken = std::any_of(job.pending.begin(), job.pending.end(),
                                 [](const PendingRun& p) { return p.deferred; });
  if (taken) return skip(tables, job, run, Reason::overlap, step);
  const SlotOutcome outcome = enqueue(tables, job, run, step);
  tables.defer(job, run.id);
  return outcome;
}

/// Ends what waits of the schedule, or also its retries and reruns. What a person asked for stays.
void end_waiting(Tables& tables, JobRow& job, Reason reason, bool retries, const Step& step) {
  const auto waiting = job.pending;  // ending one changes the list
  for (const PendingRun& pending : waiting) {
    const bool by_a_person =
        pending.id.space == Space::manual || pending.kind == RunKind::backfill;  // retries too
    if (by_a_person || (pending.kind != RunKind::scheduled && !retries)) continue;
    tables.move(job, *tables.find_run(pending.id), RunState::skipped, reason, step);
  }
}

/// A slot that is to run leaves no older one waiting, unless the job queues or allows them, or
/// wants all that it missed: as many would run when the place or the node comes that they waited
/// for.
void supersede(Tables& tables, JobRow& job, const Step& step) {
  const Overlap overlap = job.definition->overlap;
  const bool all = job.definition->catch_up.mode == CatchUp::Mode::all;
  if (overlap == Overlap::queue || overlap == Overlap::allow || all) return;
  const bool replaces = overlap == Overlap::replace;
  end_waiting(tables, job, replaces ? Reason::replaced : Reason::superseded, replaces, step);
}

SlotOutcome replace(Tables& tables, JobRow& job, const Run& run, const Step& step) {
  end_waiting(tables, job, Reason::replaced, true, step);
  for (const LiveRun& live : job.live) tables.stop(live.id, Reason::replaced);
  return enqueue(tables, job, run, step);
}

/// The job is busy: its overlap policy says what becomes of the slot.
SlotOutcome settle_busy(Tables& tables, JobRow& job, const Run& run, const Step& step) {
  switch (job.definition->overlap) {
    case Overlap::queue:
      return enqueue(tables, job, run, step);
    case Overlap::replace:
      return replace(tables, job, run, step);
    case Overlap::skip:
    case Overlap::allow:
      break;
  }
  const Reason reason = job.live.empty() ? Reason::at_least_for : Reason::overlap;
  return skip(tables, job, run, reason, step);
}

/// Slots of the schedule that have started or will: each counts once, however often it is tried.
bool used_up(const JobRow& job) {
  const auto limit = job.definition->schedule.between->max_runs;
  const auto waiting =
      std::count_if(job.pending.begin(), job.pending.end(), [](const PendingRun& p) {
        return p.kind == RunKind::scheduled && p.id.attempt == Attempt{1};
      });
  return limit && job.runs_started + waiting >= *limit;
}

/// Older ones of the schedule still wait and are to run first.
bool has_line(const JobRow& job) {
  return job.definition->overlap != Overlap::allow && waiting_slots(job) > 0;
}

/// A share of a job that runs everywhere starts only where it belongs.
bool belongs_to_others(const Tables& tables, const JobRow& job, const Step& step) {
  return job.whole && tables.name_of(step.incarnation) != *job.member;
}

SlotOutcome settle_slot(Tables& tables, JobRow& job, const SlotToRun& slot, const Step& step) {
  const Run run = first_attempt(job, Space::slot, slot.slot, "", RunKind::scheduled, slot.due);
  if (const Run* known = tables.last_attempt(run.id)) {  // `exec` ran it, or it was put back
    return {known->state, known->reason, std::nullopt};
  }
  if (slot.slot <= tables.remembered) return skip(tables, job, run, Reason::store_regressed, step);
  if (used_up(job)) return skip(tables, job, run, Reason::max_runs, step);
  const bool here = slot.how == SlotToRun::How::run && !belongs_to_others(tables, job, step);
  const bool all = job.definition->catch_up.mode == CatchUp::Mode::all;
  const bool owed = all && slot.how == SlotToRun::How::enqueue;
  if (owed) return enqueue(tables, job, run, step);  // whatever overlap says
  const Refused refused = tables.may_start(job, step.now);
  if (refused == Refused::busy && slot.how == SlotToRun::How::defer &&
      job.definition->overlap == Overlap::skip) {
    return defer(tables, job, run, step);
  }
  if (refused == Refused::busy) return settle_busy(tables, job, run, step);
  supersede(tables, job, step);
  if (refused == Refused::full || !here || has_line(job)) return enqueue(tables, job, run, step);
  const Claim claim = tables.create_running(job, run, step);
  return {RunState::running, Reason::none, claim};
}

void apply(Tables& tables, JobRow& job, const DecideEntry& entry, const Step& step,
           DecideAnswer& answer) {
  for (const SkippedRange& range : entry.skipped) {
    tables.settle_range(job, range, RangeEnd::slot, step);
  }
  job.plan.cursor = entry.through;
  tables.point(job, entry.next, step);
  if (entry.label) job.plan.label = std::max(job.plan.label, entry.label);
  tables.turn(job, step);
  for (const SlotToRun& run : entry.runs) {
    answer.runs.push_back(settle_slot(tables, job, run, step));
  }
  rearm_after(tables, job, step);
}

DecideAnswer decide_entry(Tables& tables, const DecideEntry& entry, const Step& step) {
  DecideAnswer answer;
  answer.refused = tables.admits(step);
  JobRow* job = tables.find_job(entry.job);
  if (answer.refused == Refused::none) {
    answer.refused = job == nullptr ? Refused::gone : judge(*job, entry, step);
  }
  if (answer.refused == Refused::moved) answer.winner = job->moved_by;
  if (answer.refused == Refused::none) apply(tables, *job, entry, step, answer);
  if (job != nullptr) answer.plan = job->plan;
  return answer;
}

Refused lapse(Tables& tables, const Lapse& lapse, const Step& step) {
  const Refused refused = tables.admits(step);
  if (refused != Refused::none) return refused;
  Run* run = tables.find_run(lapse.run);
  JobRow* job = tables.find_job(lapse.run.job);
  if (run == nullptr || job == nullptr || run->state != RunState::pending) return Refused::gone;
  const bool known = lapse.reason == Reason::overlap || lapse.reason == Reason::expired ||
                     lapse.reason == Reason::no_node;
  if (!known) return Refused::invalid;
  const auto window = start_window(*job->definition);
  const bool by_schedule = run->id.space == Space::slot && run->kind != RunKind::backfill;
  const bool expired = window && step.now - run->due > *window && by_schedule;
  const bool deferred =
      std::any_of(job->pending.begin(), job->pending.end(),
                  [&](const PendingRun& p) { return p.id == run->id && p.deferred; });
  const bool overlaps = deferred && !job->live.empty();
  const bool granted = lapse.reason == Reason::overlap ? overlaps : expired;
  if (step.disputed || !granted) return Refused::future;
  tables.move(*job, *run, RunState::skipped, lapse.reason, step);
  rearm_after(tables, *job, step);
  return Refused::none;
}

/// Why this pending run does not start here and now, if so.
Refused judge_take(const Tables& tables, const JobRow& job, const Run& run, const Step& step) {
  const bool manual = run.id.space == Space::manual;  // its retries too
  if (belongs_to_others(tables, job, step)) return Refused::stale;
  if (job.retired()) return Refused::retired;
  if (job.paused() && !manual) return Refused::paused;
  if (step.disputed || run.due > step.now) return Refused::future;
  return tables.may_start(job, step.now);
}

/// The node whose run is in the way.
std::string holder(const Tables& tables, const JobRow& job) {
  return job.live.empty() ? "" : tables.runs.at(job.live.front().id).node;
}

TakeAnswer take_run(Tables& tables, const RunId& id, const Step& step) {
  const Refused refused = tables.admits(step);
  if (refused != Refused::none) return {refused};
  JobRow* known = tables.find_job(id.job);
  Run* run = tables.find_run(id);
  if (run == nullptr || known == nullptr) return {Refused::gone};
  JobRow& job = *known;
  if (run->state != RunState::pending) return {Refused::gone, std::nullopt, run->node};
  if (tables.is_superseded(*run)) {
    tables.move(job, *run, RunState::skipped, Reason::superseded, step);
    rearm_after(tables, job, step);
    return {Refused::gone};
  }
  const Refused reason = judge_take(tables, job, *run, step);
  if (reason == Refused::busy) return {reason, std::nullopt, holder(tables, job)};
  if (reason != Refused::none) return {reason};
  return {Refused::none, tables.move_to_running(job, *run, step)};
}

}  // namespace

DecideAnswers decide(Tables& tables, const DecideAsk& ask, const Step& step) {
  DecideAnswers answers;
  tables.foresee(ask.entries, [](const DecideEntry& entry) { return entry.job; });
  tables.foresee(ask.lapses, [](const Lapse& lapse) { return lapse.run.job; });
  for (const DecideEntry& entry : ask.entries) {
    answers.entries.push_back(decide_entry(tables, entry, step));
  }
  for (const Lapse& one : ask.lapses) answers.lapses.push_back(lapse(tables, one, step));
  for (const PlanChange& change : ask.changes) {
    answers.changes.push_back(change_plan(tables, change, step));
  }
  return answers;
}

std::vector<TakeAnswer> take(Tables& tables, std::span<const RunId> runs, const Step& step) {
  std::vector<TakeAnswer> answers;
  tables.foresee(runs, [](const RunId& id) { return id.job; });
  for (const RunId& id : runs) answers.push_back(take_run(tables, id, step));
  return answers;
}

}  // namespace cronce::embedded
