// When the store has forgotten: the epoch is closed, living nodes put back what they know, and
// after one lease a new epoch begins in which nothing runs that may have run before.
#include <algorithm>
#include <utility>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

constexpr std::uint64_t kCount =
    (std::uint64_t{1} << 40U) - 1;  // the part of a fence below the epoch

/// What was known of another store, or in an epoch that is over, says nothing of this one.
bool is_behind(const Tables& tables, const BeatAsk& ask) {
  const NodeRow* row = tables.find_node(ask.node.incarnation);
  const Beat stored = row == nullptr ? Beat{} : row->node->beat;
  if (tables.closed && ask.granted_closed > stored) return true;
  const auto& mark = ask.mark;
  if (mark && (mark->store != tables.id || mark->epoch < tables.epoch)) return false;
  if (mark && mark->epoch > tables.greatest) return true;
  if (tables.closed) return false;  // that is known
  if (mark && mark->position > tables.position) return true;
  return ask.granted > stored;
}

void hear_all_again(Tables& tables) {
  for (const RunId& run : tables.confirmed) tables.note(*tables.find_run(run));
  tables.confirmed.clear();
  for (auto& [incarnation, node] : tables.nodes) {
    if (std::exchange(node.remembered, false)) tables.note_node(incarnation);
  }
}

/// Also while it is closed, if what came after was forgotten: everybody is heard again.
void close(Tables& tables) {
  tables.closed = true;
  tables.closed_on = tables.server;
  hear_all_again(tables);
}

/// Nobody knows any more how it came about.
RunKind likely_kind(const JobRow& job, const RunId& id) {
  if (id.attempt > Attempt{1}) return RunKind::retry;
  if (id.space == Space::manual) return RunKind::manual;
  return job.only_exec ? RunKind::exec : RunKind::scheduled;
}

/// Who knows a claim by its end alone does not know its key, which all attempts have in common.
std::string key_of(const Tables& tables, const JobRow& job, const Claim& claim) {
  if (!claim.key.empty()) return claim.key;
  const RunId& id = claim.run;
  const Run* last = tables.last_attempt(id);
  if (last != nullptr) return last->key;
  return first_attempt(job, id.space, id.slot, id.request, RunKind::scheduled, claim.due).key;
}

Run run_of(const Tables& tables, const JobRow& job, const Claim& claim, Time now) {
  Run run;
  run.id = claim.run;
  run.kind = likely_kind(job, claim.run);
  run.key = key_of(tables, job, claim);
  run.due = claim.due > Time{} ? claim.due : now;  // as old as it is known: it is not purged for it
  run.fence = claim.fence;
  run.incarnation = claim.incarnation;
  run.node = tables.name_of(claim.incarnation);
  run.claimed_at = claim.claimed_at;
  run.env = claim.env;
  return run;
}

/// It ended, and its record was purged, before the store was what it is now.
bool was_purged(const Tables& tables, const JobRow& job, const RunId& run) {
  return run.space == Space::slot && run.slot <= job.floor && tables.last_attempt(run) == nullptr;
}

enum class Fate { runs, ended, unknown };

/// Whether the store now says what the claim says. What has ended is lost until its end is told
/// again, and so is a claim of a node that was ended, or of a process of which nobody knows more:
/// but where the store has it as running it may be.
bool put_back(Tables& tables, const Claim& claim, Fate fate, const Step& step) {
  JobRow* job = tables.find_job(claim.run.job);
  if (job == nullptr) return false;
  if (fate != Fate::runs && was_purged(tables, *job, claim.run)) return true;
  JobRow& whole = tables.whole_of(*job);
  whole.fence_count = std::max(whole.fence_count, claim.fence.value & kCount);
  tables.note(whole);
  Run* row = tables.find_run(claim.run);
  const bool known = row != nullptr && row->fence;
  if (known && (row->fence != claim.fence || row->incarnation != claim.incarnation)) return false;
  const RunState state =
      fate == Fate::runs && tables.lives(claim.incarnation) ? RunState::running : RunState::lost;
  if (known && row->state != RunState::running) {
    return fate != Fate::runs || row->reason != Reason::regressed;  // given up by a next process
  }
  if (known && (row->state == state || fate == Fate::unknown)) return true;
  const Reason reason = state == RunState::lost ? Reason::regressed : Reason::none;
  Run run = known ? *row : run_of(tables, *job, claim, step.now);
  const bool starts = !known && run.kind == RunKind::scheduled;
  if (row == nullptr) {
    const bool first = claim.run.space == Space::slot && claim.run.attempt == Attempt{1};
    if (first && tables.range_of(job->uid, claim.run.slot) != nullptr) return false;
    tables.create(*job, std::move(run), state, reason, step);
  } else if (find_move(row->state, state, step.by)) {
    run.kind = row->kind;
    run.state = row->state;
    run.decided = row->decided;
    run.env = row->env;
    *row = std::move(run);
    tables.move(*job, *row, state, reason, step);
  } else {
    return false;
  }
  if (starts) ++job->runs_started;
  return true;
}

