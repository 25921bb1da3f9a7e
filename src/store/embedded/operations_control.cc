#include <algorithm>

#include <fmt/format.h>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

using What = Intervention::What;

struct Apply {
  Tables& tables;
  const Step& step;

  Intervention by_person(What what, const By& by, std::optional<RunId> run = {}) const {
    return {step.now, what, std::move(run), std::nullopt, false, by};
  }

  ControlAnswer operator()(const PauseJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    for (JobRow* row : tables.with_members(*job)) {
      row->pause = ask.pause;
      tables.note_definition(*row);
      tables.turn(*row, step);
    }
    Intervention pause = by_person(What::pause, ask.by);
    pause.until = ask.pause.until;
    tables.record(*job, std::move(pause));
    return {};
  }

  ControlAnswer operator()(const ResumeJob& ask) const {
    const Refused refused = resume(tables, ask, step);
    if (refused == Refused::none) {
      tables.record(*tables.find_job(ask.job), by_person(What::resume, ask.by));
    }
    return {refused};
  }

  ControlAnswer operator()(const TriggerJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (job->retired()) return {Refused::retired};
    if (ask.request.empty() || job->only_exec) return {Refused::invalid};  // nobody would take it
    return job->is_whole() ? trigger_members(*job, ask) : trigger(*job, ask);
  }

  ControlAnswer trigger(JobRow& job, const TriggerJob& ask) const {
    const RunId id{job.uid, Space::manual, {}, ask.request, Attempt{1}};
    if (tables.last_attempt(id) == nullptr) {
      add_request(job, ask);
      tables.record(job, by_person(What::trigger, ask.by, id));
    }
    return {Refused::none, id};
  }

  void add_request(JobRow& job, const TriggerJob& ask) const {
    Run run = first_attempt(job, Space::manual, {}, ask.request, RunKind::manual, step.now);
    run.env = ask.env;
    tables.create(job, std::move(run), RunState::pending, Reason::none, step);
  }

  /// A member that joined after the request was made is not meant.
  ControlAnswer trigger_members(JobRow& job, const TriggerJob& ask) const {
    for (const auto& [name, uid] : tables.members_of(job)) {
      const RunId id{uid, Space::manual, {}, ask.request, Attempt{1}};
      if (tables.last_attempt(id) != nullptr) return {Refused::none, id};
    }
    ControlAnswer answer{Refused::gone};
    for (JobRow* member : tables.with_members(job)) {
      if (member == &job) continue;
      if (answer.refused != Refused::none) {
        answer = trigger(*member, ask);
      } else {
        add_request(*member, ask);  // what the person did is recorded
      }
    }
    return answer;
  }

  ControlAnswer operator()(const CancelRun& ask) const {
    Run* run = tables.find_run(ask.run);
    if (run == nullptr) return {Refused::gone};
    JobRow& job = *tables.find_job(ask.run.job);
    if (run->state == RunState::running) {
      tables.stop(run->id, Reason::by_operator);
      tables.touch(job);
    } else if (run->state == RunState::pending || run->state == RunState::held) {
      tables.move(job, *run, RunState::cancelled, Reason::by_operator, step);
      rearm_after(tables, job, step);
    } else {
      return {Refused::moved, run->id};
    }
    tables.record(job, by_person(What::cancel, ask.by, run->id));
    return {Refused::none, run->id};
  }

  ControlAnswer operator()(const ReleaseRun& ask) const {
    Run* run = tables.find_run(ask.run);
    if (run == nullptr) return {Refused::gone};
    if (run->state != RunState::held) return {Refused::moved, run->id};
    JobRow& job = *tables.find_job(ask.run.job);
    if (job.retired()) return {Refused::retired, run->id};  // nobody would ever take it
    // Somebody may have released it before, and it ran, in the time that was forgotten.
    if (run->due <= tables.remembered) return {Refused::stale, run->id};
    tables.move(job, *run, RunState::pending, Reason::none, step);
    tables.record(job, by_person(What::release, ask.by, run->id));
    return {Refused::none, run->id};
  }

