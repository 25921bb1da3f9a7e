// Planted bugs of epochs, plans, members, clocks and deploys: how what is asked or told is bent.
#include <algorithm>

#include "schedule/schedule.h"
#include "test/sim/canary_store.h"
#include "test/sim/zones.h"

namespace cronce::sim {

/// What a beat tells the store.
BeatAsk CanaryStore::bend(BeatAsk ask) const {
  if (is(Canary::epoch_stays_open)) {
    ask.mark.reset();
    ask.granted = Beat{};
  }
  const auto before = beaten_.find(ask.node.incarnation);
  if (is(Canary::offer_at_next_beat) && before != beaten_.end()) {
    ask.node.digests = before->second.digests;
  }
  if (is(Canary::older_repoints) && ask.node.zone_data == kOldZones) ask.node.zone_data = "9999";
  return ask;
}

/// What a node is told of a job.
void CanaryStore::bend_row(JobRow& row, const BeatAsk& ask) {
  if (is(Canary::older_repoints) && ask.node.zone_data == kOldZones) row.pointed_by = {};
  if (is(Canary::share_run_by_others) && row.whole) row.member = ask.node.name;
  if (is(Canary::until_never_ends) && row.pause) row.pause->until.reset();
  if (is(Canary::zone_data_ignored)) row.pointed_by = Knowledge{"9999", "9999"};
}

/// What a person, or a node that remembers, asks.
ControlAsk CanaryStore::bend(ControlAsk ask) {
  if (const auto* pause = std::get_if<PauseJob>(&ask)) {
    paused_at_.insert_or_assign(pause->job, stage_.clock.wall());
  }
  if (auto* remember = std::get_if<Remember>(&ask)) {
    if (is(Canary::remembered_runs_again)) remember->mark.time = kMinTime;
    if (is(Canary::ended_live_again)) remember->gone.clear();
    if (is(Canary::claims_not_put_back)) {
      remember->running.clear();
      remember->ended.clear();
      remember->begun.clear();
    }
  }
  if (auto* exec = std::get_if<ExecSlot>(&ask); exec != nullptr && is(Canary::exec_clock_ignored)) {
    exec->wall = stage_.clock.wall();
  }
  if (auto* backfill = std::get_if<BackfillSlot>(&ask)) {
    backfill->again = backfill->again || is(Canary::backfill_of_what_ran);
  }
  return ask;
}

/// What the store never sees of a write.
DecideAsk CanaryStore::bend(DecideAsk ask) const {
  std::erase_if(ask.entries, [&](const DecideEntry& entry) { return is_hidden(entry); });
  std::erase_if(ask.changes, [&](const PlanChange& change) { return is_hidden(change); });
  return ask;
}

bool CanaryStore::is_hidden(const DecideEntry& entry) const {
  return is(Canary::slot_put_off) && stage_.calm &&
         entry.from > stage_.clock.wall() - Duration{5'000};
}

bool CanaryStore::is_hidden(const PlanChange& change) const {
  return is(Canary::share_not_joined) && std::holds_alternative<JoinMember>(change);
}

/// And what the asker is told of it: not yet, and yes.
void CanaryStore::answer_hidden(const DecideAsk& ask, DecideAnswers& answers) const {
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    if (!is_hidden(ask.entries[i])) continue;
    DecideAnswer later;
    later.refused = Refused::future;
    answers.entries.insert(answers.entries.begin() + static_cast<std::ptrdiff_t>(i), later);
  }
  for (std::size_t i = 0; i < ask.changes.size(); ++i) {
    if (!is_hidden(ask.changes[i])) continue;
    answers.changes.insert(answers.changes.begin() + static_cast<std::ptrdiff_t>(i), Refused::none);
  }
}

/// A slot that has a row already, or that belongs to another node, is granted to who asked.
void CanaryStore::forge_settled(const WriteId& id, const DecideAsk& ask, DecideAnswers& answers) {
  if (!is(Canary::exec_row_ignored) && !is(Canary::share_run_by_others)) return;
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    const auto known = job(ask.entries[i].job);
    auto& runs = answers.entries[i].runs;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const SlotToRun& slot = ask.entries[i].runs[k];
      const RunId run{ask.entries[i].job, Space::slot, slot.slot, "", Attempt{1}};
      const auto record = row(run);
      const bool by_exec =
          is(Canary::exec_row_ignored) && !runs[k].claim && record && record->kind == RunKind::exec;
      const bool others = is(Canary::share_run_by_others) && known && known->whole &&
                          runs[k].state == RunState::pending;
      if (by_exec || others) {
        runs[k] = {RunState::running, Reason::none, forge(id, run, slot.due)};
      }
    }
  }
}

/// What the pause covered runs after all.
void CanaryStore::catch_up_pause(const JobRow& before) {
  const auto since = paused_at_.find(before.uid);
  if (since == paused_at_.end()) return;
  const auto schedule = Schedule::build(before.definition->schedule, zones_of(kNewZones));
  for (const Time slot : schedule->slots(since->second, stage_.clock.wall(), 3)) {
    run_again({before.uid, Space::slot, slot, "", Attempt{1}});
  }
}

/// What is settled in a pause may still run when it is over.
void CanaryStore::enqueue_paused(const DecideAsk& ask, const DecideAnswers& answers) {
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    if (answers.entries[i].refused != Refused::none) continue;
    for (const SkippedRange& range : ask.entries[i].skipped) {
      if (range.reason != Reason::paused) continue;
      run_again({ask.entries[i].job, Space::slot, range.to, "", Attempt{1}});
    }
  }
}

/// A job that is not in the set any more goes at once, whatever it owes.
void CanaryStore::retire_dropped(const RegisterAsk& ask) {
  for (const JobRow& row : all_jobs()) {
    const bool ours = row.sources->size() == 1 && row.sources->contains(ask.source) && !row.whole;
    const bool stays = std::any_of(ask.jobs.begin(), ask.jobs.end(), [&](const auto& entry) {
      return entry.job->name == row.definition->name || entry.job->was == row.definition->name;
    });
    if (!ours || stays || row.sources->begin()->second == ask.digest) continue;
    const WriteId id{Incarnation{{2, 2}}, 0, ++sequence_, 0, std::nullopt};
    static_cast<void>(inner_.control(id, RetireJob{row.uid, 0}).ok());
  }
}

/// Others do not see what the asker offers before it has beaten once more.
void CanaryStore::take_offer_back(const WriteId& id, const RegisterAsk& ask) {
  const auto told = beaten_.find(id.incarnation);
  if (told == beaten_.end() || !told->second.digests.contains(ask.source)) return;
  MemoryStore::Image image = memory_.image();
  const auto node = image.nodes.find(id.incarnation);
  if (node == image.nodes.end()) return;
  Node before = *node->second.node;
  before.digests = told->second.digests;
  node->second.node = before;
  memory_.put_back(std::move(image), false);
}

}  // namespace cronce::sim
