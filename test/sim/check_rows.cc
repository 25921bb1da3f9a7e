// The checkers that compare the store's last rows with the calendar and with the witness.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/describe.h"
#include "schedule/schedule.h"
#include "test/sim/check.h"
#include "test/sim/clocks.h"
#include "test/sim/zones.h"

namespace cronce::sim {
namespace {

/// What may still be under way at the end.
constexpr Duration kSlack{8'000};

/// How late a start may be when nothing is wrong.
constexpr Duration kPunctual{4'000};

bool is_result(RunState state) {
  return state == RunState::succeeded || state == RunState::failed ||
         state == RunState::timed_out || state == RunState::cancelled;
}

/// Whether the run was in the way of another one of its job at that time, without a living child.
bool may_have_waited(const Run& run, Time at) {
  if (!is_ended(run.state)) return true;
  if (run.claimed_at) return *run.claimed_at >= at || run.state == RunState::lost;
  return run.reason == Reason::expired || run.reason == Reason::replaced ||
         run.reason == Reason::superseded || run.state == RunState::cancelled;
}

/// The slots that a job should have, by its definitions: certain ones, and those that a step of the
/// store's clock, other zone data or a forgotten time leave open.
struct Expected {
  std::set<Time> certain;
  std::set<Time> possible;
  bool follows_events = false;  // `after`: only the course of things can tell

  bool has_slot(Time from, Time to) const {
    const auto in = [&](const std::set<Time>& slots) {
      const auto slot = slots.lower_bound(from);
      return slot != slots.end() && *slot <= to;
    };
    return in(certain) || in(possible);
  }
};

class Calendar {
 public:
  /// Through a time that must be settled; what lies after `end` is nobody's business.
  Calendar(const Witness& witness, JobUid job, Time through, Time end)
      : through_(std::min(through, end)), end_(end) {
    for (const Chapter& chapter : witness.chapters()) {
      if (chapter.job == job) add(chapter, true);
    }
    for (const Chapter& chapter : witness.forgotten_chapters()) {
      if (chapter.job == job) add(chapter, false);
    }
  }

  Expected expected;

 private:
  void add(const Chapter& chapter, bool remembered) {
    const ScheduleSpec& spec = chapter.definition.schedule;
    const Schedule schedule = Schedule::build(spec, zones_of(kOldZones)).value();
    expected.follows_events = expected.follows_events || schedule.delay_after_end();
    const Time to = std::min(chapter.to.value_or(through_), through_);
    const Time possible = std::min(std::max(to, chapter.to ? chapter.possible : to), end_);
    std::optional<Schedule> other;
    if (spec.timezone == kMovedZone) other = Schedule::build(spec, zones_of(kNewZones)).value();
    for (const Time slot : schedule.slots(chapter.from, possible, 100'000)) {
      const bool agreed = !other || other->last_at_or_before(slot) == slot;
      const bool certain = remembered && agreed && slot > chapter.certain && slot <= to;
      (certain ? expected.certain : expected.possible).insert(slot);
    }
    if (other) {
      for (const Time slot : other->slots(chapter.from, possible, 100'000))
        expected.possible.insert(slot);
    }
    if (const auto past = schedule.last_at_or_before(chapter.from)) expected.possible.insert(*past);
  }

  Time through_;
  Time end_;
};

}  // namespace

// ---- every due slot has one record
// ---------------------------------------------------------------

void Checker::check_calendar() {
  for (const JobRow& job : evidence_.jobs) {
    if (!job.is_whole() && !job.only_exec) check_slots(job);
  }
  check_times();
}

/// Nobody settles what is far ahead of true time, whatever the store's clock shows.
void Checker::check_times() {
  if (!evidence_.walls_right || witness_.clock_accepted()) return;
  const Time end = kOrigin + evidence_.end + kFarAhead;
  for (const Run& row : evidence_.rows) {
    const bool ahead = row.id.space == Space::slot && row.slot_to.value_or(row.id.slot) > end;
    if (ahead && witness_.was_undoubted(row.id.job)) {
      ++verdict.excused.undoubted;
    } else if (ahead) {
      fail("I5", row.id, "settled far ahead of true time");
    }
  }
}

void Checker::check_slots(const JobRow& job) {
  const Time settled = job.plan.cursor;
  const bool calm = evidence_.calm_since && !job.retired();
  const Time due = evidence_.store_end - kSlack - job.definition->jitter;
  const Time through = std::max(settled, evidence_.calm_since ? due : settled);
  const Time end = kOrigin + evidence_.end + std::chrono::hours{1};
  const Expected expected = Calendar(witness_, job.uid, through, end).expected;
  std::vector<const Run*> ranges;
  std::set<Time> rows;
  for (const Run& row : evidence_.rows) {
    if (row.id.job != job.uid || row.id.space != Space::slot) continue;
    if (row.slot_to) ranges.push_back(&row);
    if (!row.slot_to) rows.insert(row.id.slot);
    const bool known = expected.has_slot(row.id.slot, row.slot_to.value_or(row.id.slot));
    const bool named = row.kind == RunKind::exec || witness_.was_named_by_exec(row.id);
    const bool far = row.slot_to.value_or(row.id.slot) > end;  // see check_times
    const bool uncounted = row.slot_to && row.count == 0;      // perhaps none
    if (!known && !expected.follows_events && !named && !far && !uncounted) {
      fail("I9", row.id, "no such slot in the calendar");
    }
    if (row.state == RunState::skipped && row.reason == Reason::none) {
      fail("I4", row.id, "skipped without a reason");
    }
  }
  for (const Time slot : expected.certain) {
    if (slot > settled && !calm) continue;
    const auto covering = std::count_if(ranges.begin(), ranges.end(), [&](const Run* range) {
      return range->id.slot <= slot && slot <= *range->slot_to;
    });
    const bool purged = slot <= job.floor;
    const auto records = covering + static_cast<std::ptrdiff_t>(rows.contains(slot));
    const RunId id{job.uid, Space::slot, slot, "", Attempt{1}};
    if (records == 0 && !purged) fail("I4", id, "due, and nothing is recorded about it");
    if (covering > 1) fail("I4", id, "settled by two ranges");
  }
}

// ---- the store says what the witness saw
// ---------------------------------------------------------

void Checker::check_rows() {
  std::map<RunId, std::vector<const Start*>> starts;
  std::set<RunId> seen;
  std::set<RunId> contested;  // two claims of it (check_starts judges that); the store knows of one
  for (const Start& start : witness_.starts()) {
    if (is_unnoticed(start) || !seen.insert(start.run).second) contested.insert(start.run);
    if (forgot(start) == nullptr) starts[start.run].push_back(&start);
  }
  std::map<RunId, const Run*> rows;
  for (const Run& row : evidence_.rows) {
    if (row.slot_to) continue;
    rows[row.id] = &row;
    const JobRow* job = row_of(row.id.job);
    if (job != nullptr && !contested.contains(row.id)) check_row(row, *job, starts[row.id]);
  }
  for (const Start& start : witness_.starts()) {
    if (contested.contains(start.run) || forgot(start) != nullptr) continue;
    const auto row = rows.find(start.run);
    check_started(start, row == rows.end() ? nullptr : row->second);
  }
}

/// A node that is granted again what it has begun tells a store that forgets of its last claim.
void Checker::check_started(const Start& start, const Run* row) {
  const JobRow* job = row_of(start.run.job);
  const bool purged =
      job == nullptr || start.run.space != Space::slot || start.run.slot <= job->floor;
  if (row == nullptr && !purged) fail("I10", start.run, "started, but the store has no row");
  if (row == nullptr || row->fence == start.fence) return;
  const bool again = row->node == start.node && start.fence < row->fence;
  if (!again || !was_granted_in_vain(start)) {
    fail("I10", start.run, "the store has another fence");
  }
}

/// What is known of it is a claim that the store gave before anybody saw that it had forgotten
/// another.
bool Checker::was_unnoticed_grant(const Run& row) const {
  if (!row.fence || !row.incarnation) return false;
  const auto grants = grants_.find({row.id, *row.fence, *row.incarnation});
  return grants != grants_.end() && is_unnoticed(grants->second.back()->at);
}

/// By the same node, with a claim that was forgotten: whoever is granted what it has run before
/// tells how that went.
const Start* Checker::started_before(const Run& row) const {
  const auto& starts = witness_.starts();
  const auto found = std::find_if(starts.begin(), starts.end(), [&](const Start& start) {
    return start.run == row.id && start.node == row.node && start.fence < row.fence &&
           forgot(start) != nullptr;
  });
  return found == starts.end() ? nullptr : &*found;
}

void Checker::check_row(const Run& row, const JobRow& job,
                        const std::vector<const Start*>& starts) {
  if (!is_ended(row.state)) return check_unended(row, job, starts);
  const bool never_started = row.state == RunState::returned || row.state == RunState::skipped ||
                             witness_.was_refused(row.id) || !row.fence;
  if (never_started && !starts.empty() && was_unnoticed_grant(row)) {
    ++verdict.excused.unnoticed;
  } else if (never_started && !starts.empty()) {
    fail("I10", row.id, "started, and the store says: " + describe(row));
  }
  if (!is_result(row.state) || never_started) return;
  const Start* start = starts.empty() ? started_before(row) : starts.front();
  if (start == nullptr) return fail("I10", row.id, "the store has a result of what never started");
  if (!start->gone) return fail("I10", row.id, "the store has a result, and the child lives");
  if (start->result != row.state) {
    fail("I10", row.id,
         fmt::format("the store says {}, the witness {}", describe(row.state, row.reason),
                     describe(start->result, start->reason)));
  }
}

/// A run of it has only just ended.
bool Checker::was_busy(JobUid job) const {
  const auto& starts = witness_.starts();
  return std::any_of(starts.begin(), starts.end(), [&](const Start& start) {
    return start.run.job == job && start.gone && evidence_.end - *start.gone < kSlack;
  });
}

/// In the end nothing may wait or run without a cause.
void Checker::check_unended(const Run& row, const JobRow& job,
                            const std::vector<const Start*>& starts) {
  if (row.state != RunState::running && !starts.empty()) {
    fail("I10", row.id,
         fmt::format("started, and the store says {}", describe(row.state, row.reason)));
  }
  if (!evidence_.calm_since) return;
  if (row.state == RunState::running) {
    const bool lives = !starts.empty() &&
                       (!starts.front()->gone || evidence_.end - *starts.front()->gone < kSlack);
    const bool fresh = row.claimed_at && evidence_.store_end - *row.claimed_at < kSlack;
    if (!lives && !fresh) fail("I4", row.id, "left running, and no child lives");
  }
  if (row.state == RunState::pending) {
    const bool early = evidence_.store_end - row.due < kSlack;
    const bool blocked = !job.live.empty() || was_busy(job.uid) || witness_.is_in_conflict(job) ||
                         job.paused() || job.retired() || job.only_exec ||
                         job.definition->concurrency.has_value() || evidence_.limited;
    if (!early && !blocked) fail("I4", row.id, "left pending, and nothing keeps it from starting");
  }
}

// ---- life after the last fault
// -------------------------------------------------------------------

void Checker::check_calm() {
  for (const JobRow& job : evidence_.jobs) {
    if (job.retired()) continue;
    const bool over =
        job.pause && job.pause->until && *job.pause->until < evidence_.store_end - kSlack;
    if (over && !job.only_exec)  // exec itself looks at the time
      fail("I4",
           fmt::format("job {} ({}): its pause never ended", job.uid.value, name_of(job.uid)));
    if (witness_.is_in_conflict(job)) {
      ++verdict.excused.conflict;
      continue;
    }
    if (job.is_whole()) check_members(job);
    if (!job.paused()) check_punctual(job);
    if (!witness_.was_undoubted(job.uid)) check_waiting(job);
    if (evidence_.new_zones) check_zone(job);
  }
}

/// The newest zone data that a node has is what slots go by.
void Checker::check_zone(const JobRow& job) {
  if (job.definition->schedule.timezone != kMovedZone) return;
  const auto schedule = Schedule::build(job.definition->schedule, zones_of(kNewZones)).value();
  for (const Run& row : evidence_.rows) {
    const bool slot = row.id.job == job.uid && row.id.space == Space::slot && !row.slot_to;
    if (!slot || row.id.slot <= *evidence_.calm_since || witness_.was_named_by_exec(row.id))
      continue;
    if (schedule.last_at_or_before(row.id.slot) != row.id.slot) {
      fail("I8", row.id, "a slot of old zone data, although a node has newer ones");
    }
  }
}

/// What a wrong clock has put off is never put off for good.
void Checker::check_waiting(const JobRow& job) {
  const Time far = evidence_.store_end + std::chrono::hours{1};
  if (job.plan.next && *job.plan.next > far) {
    fail("I8", fmt::format("job {} ({}): its next slot is {}", job.uid.value, name_of(job.uid),
                           print(*job.plan.next)));
  }
  for (const PendingRun& pending : job.pending) {
    if (pending.due > far) fail("I8", pending.id, "waits for " + print(pending.due));
  }
}

void Checker::check_members(const JobRow& whole) {
  for (const std::string& node : evidence_.nodes) {
    const bool has_share =
        std::any_of(evidence_.jobs.begin(), evidence_.jobs.end(), [&](const JobRow& row) {
          return row.whole == whole.uid && *row.member == node && !row.retired();
        });
    if (!has_share)
      fail("I8", fmt::format("job {} ({}): {} has no share of it", whole.uid.value,
                             name_of(whole.uid), node));
  }
}

/// Nothing could keep the row from starting when it was due: no other run of its job lived or
/// waited, and no limit of a group or a node can have been reached.
bool Checker::is_free(const JobRow& job, const Run& row) const {
  const bool first = row.id.attempt == Attempt{1} && row.kind == RunKind::scheduled;
  if (!first || job.definition->concurrency || evidence_.limited) return false;
  if (job.definition->overlap == Overlap::allow) return true;
  for (const Run& other : evidence_.rows) {
    if (other.id.job != job.uid || other.slot_to || other.id == row.id) continue;
    if (other.due < row.due + kPunctual && may_have_waited(other, row.due)) return false;
  }
  const Duration due = row.due - kOrigin - (evidence_.store_end - kOrigin - evidence_.end);
  return std::none_of(witness_.starts().begin(), witness_.starts().end(), [&](const Start& start) {
    return start.run.job == job.uid && start.at < due + kPunctual &&
           (!start.gone || *start.gone > due - kSlack);
  });
}

void Checker::check_punctual(const JobRow& job) {
  const Time from = *evidence_.calm_since;
  for (const Run& row : evidence_.rows) {
    if (row.id.job != job.uid || row.id.space != Space::slot || row.id.slot <= from) continue;
    const bool remembered = std::any_of(
        witness_.forgettings().begin(), witness_.forgettings().end(),
        [&](const Forgetting& forgetting) { return row.id.slot <= forgetting.remembered; });
    const bool lapsed = row.reason == Reason::missed || row.reason == Reason::no_node ||
                        (row.reason == Reason::store_regressed && !remembered);
    if (row.state == RunState::skipped && lapsed) {
      fail("I8", row.id,
           fmt::format("{} although nothing was wrong", describe(row.state, row.reason)));
    }
    if (row.slot_to || !is_free(job, row)) continue;
    if (row.state == RunState::skipped && row.reason == Reason::overlap) {
      fail("I8", row.id, "skipped for an overlap, and nothing was alive");
    }
    if (row.claimed_at && *row.claimed_at - row.due > kPunctual) {
      fail("I8", row.id,
           fmt::format("claimed {} after it was due", print(*row.claimed_at - row.due)));
    }
  }
}

}  // namespace cronce::sim
