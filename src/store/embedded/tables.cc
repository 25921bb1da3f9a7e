// Runs: how their rows come, move and vanish, and what is known of them.
#include "store/embedded/tables.h"

#include <algorithm>
#include <iterator>

#include "model/pending_order.h"
#include "model/words.h"

namespace cronce::embedded {
namespace {

bool started_earlier(const LiveRun& a, const LiveRun& b) { return a.fence < b.fence; }

void erase_pending(JobRow& job, const RunId& id) {
  std::erase_if(job.pending, [&](const PendingRun& p) { return p.id == id; });
}

void insert_pending(JobRow& job, const Run& run) {
  const PendingRun row{run.id, run.kind, run.due, false};
  job.pending.insert(std::upper_bound(job.pending.begin(), job.pending.end(), row, taken_before),
                     row);
}

}  // namespace

void Tables::note(const Run& run, bool is_new) const {
  if (behind != nullptr) behind->changed.runs[run.id] |= is_new;
}

void Tables::note_range(JobUid job, Time from) const {
  if (behind != nullptr) behind->changed.ranges.insert({job, from});
}

Run* Tables::find_run(const RunId& run) {
  auto row = runs.find(run);
  if (row == runs.end() && behind != nullptr) {
    behind->fetch_attempts(run);
    row = runs.find(run);
  }
  return row == runs.end() ? nullptr : &row->second;
}

void Tables::add_live(JobRow& job, const Run& run) {
  const auto& limit = job.definition->concurrency;
  const std::string group = limit ? limit->group : "";
  const LiveRun row{run.id, *run.incarnation, *run.fence};
  job.live.insert(std::upper_bound(job.live.begin(), job.live.end(), row, started_earlier), row);
  held[*run.incarnation][run.id] = group;
  if (limit) groups[group].insert(run.id);
}

/// The group is the one in which it started: the job's may be another by now.
void Tables::erase_live(JobRow& job, const Run& run) {
  std::erase_if(job.live, [&](const LiveRun& live) { return live.id == run.id; });
  const auto claims = held.find(*run.incarnation);
  const auto claim = claims->second.find(run.id);
  const auto group = groups.find(claim->second);
  if (group != groups.end()) group->second.erase(run.id);
  claims->second.erase(claim);
  if (claims->second.empty()) held.erase(claims);
  stops.erase(run.id);
}

/// The one place where a state changes: the table of moves is asked, and what the job, the group,
/// the incarnation and the stop orders say of live and pending runs follows.
void Tables::settle(JobRow& job, Run& run, std::optional<RunState> from, RunState to, Reason reason,
                    const Step& step) {
  const auto legal = find_move(from, to, step.by);
  CHECK(legal.has_value());
  if (from == RunState::pending) erase_pending(job, run.id);
  if (legal->live < 0) erase_live(job, run);
  run.state = to;
  run.reason = reason;
  if (to == RunState::succeeded && run.id.space == Space::slot) {
    job.succeeded = std::max(job.succeeded, run.id.slot);
  }
  if (to == RunState::pending) insert_pending(job, run);
  if (legal->live > 0) add_live(job, run);
  note(run, !from);
  touch(job);
}

Decided Tables::decided(const JobRow& job, const Step& step) const {
  return {name_of(step.incarnation), step.now, static_cast<std::int64_t>(job.revision)};
}

void Tables::create(JobRow& job, Run run, RunState state, Reason reason, const Step& step) {
  CHECK(run.id.job == job.uid);
  run.decided = decided(job, step);
  const auto [row, is_new] = runs.emplace(run.id, std::move(run));
  CHECK(is_new);
  settle(job, row->second, std::nullopt, state, reason, step);
}

void Tables::move(JobRow& job, Run& run, RunState to, Reason reason, const Step& step) {
  settle(job, run, run.state, to, reason, step);
}

Claim Tables::grant(JobRow& job, Run& run, const Step& step) {
  JobRow& whole = whole_of(job);
  run.fence = make_fence(epoch, ++whole.fence_count);
  note(whole);
  run.incarnation = step.incarnation;
  run.node = name_of(step.incarnation);
  run.claimed_at = step.now;
  if (run.kind == RunKind::scheduled && run.id.attempt == Attempt{1}) ++job.runs_started;
  Claim claim{run.id, step.incarnation, *run.fence, run.key, run.due, step.now};
  claim.previous = succeeded_before(job, run.id.space == Space::slot ? run.id.slot : kMaxTime);
  claim.env = run.env;
  return claim;
}

Claim Tables::create_running(JobRow& job, Run run, const Step& step) {
  Claim claim = grant(job, run, step);
  create(job, std::move(run), RunState::running, Reason::none, step);
  return claim;
}

Claim Tables::move_to_running(JobRow& job, Run& run, const Step& step) {
  Claim claim = grant(job, run, step);
  move(job, run, RunState::running, Reason::none, step);
  return claim;
}

void Tables::end_pending(JobRow& job, RunState to, Reason reason, const Step& step) {
  const auto waiting = job.pending;  // moving one changes the list
  for (const PendingRun& pending : waiting) move(job, *find_run(pending.id), to, reason, step);
}

void Tables::remove(JobRow& job, const RunId& run_id) {
  const auto row = runs.find(run_id);
  note(row->second);
  CHECK(find_move(row->second.state, std::nullopt, Mover::purge).has_value());
  if (run_id.space == Space::slot) {
    job.floor = std::max(job.floor, run_id.slot);
    job.purged = std::max(job.purged, run_id.attempt);
  }
  runs.erase(row);
  touch(job);
}

void Tables::confirm(const RunId& run) {
  confirmed.insert(run);
  note(*find_run(run));
}

void Tables::stop(const RunId& run, Reason reason) {
  if (reason == Reason::by_operator) {
    stops[run] = reason;
  } else {
    stops.try_emplace(run, reason);
  }
  note(runs.at(run));
}

void Tables::defer(JobRow& job, const RunId& run) {
  for (PendingRun& pending : job.pending) {
    if (pending.id == run) pending.deferred = true;
  }
  note(runs.at(run));
}

const Run* Tables::last_attempt(const RunId& any_attempt) const {
  if (behind != nullptr) behind->fetch_attempts(any_attempt);
  RunId beyond = any_attempt;
  beyond.attempt = Attempt{~std::uint64_t{0}};
  auto row = runs.upper_bound(beyond);
  if (row == runs.begin()) return nullptr;
  --row;
  RunId found = row->first;
  found.attempt = beyond.attempt;
  return found == beyond ? &row->second : nullptr;
}

const Run* Tables::newest_run(JobUid job) const {
  if (behind != nullptr) behind->fetch_newest(job);
  const auto row = runs.lower_bound({job, Space::manual, kMinTime, "", Attempt{0}});
  if (row == runs.begin()) return nullptr;
  const Run& newest = std::prev(row)->second;
  return newest.id.job == job && newest.id.space == Space::slot ? &newest : nullptr;
}

std::optional<Time> Tables::succeeded_before(const JobRow& job, Time slot) const {
  if (job.succeeded == kMinTime) return std::nullopt;
  if (job.succeeded < slot) return job.succeeded;
  if (behind != nullptr) behind->fetch_succeeded_before(job.uid, slot);
  auto row = runs.lower_bound({job.uid, Space::slot, slot, "", Attempt{0}});
  while (row != runs.begin()) {
    const Run& run = (--row)->second;
    if (run.id.job != job.uid) break;
    if (run.state == RunState::succeeded) return run.id.slot;
  }
  return std::nullopt;
}

Time Tables::newest_record(const JobRow& job) const {
  const Run* run = newest_run(job.uid);
  const Time newest = std::max(job.floor, run == nullptr ? kMinTime : run->id.slot);
  const auto range = ranges.upper_bound({job.uid, kMaxTime});
  if (range == ranges.begin() || std::prev(range)->first.first != job.uid) return newest;
  return std::max(newest, std::prev(range)->second.to);
}

bool Tables::is_superseded(const Run& run) const {
  if (run.id.attempt == Attempt{1}) return false;
  if (behind != nullptr) behind->fetch_attempts(run.id);
  RunId other = run.id;
  for (other.attempt = Attempt{1}; other.attempt < run.id.attempt; ++other.attempt.value) {
    const auto row = runs.find(other);
    if (row == runs.end() || row->second.key != run.key) continue;
    if (row->second.state == RunState::succeeded) return true;
  }
  return false;
}

bool Tables::never_ran(const RunId& any_attempt) const {
  RunId attempt = any_attempt;
  attempt.attempt = Attempt{0};
  if (behind != nullptr) behind->fetch_attempts(attempt);
  for (auto row = runs.lower_bound(attempt); row != runs.end(); ++row) {
    attempt.attempt = row->first.attempt;
    if (row->first != attempt) return true;
    const Run& run = row->second;
    const bool cancelled = run.state == RunState::cancelled && !run.fence;
    const bool skipped = run.state == RunState::skipped && run.reason != Reason::store_regressed;
    if (!cancelled && !skipped && run.state != RunState::returned) return false;
  }
  return true;
}

Refused Tables::may_start(const JobRow& job, Time now) const {
  const bool busy = !job.live.empty() || now < job.busy_until;
  if (busy && job.definition->overlap != Overlap::allow) return Refused::busy;
  const auto& limit = job.definition->concurrency;
  if (!limit) return Refused::none;
  const auto group = groups.find(limit->group);
  const auto live = group == groups.end() ? std::size_t{0} : group->second.size();
  return static_cast<std::int64_t>(live) < limit->max ? Refused::none : Refused::full;
}

Run first_attempt(const JobRow& job, Space space, Time slot, std::string request, RunKind kind,
                  Time due) {
  Run run;
  run.id = {job.uid, space, slot, std::move(request), Attempt{1}};
  run.kind = kind;
  run.due = due;
  // Each node's share of a job that runs everywhere is work of its own.
  const std::string& text = job.definition->name.text();
  const std::string name = job.whole ? text + "/" + *job.member : text;
  run.key = space == Space::slot ? name + "@" + print(slot)
                                 : name + "@" + std::string(word(space)) + "/" + run.id.request;
  return run;
}

RunId attempt_zero(RunId id) {
  id.attempt = Attempt{0};
  return id;
}

RunBounds bounds_of(JobUid job) {
  return {{job, Space::slot, kMinTime, "", Attempt{0}},
          {JobUid{job.value + 1}, Space::slot, kMinTime, "", Attempt{0}}};
}

}  // namespace cronce::embedded
