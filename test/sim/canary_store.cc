#include "test/sim/canary_store.h"

#include <algorithm>

#include "schedule/schedule.h"

namespace cronce::sim {

std::optional<JobRow> CanaryStore::job(JobUid uid) {
  for (const JobRow& row : all_jobs()) {
    if (row.uid == uid) return row;
  }
  return std::nullopt;
}

std::optional<Run> CanaryStore::row(const RunId& id) {
  RunFilter filter;
  filter.job = id.job;
  filter.from = filter.to = id.slot;
  for (const Run& run : found_runs(filter)) {
    if (run.id == id && !run.slot_to) return run;
  }
  return std::nullopt;
}

// ---- sequences
// -----------------------------------------------------------------------------------

WriteId CanaryStore::pass(const WriteId& id) {
  if (!is(Canary::sequence_unchecked)) return id;
  told_[++sequence_] = id.sequence;
  return {id.incarnation, id.lane, sequence_, 0, id.course};
}

/// Where a settling write does not carry on what it read, the next one reads only that it asked
/// nothing.
void CanaryStore::back(const WriteId& id, Before& before, bool empty) {
  if (is(Canary::sequence_unchecked) && before.sequence != 0)
    before.sequence = told_[before.sequence];
  const bool of_sweep = std::holds_alternative<std::vector<SweepAnswer>>(before.outcome);
  if (is(Canary::sweep_keeps_rows) && of_sweep) before.outcome = swept_[id.incarnation];
  if (!is(Canary::settle_not_carried)) return;
  if (settling_.contains(id.incarnation)) {
    before = {settling_[id.incarnation], DecideAnswers{}};
    settling_.erase(id.incarnation);
  }
  if (empty) settling_[id.incarnation] = id.sequence;
}

// ---- fences
// --------------------------------------------------------------------------------------

Fence CanaryStore::draw(JobUid job) {
  const std::uint64_t count = is(Canary::fence_stands_still) ? 1 : ++drawn_[job];
  return make_fence(Epoch{1}, count);
}

void CanaryStore::show(std::optional<Claim>& claim) {
  if (!claim || !renumbers()) return;
  const auto reserved = reserved_.find(claim->run);
  const Fence shown = reserved != reserved_.end() ? reserved->second : draw(claim->run.job);
  fences_[claim->run] = {shown, claim->fence};
  claim->fence = shown;
}

void CanaryStore::show_decided(const DecideAsk& ask, DecideAnswers& answers) {
  if (!renumbers()) return;
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    auto& runs = answers.entries[i].runs;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      show(runs[k].claim);
      const RunId id{ask.entries[i].job, Space::slot, ask.entries[i].runs[k].slot, "", Attempt{1}};
      const bool waits = runs[k].state == RunState::pending && is(Canary::fence_at_enqueue);
      if (waits) reserved_[id] = draw(id.job);
    }
  }
}

Fence CanaryStore::real(const RunId& run, Fence shown) const {
  const auto known = fences_.find(run);
  return known != fences_.end() && known->second.first == shown ? known->second.second : shown;
}

// ---- forgery
// -------------------------------------------------------------------------------------

Claim CanaryStore::forge(const WriteId& id, const RunId& run, Time due) {
  const auto known = job(run.job);
  const std::uint64_t count = known ? known->fence_count : 0;
  const Epoch epoch = inner_.open().value().epoch;
  return {run, id.incarnation,     make_fence(epoch, count + 1'000), "forged",
          due, stage_.clock.wall()};
}

void CanaryStore::forge_decided(const WriteId& id, const DecideAsk& ask, DecideAnswers& answers) {
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    const DecideEntry& entry = ask.entries[i];
    DecideAnswer& answer = answers.entries[i];
    if (answer.refused != Refused::moved || entry.runs.empty()) continue;
    answer.refused = Refused::none;
    for (const SlotToRun& run : entry.runs) {
      const RunId run_id{entry.job, Space::slot, run.slot, "", Attempt{1}};
      answer.runs.push_back({RunState::running, Reason::none, forge(id, run_id, run.due)});
    }
  }
}

void CanaryStore::forge_taken(const WriteId& id, std::span<const RunId> runs,
                              std::vector<TakeAnswer>& answers) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Refused refused = answers[i].refused;
    if (refused == Refused::gone && is(Canary::take_after_success)) {
      const auto ended = row(runs[i]);
      const bool superseded = ended && ended->reason == Reason::superseded;
      if (superseded) answers[i] = {Refused::none, forge(id, runs[i], stage_.clock.wall())};
    }
    const bool grants = (refused == Refused::gone && is(Canary::take_grants_twice)) ||
                        (refused == Refused::busy && is(Canary::take_ignores_live)) ||
                        (refused == Refused::paused && is(Canary::take_ignores_pause));
    if (grants) answers[i] = {Refused::none, forge(id, runs[i], stage_.clock.wall())};
  }
}

