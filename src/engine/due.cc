#include "engine/due.h"

#include <algorithm>

namespace cronce {
namespace {

constexpr Duration kMoment{1};

/// The newest slot from `first` on that is due by now. Jitter is at most a few intervals, so the
/// walk back from the newest slot is short.
Time newest_due(const KnownJob& job, Time first, Time now) {
  Time slot = first;
  if (const auto last = job.schedule->last_at_or_before(now); last && *last > first) slot = *last;
  while (slot > first && due_time(*job.row.definition, slot) > now) {
    slot = std::max(first, job.schedule->last_at_or_before(slot - kMoment).value_or(first));
  }
  return slot;
}

void skip(const KnownJob& job, Time from, Time to, Reason reason, DecideEntry& entry) {
  // The stored next counts even if this node's schedule does not have it.
  const std::int64_t count = 1 + job.schedule->count(from, to);
  entry.skipped.push_back({from, to, count, reason});
}

bool young_enough(const Job& job, Duration age) {
  const auto window = start_window(job);
  return !window || age <= *window;
}

/// Under `all`: the oldest slot that still runs, with at most `cap` of them.
Time oldest_to_run(const KnownJob& job, Time from, Time newest, Time now) {
  const CatchUp& policy = job.row.definition->catch_up;
  Time oldest = newest;
  for (std::int64_t taken = 1; taken < policy.cap && oldest > from; ++taken) {
    const Time before =
        std::max(from, job.schedule->last_at_or_before(oldest - kMoment).value_or(from));
    if (!young_enough(*job.row.definition, now - due_time(*job.row.definition, before))) break;
    oldest = before;
  }
  return oldest;
}

/// What a slot stands for. A stored slot that is none of this node's schedule was computed by a
/// node that knew more of its zone: it stands for the nearest of ours, which must not run as well.
std::optional<CivilTime> label_of(const KnownJob& job, Time slot) {
  const auto after = job.schedule->first_after(slot - kMoment);
  if (after == slot) return job.schedule->civil_label(slot);
  const auto before = job.schedule->last_at_or_before(slot);
  if (!after && !before) return std::nullopt;
  const bool is_before = before && (!after || slot - *before <= *after - slot);
  return job.schedule->civil_label(is_before ? *before : *after);
}

/// Labels that were settled already come again only where the clocks or the zone data went back.
bool repeats_label(const KnownJob& job, Time slot) {
  const auto label = label_of(job, slot);
  return label && job.row.plan.label && *label <= *job.row.plan.label;
}

}  // namespace

std::optional<Time> first_slot(const Schedule& schedule, Time after) {
  if (const auto delay = schedule.delay_after_end()) {
    return std::chrono::ceil<Seconds>(after) + *delay;
  }
  return schedule.first_after(after);
}

Time due_time(const Job& job, Time slot) {
  if (job.jitter == Duration{0}) return slot;
  return slot + jitter(job.name.text(), slot, job.jitter);
}

std::optional<Time> next_due(const KnownJob& job) {
  if (!job.row.plan.next) return std::nullopt;
  return due_time(*job.row.definition, *job.row.plan.next);
}

std::optional<DecideEntry> owed(const KnownJob& job, Time now, SlotToRun::How how) {
  const Plan& plan = job.row.plan;
  if (!plan.next || due_time(*job.row.definition, *plan.next) > now || *plan.next > now)
    return std::nullopt;
  const Job& policy = *job.row.definition;
  const Time from = *plan.next;
  const Time newest = newest_due(job, from, now);
  DecideEntry entry{job.row.uid, plan.turn, from, newest, {}, {}, {}, {}};
  entry.next = job.schedule->first_after(newest);
  entry.label = label_of(job, newest);
  const Duration age = now - due_time(policy, newest);
  if (job.row.paused() || !young_enough(policy, age)) {
    skip(job, from, newest, job.row.paused() ? Reason::paused : Reason::missed, entry);
    return entry;
  }
  const bool all = policy.catch_up.mode == CatchUp::Mode::all;
  if (all && age > policy.grace) how = SlotToRun::How::enqueue;  // overlap is for what is on time
  const Time oldest = all ? oldest_to_run(job, from, newest, now) : newest;
  if (oldest > from) {
    skip(job, from,
         std::max(from, job.schedule->last_at_or_before(oldest - kMoment).value_or(from)),
         Reason::missed, entry);
  }
  for (Time slot = oldest;;) {
    if (repeats_label(job, slot)) {
      entry.skipped.push_back({slot, slot, 1, Reason::civil_repeat});
    } else {
      entry.runs.push_back(
          {slot, due_time(policy, slot), slot < newest ? SlotToRun::How::enqueue : how});
    }
    if (slot == newest) break;
    slot = *job.schedule->first_after(slot);
  }
  return entry;
}

}  // namespace cronce