/// What nobody alive says it runs may have ended, and what follows from its end may have run: it is
/// lost, and nothing follows.
void lose_unconfirmed(Tables& tables, JobRow& job, const Step& step) {
  const auto live = job.live;  // losing one changes the list
  for (const LiveRun& run : live) {
    if (tables.confirmed.contains(run.id)) continue;
    tables.move(job, *tables.find_run(run.id), RunState::lost, Reason::regressed, step);
  }
}

/// They were ended, and that was forgotten. What followed from the loss of their runs may have run:
/// it does not follow again.
void end_again(Tables& tables, const std::vector<Incarnation>& gone, const Step& step) {
  for (const Incarnation& incarnation : gone) {
    NodeRow* row = tables.find_node(incarnation);
    const bool lives = row != nullptr && !row->ended && incarnation != step.incarnation;
    if (lives) end_node(tables, *row, Reason::regressed, step);
  }
}

/// Greater numbers than ever: of the epoch, and of every count that nodes compare.
void begin_epoch(Tables& tables, const Step& step) {
  tables.epoch = Epoch{std::max(tables.epoch, tables.greatest).value + 1};
  tables.greatest = tables.epoch;
  tables.closed = false;
  tables.opened_on = tables.server;
  tables.changes = tables.in_epoch(0);
  for (JobRow* job : tables.all_jobs()) {
    lose_unconfirmed(tables, *job, step);
    tables.end_pending(*job, RunState::lost, Reason::regressed, step);
    job->plan.turn = std::max(job->plan.turn, Turn{tables.in_epoch(0)});
    tables.turn(*job, step);
    rearm_after(tables, *job, step);
  }
  hear_all_again(tables);
}

}  // namespace

void notice(Tables& tables) {
  const bool known = tables.server == (tables.closed ? tables.closed_on : tables.opened_on);
  if (!known) close(tables);
}

void notice(Tables& tables, const BeatAsk& ask) {
  notice(tables);
  if (is_behind(tables, ask)) {
    close(tables);
    if (ask.mark) tables.greatest = std::max(tables.greatest, ask.mark->epoch);
  }
  const bool other = ask.mark && ask.mark->store != tables.id;
  if (other && tables.last_uid == 0) {  // it has never had a job
    tables.remembered = std::max(tables.remembered, ask.mark->time);
  }
}

/// A lane that was last written in an epoch that is over may be behind: that is known.
void notice(Tables& tables, const WriteId& id, const Lane& lane) {
  notice(tables);
  const bool behind = id.answered > lane.sequence && lane.epoch == tables.epoch;
  if (behind && !tables.closed) close(tables);
}

ControlAnswer remember(Tables& tables, const Remember& ask, const Step& step) {
  if (!tables.closed) return {Refused::moved};
  if (!tables.lives(step.incarnation)) return {Refused::ended};
  const bool ours = ask.mark.store == tables.id;
  tables.remembered = std::max(tables.remembered, ask.mark.time);
  if (ours) {
    tables.greatest = std::max(tables.greatest, ask.mark.epoch);
    tables.position = std::max(tables.position, ask.mark.position);
  }
  tables.nodes.at(step.incarnation).remembered = true;
  tables.note_node(step.incarnation);
  ControlAnswer answer;
  const Step remembering = step.as(Mover::remember);
  if (ours) end_again(tables, ask.gone, remembering);
  const auto put = [&](const Claim& claim, Fate fate) {
    tables.remembered = std::max(tables.remembered, std::min(claim.claimed_at, step.now));
    const bool known = ours && put_back(tables, claim, fate, remembering);
    if (!known) answer.unknown.push_back(claim.run);
    if (known && fate == Fate::runs) tables.confirm(claim.run);
  };
  for (const Claim& claim : ask.running) put(claim, Fate::runs);
  for (const Claim& claim : ask.ended) put(claim, Fate::ended);
  for (const Claim& claim : ask.begun) put(claim, Fate::unknown);
  return answer;
}

ControlAnswer open_epoch(Tables& tables, const OpenEpoch& ask, const Step& step) {
  if (!tables.closed || ask.closed != tables.epoch) return {Refused::moved};
  if (!tables.lives(step.incarnation)) return {Refused::ended};
  // Otherwise its lease of waiting was for another closing, which was forgotten as well.
  const NodeRow& asker = tables.nodes.at(step.incarnation);
  if (!asker.remembered || asker.node->beat < ask.beat) return {Refused::stale};
  begin_epoch(tables, step.as(Mover::remember));
  return {};
}

ControlAnswer adopt(Tables& tables, const Step& step) {
  const Step adopting = step.as(Mover::remember);
  tables.remembered = std::max(tables.remembered, step.now);
  for (auto& [incarnation, node] : tables.nodes) {
    if (!node.ended) end_node(tables, node, Reason::regressed, adopting);
  }
  begin_epoch(tables, adopting);
  return {};
}

}  // namespace cronce::embedded