/// What no rule allows: the slot gets another attempt.
void CanaryStore::run_again(const RunId& run) {
  if (run.space != Space::slot) return;
  const WriteId id{Incarnation{{2, 2}}, 0, ++sequence_};
  static_cast<void>(inner_.control(id, BackfillSlot{run.job, run.slot, true}).ok());
}

// ---- the operations
// ------------------------------------------------------------------------------

Result<BeatAnswer> CanaryStore::beat(const BeatAsk& ask) {
  if (is(Canary::none)) return inner_.beat(ask);
  auto answer = inner_.beat(bend(ask));
  beaten_.insert_or_assign(ask.node.incarnation, ask.node);
  if (is(Canary::beat_after_end)) answer->refused = Refused::none;
  if (ended_.contains(ask.node.incarnation)) answer->refused = Refused::ended;
  std::erase_if(answer->nodes,
                [&](const Shared<Node>& node) { return ended_.contains(node->incarnation); });
  for (JobRow& row : answer->changed) {
    const Shared<Job>& first = first_told_.try_emplace(row.uid, row.definition).first->second;
    if (is(Canary::plan_without_definition)) row.definition = first;
    bend_row(row, ask);
  }
  for (Claim& claim : answer->held) {
    if (fences_.contains(claim.run)) claim.fence = fences_[claim.run].first;
  }
  return answer;
}

