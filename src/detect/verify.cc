#include "detect/verify.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cronce {
namespace {

/// What a slot may take to be decided, beyond its grace: the end of a lease, and the next node.
constexpr Duration kLease{65'000};
/// After which a share of a node that does not come back ends.
constexpr Duration kAbsence = std::chrono::days{1};
constexpr std::size_t kMostRequests = 10'000;

RunId attempt_zero(RunId id) {
  id.attempt = Attempt{0};
  return id;
}

bool is_range(const Run& run) { return run.slot_to.has_value(); }

/// Handed to a keeper, as far as anybody knows.
bool was_started(const Run& run) {
  return run.claimed_at && run.state != RunState::returned && run.state != RunState::skipped;
}

/// Whether the later attempt was right to start although the earlier one had started.
bool may_follow(const Run& before, const Run& run) {
  const bool failed = before.state == RunState::failed || before.state == RunState::timed_out;
  const bool lost = before.state == RunState::lost || before.reason == Reason::late;
  if (run.kind == RunKind::retry) return failed || lost;
  if (run.kind == RunKind::rerun) return lost;
  return run.kind == RunKind::backfill && run.key != before.key;
}

/// Slots by time, then requests; then ranges.
bool in_order(const Run& a, const Run& b) {
  return is_range(a) != is_range(b) ? is_range(b) : a.id < b.id;
}

}  // namespace

/// The rows of slots, walked by time beside the slots that should be.
class Verifier::Walk {
 public:
  Walk(std::span<const Run> runs, std::span<const Run> ranges) : runs_(runs), ranges_(ranges) {}

  /// Goes past the rows up to that time.
  template <class Passed>
  void pass(Time through, const Passed& passed) {
    for (; is_slot() && runs_.front().id.slot <= through; runs_ = runs_.subspan(1)) {
      passed(runs_.front());
    }
  }
  bool has_row(Time slot) {
    const bool has = is_slot() && runs_.front().id.slot == slot;
    pass(slot, [](const Run&) {});
    return has;
  }
  bool has_range(Time slot) {
    while (!ranges_.empty() && *ranges_.front().slot_to < slot) ranges_ = ranges_.subspan(1);
    return !ranges_.empty() && ranges_.front().id.slot <= slot;
  }

 private:
  bool is_slot() const { return !runs_.empty() && runs_.front().id.space == Space::slot; }

