// The checkers that compare the store's last rows with the calendar and with the witness.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/describe.h"
#include "schedule/schedule.h"
#include "test/sim/check.h"

namespace cronce::sim {
namespace {

/// What may still be under way at the end.
constexpr Duration kSlack{8'000};

bool is_result(RunState state) {
  return state == RunState::succeeded || state == RunState::failed ||
         state == RunState::timed_out || state == RunState::cancelled;
}

/// The slots that a job should have, by its definitions: certain ones, and those that a step of the
/// store's clock leaves open.
struct Expected {
  std::set<Time> certain;
  std::set<Time> possible;
  bool follows_events = false;  // `after`: only the course of things can tell
};

Expected expected_slots(const Witness& witness, JobUid job, Time through) {
  Expected expected;
  for (const Chapter& chapter : witness.chapters()) {
    if (chapter.job != job) continue;
    const Schedule schedule = Schedule::build(chapter.definition.schedule).value();
    expected.follows_events = expected.follows_events || schedule.delay_after_end();
    const Time to = std::min(chapter.to.value_or(through), through);
    const Time possible = std::max(to, chapter.to ? chapter.possible : to);
    for (const Time slot : schedule.slots(chapter.from, possible, 100'000)) {
      const bool certain = slot > chapter.certain && slot <= to;
      (certain ? expected.certain : expected.possible).insert(slot);
    }
    if (const auto past = schedule.last_at_or_before(chapter.from)) expected.possible.insert(*past);
  }
  return expected;
}

}  // namespace

// ---- every due slot has one record
// ---------------------------------------------------------------

void Checker::check_calendar() {
  for (const JobRow& job : evidence_.jobs) check_slots(job);
}

void Checker::check_slots(const JobRow& job) {
  const Time settled = job.plan.cursor;
  const bool calm = evidence_.calm_since && !job.retired();
  const Time due = evidence_.store_end - kSlack - job.definition->jitter;
  const Expected expected =
      expected_slots(witness_, job.uid, std::max(settled, evidence_.calm_since ? due : settled));
  std::vector<const Run*> ranges;
  std::set<Time> rows;
  for (const Run& row : evidence_.rows) {
    if (row.id.job != job.uid || row.id.space != Space::slot) continue;
    if (row.slot_to) ranges.push_back(&row);
    if (!row.slot_to) rows.insert(row.id.slot);
    const bool known =
        expected.certain.contains(row.id.slot) || expected.possible.contains(row.id.slot);
    if (!known && !expected.follows_events) fail("I9", row.id, "no such slot in the calendar");
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
  for (const Start& start : witness_.starts()) starts[start.run].push_back(&start);
  std::map<RunId, const Run*> rows;
  for (const Run& row : evidence_.rows) {
    if (row.slot_to) continue;
    rows[row.id] = &row;
    if (const JobRow* job = row_of(row.id.job)) check_row(row, *job, starts[row.id]);
  }
  for (const Start& start : witness_.starts()) {
    const auto row = rows.find(start.run);
    const JobRow* job = row_of(start.run.job);
    const bool purged =
        job != nullptr && (start.run.space != Space::slot || start.run.slot <= job->floor);
    if (row == rows.end() && !purged) fail("I10", start.run, "started, but the store has no row");
    if (row != rows.end() && row->second->fence != start.fence) {
      fail("I10", start.run, "the store has another fence");
    }
  }
}

void Checker::check_row(const Run& row, const JobRow& job,
                        const std::vector<const Start*>& starts) {
  if (!is_ended(row.state)) return check_unended(row, job, starts);
  const bool never_started = row.state == RunState::returned || row.state == RunState::skipped ||
                             witness_.was_refused(row.id) || !row.fence;
  if (never_started && !starts.empty()) {
    fail("I10", row.id, "the store says that it never started, and it did");
  }
  if (!is_result(row.state) || never_started) return;
  if (starts.empty()) return fail("I10", row.id, "the store has a result of what never started");
  const Start& start = *starts.front();
  if (!start.gone) return fail("I10", row.id, "the store has a result, and the child lives");
  if (start.result != row.state) {
    fail("I10", row.id,
         fmt::format("the store says {}, the witness {}", describe(row.state, row.reason),
                     describe(start.result, start.reason)));
  }
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
    const bool blocked = !job.live.empty() || job.paused() || job.retired() ||
                         job.definition->concurrency.has_value() || evidence_.limited;
    if (!early && !blocked) fail("I4", row.id, "left pending, and nothing keeps it from starting");
  }
}

// ---- life after the last fault
// -------------------------------------------------------------------

void Checker::check_calm() {
  for (const JobRow& job : evidence_.jobs) {
    if (!job.retired() && !job.paused()) check_punctual(job);
  }
}

void Checker::check_punctual(const JobRow& job) {
  const Time from = *evidence_.calm_since;
  for (const Run& row : evidence_.rows) {
    if (row.id.job != job.uid || row.id.space != Space::slot || row.id.slot <= from) continue;
    const bool lapsed = row.reason == Reason::missed || row.reason == Reason::no_node;
    if (row.state == RunState::skipped && lapsed) {
      fail("I8", row.id,
           fmt::format("{} although nothing was wrong", describe(row.state, row.reason)));
    }
    const bool free = job.definition->overlap == Overlap::allow && !job.definition->concurrency &&
                      !evidence_.limited && row.id.attempt == Attempt{1};
    if (free && row.claimed_at && *row.claimed_at - row.due > Duration{4'000}) {
      fail("I8", row.id,
           fmt::format("claimed {} after it was due", print(*row.claimed_at - row.due)));
    }
  }
}

}  // namespace cronce::sim
