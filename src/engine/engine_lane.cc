// The engine's lane: one write at a time, made of all that is wanted at that moment.
#include <algorithm>

#include "engine/engine.h"

namespace cronce {
namespace {

/// A job that was refused is looked at again after this, unless a beat brings news first.
constexpr Duration kPatience{300};

}  // namespace

void Engine::send(WriteAsk ask) {
  flight_ = Flight{++sequence_, std::move(ask)};
  actions_.push_back(SendWrite{{incarnation_, 0, sequence_}, flight_->ask});
}

/// Ends first: they free what others wait for. Nothing is asked before the first beat was answered,
/// and nothing that could start something without trust.
void Engine::write_if_free(const Now& now) {
  if (flight_ || members_.nodes().empty()) return;
  if (unknown_) {
    if (now.boot >= retry_at_) send(DecideAsk{});
    return;
  }
  if (leaving_ == Leaving::waiting) return;
  if (!ends_.empty()) {
    std::vector<FinishEntry> ends;
    for (const auto& [id, end] : ends_) ends.push_back(end);
    return send(std::move(ends));
  }
  if (!trusts(now)) return;
  const bool registers = to_register_ && leaving_ == Leaving::no && now.boot >= register_at_;
  if (registers) return send(compose_register());
  if (auto sweeps = members_.to_sweep(); !sweeps.empty()) return send(std::move(sweeps));
  if (auto decide = compose_decide(now); !decide.entries.empty() || !decide.lapses.empty()) {
    return send(std::move(decide));
  }
  if (auto runs = compose_take(now); !runs.empty()) return send(std::move(runs));
  look_later(now);
}

/// What was due but gave nothing to ask must not wake the engine again at once.
void Engine::look_later(const Now& now) {
  std::vector<JobUid> due;
  for (const auto& [wake, uid] : wakes_) {
    if (wake > now.cluster) break;
    due.push_back(uid);
  }
  for (const JobUid uid : due) schedule_wake(jobs_.at(uid), now.cluster + kPatience);
}

void Engine::on(const WriteUnanswered& event, const Now& now) {
  if (!flight_ || flight_->sequence != event.sequence) return;
  // While one is unknown only empty writes are sent, and those need not be remembered.
  if (!unknown_) unknown_ = std::move(flight_);
  flight_.reset();
  retry_at_ = now.boot + kPatience;
}

void Engine::on(const WriteAnswered& event, const Now& now) {
  if (!flight_ || flight_->sequence != event.sequence) return;  // settled by a later one already
  store_time_ = event.store_time;
  const Flight flight = *std::exchange(flight_, std::nullopt);
  settle_unknown(event.before, now);
  learn_outcome(flight.ask, event.outcome, event.store_time, now);
}

void Engine::settle_unknown(const Before& before, const Now& now) {
  if (!unknown_) return;
  const Flight flight = *std::exchange(unknown_, std::nullopt);
  // Another sequence: it was never applied and never will be. What it wanted is wanted still.
  if (before.sequence == flight.sequence)
    learn_outcome(flight.ask, before.outcome, store_time_, now);
}

void Engine::learn_outcome(const WriteAsk& ask, const Outcome& outcome, Time store_time,
                           const Now& now) {
  if (const auto* decide = std::get_if<DecideAsk>(&ask)) {
    if (const auto* answers = std::get_if<DecideAnswers>(&outcome)) decided(*decide, *answers, now);
  } else if (const auto* runs = std::get_if<std::vector<RunId>>(&ask)) {
    took(*runs, std::get<std::vector<TakeAnswer>>(outcome), now);
  } else if (const auto* ends = std::get_if<std::vector<FinishEntry>>(&ask)) {
    finished(*ends);
  } else if (const auto* sweeps = std::get_if<std::vector<SweepEntry>>(&ask)) {
    swept(*sweeps, std::get<std::vector<SweepAnswer>>(outcome));
  } else if (const auto* set = std::get_if<RegisterAsk>(&ask)) {
    registered(*set, std::get<RegisterAnswer>(outcome), store_time, now);
  }
}

void Engine::decided(const DecideAsk& ask, const DecideAnswers& answers, const Now& now) {
  for (std::size_t i = 0; i < answers.entries.size(); ++i) {
    decided(ask.entries[i], answers.entries[i], now);
  }
  for (std::size_t i = 0; i < answers.lapses.size(); ++i) {
    const auto job = jobs_.find(ask.lapses[i].run.job);
    if (job == jobs_.end()) continue;
    if (answers.lapses[i] == Refused::none) {
      std::erase_if(job->second.row.pending,
                    [&](const PendingRun& p) { return p.id == ask.lapses[i].run; });
    }
    schedule_wake(job->second, now.cluster + kPatience);
  }
}

void Engine::decided(const DecideEntry& entry, const DecideAnswer& answer, const Now& now) {
  const auto known = jobs_.find(entry.job);
  if (known == jobs_.end()) return;
  JobRow& row = known->second.row;
  // A plan that somebody else moved may follow another definition: it comes with its job's row, by
  // a beat.
  const bool granted = answer.refused == Refused::none;
  if (granted && answer.plan.turn > row.plan.turn) row.plan = answer.plan;
  if (!granted) beat_wanted_ = true;
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    const SlotOutcome& outcome = answer.runs[i];
    const RunId id{row.uid, Space::slot, entry.runs[i].slot, "", Attempt{1}};
    if (outcome.claim) {
      row.live.push_back({id, incarnation_, outcome.claim->fence});
      accept(*outcome.claim, now);
    } else if (outcome.state == RunState::pending) {
      row.pending.push_back({id, RunKind::scheduled, entry.runs[i].due, false});
      beat_wanted_ = true;
    }
  }
  schedule_wake(known->second, granted ? kMinTime : now.cluster + kPatience);
}