  std::span<const Run> runs_;
  std::span<const Run> ranges_;
};

std::string_view word(Discrepancy::What what) {
  static constexpr std::array<std::string_view, 5> kWords{"missing", "duplicate", "overlapping",
                                                          "late", "unexpected"};
  return kWords[static_cast<std::size_t>(what)];
}

Verifier::Verifier(const JobRow& job, const JobPast& past, const VerifySettings& settings,
                   Found found, Floor floor)
    : row_(job),
      settings_(settings),
      found_(std::move(found)),
      ask_floor_(std::move(floor)),
      floor_(job.floor) {
  for (const FormerDefinition& one : past.definitions) {
    const bool is_former = one.since < job.since || job.retired();  // not written since it was read
    if (is_former) add(one.since, one.until, one.definition);
  }
  if (!job.retired()) add(job.since, kMaxTime, job.definition);
  for (const Intervention& one : past.interventions) {
    const bool released = one.what == Intervention::What::release && one.run;
    if (released) released_[*one.run] = one.at;
  }
}

/// Only the course of events tells the slots of some, and of a job that runs everywhere the shares
/// have them.
void Verifier::add(Time since, Time until, const Shared<Job>& job) {
  Period period{since, until, job, std::nullopt};
  const bool has_slots = !row_.only_exec && (row_.whole || !job->everywhere);
  auto schedule = Schedule::build(job->schedule);
  const bool has_times = schedule && !schedule->delay_after_end() && !schedule->at_boot();
  complete_ = complete_ && (!has_slots || schedule.ok());
  if (has_slots && has_times) period.schedule = *std::move(schedule);
  periods_.push_back(std::move(period));
}

Time Verifier::begin() const {
  const Time first = periods_.empty() ? kMaxTime : periods_.front().since;
  return std::max(first, floor_);
}

/// Above the cursor nothing is expected yet.
Time Verifier::stretch(Time after, Time through, std::int64_t most) const {
  for (const Period& period : periods_) {
    const Time from = std::max(after, period.since);
    const Time to = std::min({through, period.until, row_.plan.cursor});
    if (!period.schedule || from >= to) continue;
    const auto slots = period.schedule->slots(from, to, static_cast<std::size_t>(most));
    most -= static_cast<std::int64_t>(slots.size());
    if (most <= 0) return slots.back();
  }
  return through;
}

const Job& Verifier::job_at(Time slot) const {
  for (const Period& period : periods_) {
    if (slot <= period.until) return *period.job;
  }
  return *row_.definition;
}

void Verifier::tell(Discrepancy::What what, const RunId& run, std::optional<RunId> with,
                    Duration by) {
  found_({what, run, std::move(with), by});
}

void Verifier::look(Time after, Time through, std::vector<Run> rows) {
  is_fresh_ = false;
  std::sort(rows.begin(), rows.end(), in_order);
  const std::span<const Run> all(rows);
  const auto ranges =
      static_cast<std::size_t>(std::find_if(rows.begin(), rows.end(), is_range) - rows.begin());
  Walk walk(all.first(ranges), all.subspan(ranges));
  compare(after, std::min(through, row_.plan.cursor), walk);
  for (std::size_t i = 0, j = 0; i < ranges; i = j) {
    while (j < ranges && attempt_zero(rows[j].id) == attempt_zero(rows[i].id)) ++j;
    look_at_attempts(all.subspan(i, j - i));
  }
  sweep(through);
}

void Verifier::compare(Time after, Time through, Walk& rows) {
  for (const Period& period : periods_) {
    const Time from = std::max(after, period.since);
    const Time to = std::min(through, period.until);
    rows.pass(from, [](const Run&) {});  // of no definition that is known
    if (!period.schedule) continue;
    const auto unexpected = [&](const Run& run) {
      const bool first = run.kind == RunKind::scheduled && run.id.attempt == Attempt{1};
      if (first) tell(Discrepancy::What::unexpected, run.id);
    };
    for (auto slot = period.schedule->first_after(from); slot && *slot <= to;
         slot = period.schedule->first_after(*slot)) {
      rows.pass(*slot - Duration{1}, unexpected);
      compare(*slot, rows);
    }
    rows.pass(to, unexpected);
  }
}

void Verifier::compare(Time slot, Walk& rows) {
  const bool has_row = rows.has_row(slot);
  const bool has_range = !has_row && rows.has_range(slot);
  if (!has_row && !has_range && was_purged(slot)) return;
  ++verified_.slots;
  if (has_range) ++verified_.settled;
  if (has_row || has_range) return;
  tell(Discrepancy::What::missing, {row_.uid, Space::slot, slot, "", Attempt{0}});
}

bool Verifier::was_purged(Time slot) {
  if (!is_fresh_) floor_ = std::max(floor_, ask_floor_());
  is_fresh_ = true;
  return slot <= floor_;
}

void Verifier::look_at_attempts(std::span<const Run> attempts) {
  const Run* before = known_attempt(attempts.front().id);
  for (const Run& run : attempts) {
    if (run.state == RunState::pending) look_at_delay(run, settings_.now);
    if (!was_started(run)) continue;
    ++verified_.runs;
    if (before != nullptr && !may_follow(*before, run)) {
      tell(Discrepancy::What::duplicate, run.id, before->id);
    }
    look_at_times(run);
    before = &run;
  }
  if (before != nullptr && before->id.space != Space::slot) remember(*before);
}

const Run* Verifier::known_attempt(const RunId& request) const {
  const auto known = requests_.find(attempt_zero(request));
  return known == requests_.end() ? nullptr : &known->second;
}

void Verifier::remember(const Run& started) {
  const RunId request = attempt_zero(started.id);
  if (requests_.insert_or_assign(request, started).second) remembered_.push_back(request);
  if (remembered_.size() <= kMostRequests) return;
  requests_.erase(remembered_.front());
  remembered_.pop_front();
}

/// What was held has been due since somebody released it.
void Verifier::look_at_delay(const Run& run, Time start) {
  const Job& job = job_at(run.id.space == Space::slot ? run.id.slot : run.due);
  const auto released = released_.find(run.id);
  const Time due = released == released_.end() ? run.due : std::max(run.due, released->second);
  const Duration late = start - due;
  if (late > settings_.late.value_or(job.expect_within.value_or(job.grace))) {
    tell(Discrepancy::What::late, run.id, {}, late);
  }
}

/// When a lost run ended nobody knows.
void Verifier::look_at_times(const Run& run) {
  if (!run.started_at) return;
  const Job& job = job_at(run.id.space == Space::slot ? run.id.slot : run.due);
  look_at_delay(run, *run.started_at);
  if (job.overlap == Overlap::allow) return;
  const bool lives = run.state == RunState::running;
  if (!run.finished_at && !lives) return;
  starts_.emplace(*run.started_at, Alive{lives ? settings_.now : *run.finished_at, run.id});
}

/// In the order of their starts: whoever starts while one that started before is alive overlaps.
void Verifier::sweep(Time through) {
  while (!starts_.empty() && starts_.begin()->first <= through) {
    auto [start, run] = std::move(*starts_.begin());
    starts_.erase(starts_.begin());
    if (alive_ && start + settings_.clocks < alive_->until) {
      tell(Discrepancy::What::overlapping, run.run, alive_->run,
           std::min(alive_->until, run.until) - start);
    }
    if (!alive_ || run.until > alive_->until) alive_ = std::move(run);
  }
}

void Verifier::end() { sweep(kMaxTime); }

void Verifier::look_at_next() {
  const auto next = row_.plan.next;
  if (!next || row_.retired() || row_.paused()) return;
  const Duration most = row_.definition->grace + row_.definition->jitter + kLease;
  if (*next + most >= settings_.now) return;
  if (settings_.away && *next + most + kAbsence >= settings_.now) {
    verified_.waiting = next;
  } else {
    tell(Discrepancy::What::missing, {row_.uid, Space::slot, *next, "", Attempt{0}});
  }
}

}  // namespace cronce
