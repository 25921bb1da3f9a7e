#include <algorithm>
#include <array>

#include "base/digest.h"
#include "store/memory/operations.h"

namespace cronce::memory {
namespace {

constexpr std::int64_t kUsualReruns = 3;
constexpr Duration kRequestLife = std::chrono::days{7};  // a request id is known at least that long

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
  run.progress = end.progress;
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

FinishAnswer finish_run(Tables& tables, const FinishEntry& end, const Step& step) {
  Run* run = tables.find_run(end.run);
  JobRow* job = tables.find_job(end.run.job);
  if (run == nullptr || job == nullptr) return {Refused::gone, RunState::lost};
  if (!may_report(end)) return {Refused::invalid, run->state};
  if (run->fence != end.fence || run->incarnation != end.incarnation)
    return {Refused::stale, run->state};
  if (run->state == RunState::lost) return finish_late(tables, *job, *run, end, step);
  if (run->state != RunState::running) return {Refused::none, run->state};  // said before
  record(*run, end);
  tables.move(*job, *run, end.state, end.reason, step);
  follow_up(tables, *job, *run, step);
  return {Refused::none, run->state};
}

SweepAnswer sweep_node(Tables& tables, const SweepEntry& entry, const Step& step) {
  const auto row = tables.nodes.find(entry.incarnation);
  if (row == tables.nodes.end() || row->second.ended || row->second.node->beat != entry.beat)
    return {};
  row->second.ended = true;
  SweepAnswer answer{true, 0};
  for (auto& [uid, job] : tables.jobs) {
    const auto live = job.live;  // losing one changes the list
    for (const LiveRun& held : live) {
      if (held.incarnation != entry.incarnation) continue;
      Run& run = *tables.find_run(held.id);
      tables.move(job, run, RunState::lost, Reason::node, step);
      follow_up(tables, job, run, step);
      ++answer.lost;
    }
  }
  return answer;
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

/// Which limit of the history a state counts against.
std::int64_t limit_of(const HistoryLimits& limits, RunState state) {
  if (state == RunState::succeeded) return limits.succeeded;
  return state == RunState::skipped ? limits.skipped : limits.failed;
}

RunId attempt_zero(RunId id) {
  id.attempt = Attempt{0};
  return id;
}

/// A slot whose first attempt is part of a range stays as long as the range does: the two are one
/// record.
bool may_forget(const Tables& tables, const JobRow& job, const Run& last, Time now) {
  if (!is_ended(last.state)) return false;
  if (last.id.space == Space::manual) return now - last.due > kRequestLife;
  return last.id.slot <= job.plan.cursor && tables.range_of(job.uid, last.id.slot) == nullptr;
}

void purge_ranges(Tables& tables, JobRow& job, Time now) {
  std::erase_if(tables.ranges, [&](const auto& range) {
    const bool ours = range.first.first == job.uid;
    const bool old = ours && now - range.second.to > job.definition->history.age;
    if (old) job.floor = std::max(job.floor, range.second.to);
    return old;
  });
}

}  // namespace

void follow_up(Tables& tables, JobRow& job, const Run& ended, const Step& step) {
  const Retries& retries = job.definition->retries;
  const std::int64_t used = used_attempts(tables, ended);
  if (ended.state == RunState::returned) {
    give_back(tables, job, ended, step);
  } else if (job.retired()) {
    return;  // nobody would ever take another attempt
  } else if (ended.state == RunState::failed || ended.state == RunState::timed_out) {
    if (used <= retries.max) {
      const Time due = step.now + backoff(retries, used, ended);
      tables.create(job, next_attempt(ended, RunKind::retry, due), RunState::pending, Reason::none,
                    step);
    }
  } else if (ended.state == RunState::lost && job.definition->on_lost == OnLost::rerun) {
    if (used <= (retries.max > 0 ? retries.max : kUsualReruns)) {
      tables.create(job, next_attempt(ended, RunKind::rerun, step.now), RunState::pending,
                    Reason::none, step);
    }
  } else if (ended.state == RunState::lost && job.definition->on_lost == OnLost::hold) {
    tables.create(job, next_attempt(ended, RunKind::rerun, step.now), RunState::held, Reason::none,
                  step);
  }
  rearm_after(tables, job, step);
}

void rearm_after(Tables& tables, JobRow& job, const Step& step) {
  const auto& elements = job.definition->schedule.elements;
  const auto* after = elements.size() == 1 ? std::get_if<AfterSpec>(&elements.front()) : nullptr;
  if (after == nullptr || job.plan.next || job.retired()) return;
  const Run* last = nullptr;
  const RunId beyond{job.uid, Space::manual, {}, "", Attempt{0}};
  if (auto row = tables.runs.lower_bound(beyond); row != tables.runs.begin()) {
    --row;
    if (row->first.job == job.uid && row->first.space == Space::slot) last = &row->second;
  }
  if (last != nullptr && !is_ended(last->state)) return;
  // Never at or before the cursor, even if the clock went back.
  const Time after_cursor = std::chrono::ceil<Seconds>(job.plan.cursor) + Seconds{1};
  job.plan.next = std::max<Time>(std::chrono::ceil<Seconds>(step.now) + after->delay, after_cursor);
  tables.turn(job);
}

void purge(Tables& tables, JobRow& job, Time now) {
  purge_ranges(tables, job, now);
  std::array<std::int64_t, 3> kept{};
  std::vector<RunId> old;
  const RunId first{job.uid, Space::slot, kMinTime, "", Attempt{0}};
  auto row =
      tables.runs.lower_bound({JobUid{job.uid.value + 1}, Space::slot, kMinTime, "", Attempt{0}});
  while (row != tables.runs.lower_bound(first)) {
    --row;  // newest first; of a slot that is its last attempt, which speaks for all of them
    const Run& last = row->second;
    row = tables.runs.lower_bound(attempt_zero(last.id));
    if (!may_forget(tables, job, last, now)) continue;
    const std::size_t kind = last.state == RunState::succeeded ? 0
                             : last.state == RunState::skipped ? 1
                                                               : 2;
    const bool too_old = now - last.due > job.definition->history.age;
    const bool too_many = ++kept[kind] > limit_of(job.definition->history, last.state);
    if (too_old || too_many) old.push_back(last.id);
  }
  for (const RunId& last : old) {
    for (RunId id = last; id.attempt.value > 0; --id.attempt.value) {
      if (tables.runs.contains(id)) tables.remove(job, id);
    }
  }
}

std::vector<FinishAnswer> finish(Tables& tables, std::span<const FinishEntry> ends,
                                 const Step& step) {
  std::vector<FinishAnswer> answers;
  for (const FinishEntry& end : ends) answers.push_back(finish_run(tables, end, step));
  return answers;
}

std::vector<SweepAnswer> sweep(Tables& tables, std::span<const SweepEntry> nodes,
                               const Step& step) {
  std::vector<SweepAnswer> answers;
  for (const SweepEntry& entry : nodes) answers.push_back(sweep_node(tables, entry, step));
  for (auto& [uid, job] : tables.jobs) purge(tables, job, step.now);
  return answers;
}

}  // namespace cronce::memory
