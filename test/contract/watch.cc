#include "test/contract/watch.h"

#include <algorithm>
#include <utility>

#include "model/describe.h"
#include "model/moves.h"

namespace cronce::contract {
namespace {

constexpr RunFilter kEverything{.limit = 1'000'000};

bool in_job(const RunId& id, const JobRow& job) { return id.job == job.uid; }

bool is_recorded(const std::vector<Run>& runs, const JobRow& job, Time slot) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
    return in_job(run.id, job) && run.id.space == Space::slot && run.id.slot <= slot &&
           slot <= run.slot_to.value_or(run.id.slot);
  });
}

/// Any mover: which one it was is the operation's own affair. From none: a row comes into being.
bool may_move(std::optional<RunState> from, RunState to) {
  const auto moves = legal_moves();
  return std::any_of(moves.begin(), moves.end(),
                     [&](const Move& move) { return move.from == from && move.to == to; });
}

Duration period_of(const JobRow& job) {
  const auto& elements = job.definition->schedule.elements;
  const auto* every = elements.size() == 1 ? std::get_if<EverySpec>(&elements.front()) : nullptr;
  return every != nullptr ? every->interval : Duration{0};
}

}  // namespace

void Watch::wrong(const JobRow& job, const std::string& what) {
  found_.push_back(job.definition->name.text() + ": " + what);
}

std::vector<std::string> Watch::look(Store& store, Excuse excuse) {
  found_.clear();
  const auto jobs = store.jobs().value();
  const auto runs = store.runs(kEverything).value();
  Ledger ledger;
  for (const Run& run : runs) {
    if (!run.slot_to) ledger.emplace(run.id, run);
  }
  check_ledger(runs);
  check_births(runs);
  check_moves(ledger);
  ledger_ = std::move(ledger);
  for (const JobRow& job : jobs) {
    check_job(job, excuse);
    check_fences(job, ledger_, excuse);
    check_plan(job, runs, excuse);
    jobs_.insert_or_assign(job.uid, job);
  }
  began_ = true;
  return found_;
}

/// No attempt of a slot is recorded twice. A slot that had a row before its range stands for
/// itself.
void Watch::check_ledger(const std::vector<Run>& runs) {
  std::set<RunId> seen;
  for (const Run& run : runs) {
    if (!seen.insert(run.id).second) found_.push_back("two rows of " + describe(run.id));
    if (!run.slot_to) continue;
    for (const Run& other : runs) {
      const bool first = other.id.attempt == Attempt{1} && other.id.space == Space::slot;
      if (&other == &run || other.id.job != run.id.job || !first) continue;
      if (!began_ || ledger_.contains(other.id)) continue;
      const bool inside = other.id.slot >= run.id.slot && other.id.slot <= *run.slot_to;
      if (inside) found_.push_back(describe(other.id) + " has a row and is in a range");
    }
  }
}

/// What was there when the watch began may have been born long ago.
void Watch::check_births(const std::vector<Run>& runs) {
  if (!began_) return;
  for (const Run& run : runs) {
    const bool is_new = run.slot_to || !ledger_.contains(run.id);
    if (is_new && !may_move(std::nullopt, run.state)) {
      found_.push_back(describe(run) + " came into being so");
    }
  }
}

void Watch::check_moves(const Ledger& ledger) {
  for (const auto& [id, before] : ledger_) {
    const auto now = ledger.find(id);
    if (now == ledger.end()) {
      if (!is_ended(before.state)) found_.push_back(describe(id) + " vanished before its end");
      continue;
    }
    const Run& run = now->second;
    if (run.state != before.state && !may_move(before.state, run.state)) {
      found_.push_back(describe(before) + " became " + describe(run));
    }
    if (before.fence && run.fence != before.fence)
      found_.push_back(describe(id) + " changed fence");
  }
}