  /// Only what was skipped may run again without being told so twice.
  ControlAnswer operator()(const BackfillSlot& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (job->retired()) return {Refused::retired};
    if (job->only_exec) return {Refused::invalid};  // nobody would take it
    if (ask.slot > job->plan.cursor) return {Refused::future};
    Run run = first_attempt(*job, Space::slot, ask.slot, "", RunKind::backfill, step.now);
    const Run* last = tables.last_attempt(run.id);
    const RangeRow* range = tables.range_of(job->uid, ask.slot);
    if (last != nullptr && !is_ended(last->state)) return {Refused::busy, last->id};
    // What is recorded of a slot of the forgotten time, or before, may not be its last word.
    const bool certain = ask.slot > tables.remembered;
    const bool skipped = certain && (last != nullptr ? tables.never_ran(run.id) : range != nullptr);
    if (!skipped && !ask.again) return {Refused::stale};
    // What a purged record was called is not known any more, only what it was not.
    const Attempt before = last != nullptr    ? last->id.attempt
                           : range != nullptr ? Attempt{1}
                                              : job->purged;
    run.id.attempt.value = before.value + 1;
    if (last != nullptr) run.key = last->key;
    if (!skipped) run.key += again_of(run.id.attempt);
    const RunId id = run.id;
    tables.create(*job, std::move(run), RunState::pending, Reason::none, step);
    Intervention backfill = by_person(What::backfill, ask.by, id);
    backfill.again = !skipped;
    tables.record(*job, std::move(backfill));
    return {Refused::none, id};
  }

  ControlAnswer operator()(const RetireJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (ask.next && *ask.next <= step.now) return {Refused::future};
    const bool was = job->retired();
    for (JobRow* row : tables.with_members(*job)) {
      retire(tables, *row, ask.covered, Reason::retired, step);
    }
    if (!was) tables.record(*job, by_person(What::retire, ask.by));
    return {};
  }

  /// A store that forgot may give a number twice, but never a key.
  std::string again_of(Attempt attempt) const {
    const std::string epoch = tables.epoch > Epoch{1} ? fmt::format("{}.", tables.epoch.value) : "";
    return fmt::format("+{}{}", epoch, attempt.value);
  }

  /// A cursor that a wrong clock drove into the future comes back, but never below what has a
  /// record.
  Refused recede(JobRow& job, const RecedeJob& ask) const {
    const Time lowest = std::max(step.now, tables.newest_record(job));
    if (job.plan.cursor <= lowest) return Refused::moved;
    if (!is_next(ask.base, ask.next, lowest)) return Refused::future;
    job.plan.cursor = lowest;
    job.since = std::min(job.since, lowest);
    tables.note_definition(job);
    if (has_slots(job)) tables.point(job, ask.next, step);
    job.plan.label.reset();
    tables.turn(job, step);
    return Refused::none;
  }

  /// Of a job and its members, those that can: granted if any could.
  ControlAnswer operator()(const RecedeJob& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return {Refused::gone};
    if (job->retired()) return {Refused::retired};
    Refused answer = Refused::moved;
    for (JobRow* row : tables.with_members(*job)) {
      const Refused refused = recede(*row, ask);
      if (answer != Refused::none && refused != Refused::moved) answer = refused;
    }
    if (answer == Refused::none) tables.record(*job, by_person(What::recede, ask.by));
    return {answer};
  }

  ControlAnswer operator()(const ExecSlot& ask) const { return exec(tables, ask, step); }
  ControlAnswer operator()(const Remember& ask) const { return remember(tables, ask, step); }
  ControlAnswer operator()(const OpenEpoch& ask) const { return open_epoch(tables, ask, step); }

  ControlAnswer operator()(const Adopt& ask) const {
    tables.pasts[JobUid{}].interventions.push_back(by_person(What::adopt, ask.by));
    return adopt(tables, step);
  }

  ControlAnswer operator()(const AcceptClock& ask) const {
    tables.pasts[JobUid{}].interventions.push_back(by_person(What::accept_clock, ask.by));
    ++tables.clock_word;
    tables.clock_word_at = step.shown;
    tables.accepted = step.reading;
    return {};
  }
};

bool is_for_a_closed_epoch(const ControlAsk& ask) {
  return std::holds_alternative<Remember>(ask) || std::holds_alternative<OpenEpoch>(ask) ||
         std::holds_alternative<Adopt>(ask);
}

}  // namespace

ControlAnswer control(Tables& tables, const ControlAsk& ask, const Step& step) {
  if (tables.closed && !is_for_a_closed_epoch(ask)) return {Refused::closed};
  return std::visit(Apply{tables, step}, ask);
}

}  // namespace cronce::embedded
