#include <algorithm>

#include "store/memory/operations.h"

namespace cronce::memory {
namespace {

struct Apply {
  Tables& tables;
  const Step& step;

  ControlAnswer operator()(const PauseJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    job->pause = ask.pause;
    tables.turn(*job);
    return {};
  }

  /// What the pause covered becomes one range: it is never caught up.
  ControlAnswer operator()(const ResumeJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (!job->pause) return {Refused::moved};  // what is owed now is not a pause's
    const Time settled = std::max(job->plan.cursor, step.now);
    if (!is_next(ask.base, ask.next, settled)) return {Refused::future};
    if (job->plan.next && *job->plan.next <= step.now && !job->retired()) {
      tables.ranges[{job->uid, *job->plan.next}] = {
          step.now, std::max<std::int64_t>(ask.covered, 1), Reason::paused};
    }
    job->pause.reset();
    if (!job->retired()) {
      job->plan.cursor = settled;
      job->plan.next = ask.next;
    }
    tables.turn(*job);
    return {};
  }

  ControlAnswer operator()(const TriggerJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (job->retired()) return {Refused::retired};
    if (ask.request.empty()) return {Refused::invalid};
    Run run = first_attempt(*job, Space::manual, {}, ask.request, RunKind::manual, step.now);
    const RunId id = run.id;
    if (tables.last_attempt(id) == nullptr) {
      tables.create(*job, std::move(run), RunState::pending, Reason::none, step);
    }
    return {Refused::none, id};
  }

  ControlAnswer operator()(const CancelRun& ask) const {
    Run* run = tables.find_run(ask.run);
    if (run == nullptr) return {Refused::gone};
    JobRow& job = *tables.find_job(ask.run.job);
    if (run->state == RunState::running) {
      tables.stops[run->id] = Reason::by_operator;
      tables.touch(job);
    } else if (run->state == RunState::pending || run->state == RunState::held) {
      tables.move(job, *run, RunState::cancelled, Reason::by_operator, step);
      rearm_after(tables, job, step);
    } else {
      return {Refused::moved, run->id};
    }
    return {Refused::none, run->id};
  }

  ControlAnswer operator()(const ReleaseRun& ask) const {
    Run* run = tables.find_run(ask.run);
    if (run == nullptr) return {Refused::gone};
    if (run->state != RunState::held) return {Refused::moved, run->id};
    JobRow& job = *tables.find_job(ask.run.job);
    if (job.retired()) return {Refused::retired, run->id};  // nobody would ever take it
    tables.move(job, *run, RunState::pending, Reason::none, step);
    return {Refused::none, run->id};
  }

  /// Only what was skipped may run again without being told so twice.
  ControlAnswer operator()(const BackfillSlot& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (job->retired()) return {Refused::retired};
    if (ask.slot > job->plan.cursor) return {Refused::future};
    Run run = first_attempt(*job, Space::slot, ask.slot, "", RunKind::backfill, step.now);
    const Run* last = tables.last_attempt(run.id);
    const bool in_range = tables.range_of(job->uid, ask.slot) != nullptr;
    if (last != nullptr && !is_ended(last->state)) return {Refused::busy, last->id};
    const bool skipped = last != nullptr ? tables.never_ran(run.id) : in_range;
    if (!skipped && !ask.again) return {Refused::stale};
    // What a purged record was called is not known any more, only what it was not.
    const Attempt before = last != nullptr ? last->id.attempt : in_range ? Attempt{1} : job->purged;
    run.id.attempt.value = before.value + 1;
    if (last != nullptr) run.key = last->key;
    if (!skipped) run.key += "+" + std::to_string(run.id.attempt.value);
    const RunId id = run.id;
    tables.create(*job, std::move(run), RunState::pending, Reason::none, step);
    return {Refused::none, id};
  }

  ControlAnswer operator()(const RetireJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    job->sources.clear();
    job->plan.next.reset();
    const auto waiting = job->pending;
    for (const PendingRun& pending : waiting) {
      tables.move(*job, *tables.find_run(pending.id), RunState::skipped, Reason::retired, step);
    }
    tables.turn(*job);
    return {};
  }

  /// The newest slot of which anything is or was recorded.
  Time newest_record(const JobRow& job) const {
    Time newest = job.floor;
    for (const auto& [id, run] : tables.runs) {
      if (id.job == job.uid && id.space == Space::slot) newest = std::max(newest, id.slot);
    }
    for (const auto& [key, range] : tables.ranges) {
      if (key.first == job.uid) newest = std::max(newest, range.to);
    }
    return newest;
  }

  /// A cursor that a wrong clock drove into the future comes back, but never below what has a
  /// record.
  ControlAnswer operator()(const RecedeJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (job->retired()) return {Refused::retired};
    const Time lowest = std::max(step.now, newest_record(*job));
    if (job->plan.cursor <= lowest) return {Refused::moved};
    if (!is_next(ask.base, ask.next, lowest)) return {Refused::future};
    job->plan.cursor = lowest;
    job->plan.next = ask.next;
    job->plan.label.reset();
    tables.turn(*job);
    return {};
  }
  ControlAnswer operator()(const ExecSlot&) const { return {Refused::invalid}; }
  ControlAnswer operator()(const Remember&) const { return {Refused::invalid}; }
  ControlAnswer operator()(const OpenEpoch&) const { return {Refused::invalid}; }
  ControlAnswer operator()(const Adopt&) const { return {Refused::invalid}; }
  ControlAnswer operator()(const AcceptClock&) const { return {Refused::invalid}; }
};

}  // namespace

ControlAnswer control(Tables& tables, const ControlAsk& ask, const Step& step) {
  return std::visit(Apply{tables, step}, ask);
}

}  // namespace cronce::memory