/// What the job's row says of live and pending runs is what the ledger says.
void Watch::check_job(const JobRow& job, Excuse excuse) {
  std::vector<RunId> live, pending;
  for (const LiveRun& run : job.live) live.push_back(run.id);
  for (const PendingRun& run : job.pending) pending.push_back(run.id);
  const auto time = [](const PendingRun& run) {
    return run.id.space == Space::slot ? run.id.slot : run.due;
  };
  if (!std::ranges::is_sorted(job.pending, {}, time)) wrong(job, "pending is not oldest first");
  std::sort(pending.begin(), pending.end());
  std::sort(live.begin(), live.end());
  std::vector<RunId> running, waiting;
  for (const auto& [id, run] : ledger_) {
    if (!in_job(id, job)) continue;
    if (run.state == RunState::running) running.push_back(id);
    if (run.state == RunState::pending) waiting.push_back(id);
  }
  if (live != running) wrong(job, "live is not the running rows");
  if (pending != waiting) wrong(job, "pending is not the pending rows");
  const bool alone = job.definition->overlap != Overlap::allow && excuse != Excuse::remembering;
  const bool was_alone = !jobs_.contains(job.uid) || jobs_.at(job.uid).live.size() <= 1;
  if (alone && was_alone && live.size() > 1) wrong(job, "two runs are live");
}

void Watch::check_fences(const JobRow& job, const Ledger& ledger, Excuse excuse) {
  std::set<Fence> fresh;
  Fence& greatest = fences_[job.uid];
  for (const auto& [id, run] : ledger) {
    if (!in_job(id, job)) continue;
    if (run.state == RunState::running && !run.fence) wrong(job, describe(id) + " has no fence");
    if (!run.fence || *run.fence <= greatest) continue;
    if (!fresh.insert(*run.fence).second) wrong(job, "two runs have one fence");
  }
  for (const LiveRun& live : job.live) {
    const auto row = ledger.find(live.id);
    const bool same = row != ledger.end() && row->second.fence == live.fence &&
                      row->second.incarnation == live.incarnation;
    if (!same) wrong(job, describe(live.id) + " is live otherwise than in its row");
    const auto before = jobs_.find(job.uid);
    const bool is_new = before == jobs_.end() || std::count(before->second.live.begin(),
                                                            before->second.live.end(), live) == 0;
    const bool put_back = excuse == Excuse::remembering;
    if (is_new && !put_back && live.fence <= greatest)
      wrong(job, describe(live.id) + " has an old fence");
  }
  if (!fresh.empty()) greatest = *fresh.rbegin();
}

void Watch::check_plan(const JobRow& job, const std::vector<Run>& runs, Excuse excuse) {
  if (job.plan.next && *job.plan.next <= job.plan.cursor)
    wrong(job, "next is not after the cursor");
  if (job.retired() && job.plan.next) wrong(job, "retired, and yet it has a next slot");
  const auto before = jobs_.find(job.uid);
  if (before == jobs_.end()) return;
  const Plan& old = before->second.plan;
  if (job.plan.turn < old.turn) wrong(job, "the turn went back");
  const bool same = job.plan.cursor == old.cursor && job.plan.next == old.next;
  if (!same && job.plan.turn == old.turn) wrong(job, "the plan changed and the turn did not");
  const bool recedes = excuse == Excuse::receding;
  if (job.plan.cursor < old.cursor && !recedes) wrong(job, "the cursor went back");
  check_chain(before->second, job, runs);
}

/// Every slot that was expected and is now at or below the cursor has a record, or had one.
void Watch::check_chain(const JobRow& before, const JobRow& job, const std::vector<Run>& runs) {
  if (!before.plan.next) return;
  const Duration period = period_of(before);
  for (Time slot = *before.plan.next; slot <= job.plan.cursor; slot += period) {
    if (slot > job.floor && !is_recorded(runs, job, slot))
      wrong(job, "no record of " + print(slot));
    if (period == Duration{0}) break;
  }
}

}  // namespace cronce::contract