void Engine::took(const std::vector<RunId>& runs, const std::vector<TakeAnswer>& answers,
                  const Now& now) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto known = jobs_.find(runs[i].job);
    if (known == jobs_.end()) continue;
    JobRow& row = known->second.row;
    if (answers[i].claim) {
      std::erase_if(row.pending, [&](const PendingRun& p) { return p.id == runs[i]; });
      row.live.push_back({runs[i], incarnation_, answers[i].claim->fence});
      accept(*answers[i].claim, now);
    } else if (answers[i].refused == Refused::gone) {
      std::erase_if(row.pending, [&](const PendingRun& p) { return p.id == runs[i]; });
    }
    // Who waits for a place waits for news of it, which come by beats.
    const bool waits = answers[i].refused == Refused::full || answers[i].refused == Refused::busy;
    schedule_wake(known->second, now.cluster + (waits ? settings_.lease.beat : kPatience));
  }
}

void Engine::finished(const std::vector<FinishEntry>& ends) {
  for (const FinishEntry& end : ends) {
    ends_.erase(end.run);
    const auto known = jobs_.find(end.run.job);
    if (known == jobs_.end()) continue;
    std::erase_if(known->second.row.live, [&](const LiveRun& live) { return live.id == end.run; });
    schedule_wake(known->second, kMinTime);
  }
  beat_wanted_ = true;  // a retry, or the next slot of `after`, may have come of it
}

void Engine::swept(const std::vector<SweepEntry>& entries,
                   const std::vector<SweepAnswer>& answers) {
  beat_wanted_ = true;
  const bool self = entries.size() == 1 && entries.front().incarnation == incarnation_;
  if (!self) return;
  if (!answers.front().ended) {  // a beat came between: the next one's answer tells the number
    leaving_ = Leaving::handing_over;
    return;
  }
  leaving_ = Leaving::gone;
  actions_.push_back(Left{});
}

void Engine::registered(const RegisterAsk& ask, const RegisterAnswer& answer, Time,
                        const Now& now) {
  for (std::size_t i = 0; i < answer.settled.size(); ++i)
    decided(ask.settle[i], answer.settled[i], now);
  owing_.clear();
  if (answer.registered == Registered::owing) owing_ = answer.jobs;
  const bool again =
      answer.registered == Registered::owing || answer.registered == Registered::early;
  // What was superseded may come back when nobody alive offers its successor any more.
  const bool superseded = answer.registered == Registered::superseded;
  register_at_ = now.boot + (superseded ? settings_.lease.beat : kPatience);
  if (!again && !superseded) to_register_ = false;
  beat_wanted_ = true;
}

/// A claim without the trust to start is given back: it was never handed to the keeper.
void Engine::accept(const Claim& claim, const Now& now) {
  if (running_.contains(claim.run) || ends_.contains(claim.run)) return;
  const auto known = jobs_.find(claim.run.job);
  const bool may_start = trusts(now) && leaving_ == Leaving::no && known != jobs_.end() &&
                         claim.incarnation == incarnation_;
  if (!may_start) {
    FinishEntry end;
    end.run = claim.run;
    end.fence = claim.fence;
    end.incarnation = claim.incarnation;
    end.state = RunState::returned;
    ends_[claim.run] = end;
    return;
  }
  running_[claim.run] = {claim, std::nullopt, false};
  actions_.push_back(StartRun{claim, *known->second.row.definition});
}

}  // namespace cronce