Result<Written<DecideAnswers>> CanaryStore::decide(const WriteId& id, const DecideAsk& ask) {
  if (is(Canary::none)) return inner_.decide(id, ask);
  const Duration ahead{is(Canary::decide_in_the_future) ? 5'000 : 0};
  std::vector<JobRow> paused;
  for (const PlanChange& change : ask.changes) {
    const auto* resume = std::get_if<ResumeJob>(&change);
    const auto known = resume != nullptr ? job(resume->job) : std::nullopt;
    if (known) paused.push_back(*known);
  }
  stage_.clock.step(ahead);
  auto written = inner_.decide(pass(id), bend(ask));
  stage_.clock.step(-ahead);
  if (!written) return written;
  back(id, written->before, ask.empty());
  answer_hidden(ask, written->answer);
  if (is(Canary::decide_grants_twice)) forge_decided(id, ask, written->answer);
  forge_settled(id, ask, written->answer);
  if (is(Canary::until_caught_up)) {
    for (const JobRow& row : paused) catch_up_pause(row);
  }
  if (is(Canary::pause_enqueues)) enqueue_paused(ask, written->answer);
  show_decided(ask, written->answer);
  return written;
}

Result<Written<std::vector<TakeAnswer>>> CanaryStore::take(const WriteId& id,
                                                           std::span<const RunId> runs) {
  auto written = inner_.take(pass(id), runs);
  if (!written) return written;
  back(id, written->before);
  forge_taken(id, runs, written->answer);
  for (TakeAnswer& answer : written->answer) show(answer.claim);
  return written;
}

Result<Written<std::vector<FinishAnswer>>> CanaryStore::finish(const WriteId& id,
                                                               std::span<const FinishEntry> ends) {
  if (is(Canary::none)) return inner_.finish(id, ends);
  std::vector<FinishEntry> bent(ends.begin(), ends.end());
  std::vector<RunId> again;
  for (FinishEntry& end : bent) {
    end.fence = real(end.run, end.fence);
    const auto known = row(end.run);
    if (!known) continue;
    if (is(Canary::stale_finish_counts) && known->fence) {
      end.fence = *known->fence;
      end.incarnation = *known->incarnation;
    }
    const bool late = known->state == RunState::lost && is(Canary::late_finish_retries);
    const bool said = is_ended(known->state) && known->state != RunState::lost &&
                      is(Canary::repeated_finish_retries);
    if (late || said) again.push_back(end.run);
  }
  auto written = inner_.finish(pass(id), bent);
  if (!written) return written;
  back(id, written->before);
  for (const RunId& run : again) run_again(run);
  return written;
}

Result<Written<std::vector<SweepAnswer>>> CanaryStore::sweep(const WriteId& id,
                                                             std::span<const SweepEntry> nodes) {
  if (is(Canary::none)) return inner_.sweep(id, nodes);
  std::vector<SweepEntry> bent(nodes.begin(), nodes.end());
  std::vector<SweepAnswer> kept;
  for (SweepEntry& entry : bent) {
    for (const Node& node : all_nodes()) {
      if (node.incarnation != entry.incarnation) continue;
      if (is(Canary::sweep_ignores_beat)) entry.beat = node.beat;
      const bool ends = node.beat == entry.beat && is(Canary::sweep_keeps_rows);
      if (ends) ended_.insert(entry.incarnation);
    }
    kept.push_back({ended_.contains(entry.incarnation), 0});
  }
  if (is(Canary::sweep_keeps_rows)) bent.clear();
  std::map<JobUid, Time> floors;
  for (const JobRow& row : all_jobs()) floors[row.uid] = row.floor;
  auto written = inner_.sweep(pass(id), bent);
  if (!written) return written;
  back(id, written->before);
  if (is(Canary::sweep_keeps_rows)) written->answer = swept_[id.incarnation] = kept;
  for (const JobRow& row : all_jobs()) {
    const bool purged = is(Canary::purge_reopens) && floors[row.uid] < row.floor;
    if (purged) run_again({row.uid, Space::slot, row.floor, "", Attempt{1}});
  }
  return written;
}

/// What the set says is not what is stored.
JobToRegister CanaryStore::bend(JobToRegister entry) {
  Job& bent = entry.job.edit();
  if (is(Canary::policy_lost)) bent.overlap = Overlap::allow;
  if (is(Canary::group_lost)) bent.concurrency.reset();
  if (is(Canary::lost_reruns)) bent.on_lost = OnLost::rerun;
  if (!is(Canary::both_schedules)) return entry;
  for (const JobRow& row : all_jobs()) {
    const auto& old = row.definition->schedule;
    const bool changes = row.definition->name == bent.name && !(old == bent.schedule);
    if (!changes || !entry.next || old.elements.size() > 1) continue;
    for (const ElementSpec& element : old.elements) bent.schedule.elements.push_back(element);
    const auto schedule = Schedule::build(bent.schedule);
    if (!schedule) return entry;
    entry.next = schedule->first_after(entry.base);
  }
  return entry;
}

Result<Written<RegisterAnswer>> CanaryStore::enroll(const WriteId& id, const RegisterAsk& ask) {
  if (is(Canary::none)) return inner_.enroll(id, ask);
  RegisterAsk bent = ask;
  for (JobToRegister& entry : bent.jobs) entry = bend(entry);
  if (is(Canary::owing_dropped)) retire_dropped(ask);
  auto written = inner_.enroll(pass(id), bent);
  if (!written) return written;
  back(id, written->before);
  if (is(Canary::offer_at_next_beat)) take_offer_back(id, ask);
  for (DecideAnswer& answer : written->answer.settled) {
    for (SlotOutcome& run : answer.runs) show(run.claim);
  }
  return written;
}

Result<Written<ControlAnswer>> CanaryStore::control(const WriteId& id, const ControlAsk& ask) {
  if (is(Canary::none)) return inner_.control(id, ask);
  const auto* resume = std::get_if<ResumeJob>(&ask);
  const auto before =
      resume != nullptr && is(Canary::pause_caught_up) ? job(resume->job) : std::nullopt;
  auto written = inner_.control(pass(id), bend(ask));
  if (!written) return written;
  back(id, written->before);
  if (before) catch_up_pause(*before);
  return written;
}

Result<Written<OnceAnswer>> CanaryStore::once(const WriteId& id, const OnceAsk& ask) {
  auto written = inner_.once(pass(id), ask);
  const bool forges = is(Canary::key_granted_twice) && std::holds_alternative<BeginKey>(ask);
  if (!written || !forges || written->answer.refused != Refused::busy) return written;
  written->answer.refused = Refused::none;
  written->answer.fence = make_fence(inner_.open().value().epoch, 1'000 + ++key_fences_);
  return written;
}

Result<std::vector<Run>> CanaryStore::runs(const RunFilter& filter) {
  auto found = inner_.runs(filter);
  for (Run& run : *found) {
    if (fences_.contains(run.id)) run.fence = fences_[run.id].first;
  }
  if (is(Canary::slots_lost)) {
    std::erase_if(*found,
                  [](const Run& run) { return run.slot_to && run.reason == Reason::missed; });
  }
  if (is(Canary::owing_dropped)) {
    std::erase_if(*found,
                  [](const Run& run) { return run.slot_to && run.reason == Reason::retired; });
  }
  return found;
}

}  // namespace cronce::sim
