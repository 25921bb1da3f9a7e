// The engine's lane: one write at a time, and what its answers mean.
#include <algorithm>
#include <utility>

#include "engine/cluster_clock.h"
#include "engine/engine.h"
#include "model/pending_order.h"

namespace cronce {

namespace {

/// What must be known of a write to understand its answer: all of it, but for what a file defines.
WriteAsk without_definitions(const WriteAsk& ask) {
  const auto* set = std::get_if<RegisterAsk>(&ask);
  if (set == nullptr) return ask;
  return RegisterAsk{set->source, set->digest, set->generation, {}, set->settle};
}

}  // namespace

/// The course of who does not doubt is what it can be at most when the write arrives: a step of the
/// store's clock that nobody has noticed yet must not put anything off for years. Who believes no
/// time yet goes by its wall clock.
void Engine::send(WriteAsk ask, const Now& now) {
  const Duration slack = now.doubted ? Duration{0} : settings_.lease.answer_timeout + kSmallStep;
  std::optional<Time> course = now.timeless ? now.wall : now.cluster;
  if (course) *course += slack;
  flight_ = Flight{++sequence_, without_definitions(ask), course};
  actions_.push_back(SendWrite{{incarnation_, 0, sequence_, answered_, course}, std::move(ask)});
}

/// Nothing is asked before the first beat was answered, and nothing that could start something
/// without trust.
void Engine::write_if_free(const Now& now) {
  if (flight_ || members_.all().empty()) return;
  if (unknown_) {
    if (now.boot >= retry_at_) send(DecideAsk{}, now);
    return;
  }
  if (leaving_ == Leaving::waiting) return;
  if (closed_since_) return write_while_closed(now);
  const Due due = can_judge(now) ? ready(wakes_, &Watched::wake, now) : Due{};
  for (std::size_t i = 0; i < kErrands; ++i) {
    const std::size_t errand = (next_errand_ + i) % kErrands;
    if (auto ask = compose(static_cast<Errand>(errand), due, now)) {
      next_errand_ = errand + 1;
      return send(*std::move(ask), now);
    }
  }
  next_errand_ = 0;
  look_later(due, now);
}

std::optional<WriteAsk> Engine::compose(Errand errand, const Due& due, const Now& now) {
  if (now.timeless || (errand != Errand::ends && !trusts(now))) return std::nullopt;
  const auto unless_empty = [](auto ask) -> std::optional<WriteAsk> {
    if (ask.empty()) return std::nullopt;
    return ask;
  };
  switch (errand) {
    case Errand::ends:
      if (now.boot < ends_at_) return std::nullopt;
      return unless_empty(compose_finish());
    case Errand::files:
      if (const Offer* offer = offer_to_register(now)) return compose_register(*offer);
      return std::nullopt;
    case Errand::sweeps:
      return unless_empty(compose_sweep(now));
    case Errand::slots:
      return unless_empty(compose_decide(due, now));
    case Errand::takes:
      return unless_empty(compose_take(now));
    case Errand::purge:
      if (is_time_to_purge(now)) return std::vector<SweepEntry>{};
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<FinishEntry> Engine::compose_finish() const {
  std::vector<FinishEntry> ends;
  for (const auto& [id, end] : ends_) {
    if (ends.size() == kMostEntries) break;
    ends.push_back(end);
  }
  return ends;
}

/// Who is silent, once for each answer of a beat.
std::vector<SweepEntry> Engine::compose_sweep(const Now& now) {
  if (has_swept_) return {};
  std::vector<SweepEntry> silent = members_.to_sweep();
  if (silent.empty()) return {};
  has_swept_ = true;
  purge_at_ = now.boot + kPurgeGap;
  return silent;
}

bool Engine::is_time_to_purge(const Now& now) {
  const bool first = !purge_at_;
  if (!first && now.boot < *purge_at_) return false;
  purge_at_ = now.boot + kPurgeGap;
  return !first;
}

/// What was due but gave nothing to ask must not wake the engine again at once.
void Engine::look_later(const Due& due, const Now& now) {
  for (Watched* job : due) schedule_wake(*job, now.cluster + kPatience);
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
  const Flight flight = *std::exchange(flight_, std::nullopt);
  store_time_ = std::min(event.store_time, flight.course.value_or(event.store_time));
  answered_ = event.sequence;
  if (mark_ && !closed_since_ && !now.doubted && !now.timeless) {
    mark_->time = std::max(mark_->time, store_time_);
  }
  settle_unknown(event.before, now);
  learn_outcome(flight.ask, event.outcome, now);
}

void Engine::settle_unknown(const Before& before, const Now& now) {
  if (!unknown_) return;
  const Flight flight = *std::exchange(unknown_, std::nullopt);
  if (before.sequence == flight.sequence) return learn_outcome(flight.ask, before.outcome, now);
  // It was never applied and never will be. What it wanted is wanted still.
  if (leaving_ == Leaving::waiting) leaving_ = Leaving::handing_over;
}

void Engine::learn_outcome(const WriteAsk& ask, const Outcome& outcome, const Now& now) {
  if (const auto* decide = std::get_if<DecideAsk>(&ask)) {
    if (const auto* answers = std::get_if<DecideAnswers>(&outcome)) decided(*decide, *answers, now);
  } else if (const auto* runs = std::get_if<std::vector<RunId>>(&ask)) {
    took(*runs, std::get<std::vector<TakeAnswer>>(outcome), now);
  } else if (const auto* ends = std::get_if<std::vector<FinishEntry>>(&ask)) {
    finished(*ends, std::get<std::vector<FinishAnswer>>(outcome), now);
  } else if (const auto* sweeps = std::get_if<std::vector<SweepEntry>>(&ask)) {
    swept(*sweeps, std::get<std::vector<SweepAnswer>>(outcome));
  } else if (const auto* set = std::get_if<RegisterAsk>(&ask)) {
    registered(*set, std::get<RegisterAnswer>(outcome), now);
  } else if (std::holds_alternative<Remember>(ask)) {
    remembered(std::get<ControlAnswer>(outcome), now);
  } else {
    beat_wanted_ = true;  // the next epoch is open, by us or by somebody else
    closed_at_ = now.boot + kPatience;
  }
}

void Engine::decided(const DecideAsk& ask, const DecideAnswers& answers, const Now& now) {
  for (std::size_t i = 0; i < answers.entries.size(); ++i) {
    decided(ask.entries[i], answers.entries[i], now);
  }
  for (std::size_t i = 0; i < answers.lapses.size(); ++i) {
    const auto job = jobs_.find(ask.lapses[i].run.job);
    if (job == jobs_.end()) continue;
    const Refused refused = answers.lapses[i];
    if (refused == Refused::none || refused == Refused::gone) {
      std::erase_if(job->second.row.pending,
                    [&](const PendingRun& p) { return p.id == ask.lapses[i].run; });
    }
    schedule_wake(job->second, now.cluster + kPatience);
  }
  for (std::size_t i = 0; i < answers.changes.size(); ++i) {
    changed(ask.changes[i], answers.changes[i], now);
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
      now_live(row, id, outcome.claim->fence);
      accept(*outcome.claim, now);
    } else if (outcome.state == RunState::pending) {
      const PendingRun waits{id, RunKind::scheduled, entry.runs[i].due, false};
      row.pending.insert(
          std::upper_bound(row.pending.begin(), row.pending.end(), waits, taken_before), waits);
      beat_wanted_ = true;
    }
  }
  schedule_wake(known->second, granted ? kMinTime : now.cluster + kPatience);
}

/// What came of it is told by a beat, with the job's row.
void Engine::changed(const PlanChange& change, Refused refused, const Now& now) {
  beat_wanted_ = true;
  change_at_ = now.boot + kPatience;
  if (const auto* resume = std::get_if<ResumeJob>(&change)) {
    const auto job = jobs_.find(resume->job);
    if (job != jobs_.end()) schedule_wake(job->second, now.cluster + kPatience);
  } else if (const auto* end = std::get_if<EndMember>(&change)) {
    const auto absent = absent_.find(end->job);
    if (absent != absent_.end()) absent->second = now.boot + kAskAgain;
    const bool again = refused == Refused::moved || refused == Refused::future;
    const bool over = !again && refused != Refused::closed;
    if (over) std::erase_if(own_members_, [&](const auto& own) { return own.second == end->job; });
  } else if (const auto* boot = std::get_if<StartAtBoot>(&change)) {
    if (refused == Refused::none || refused == Refused::moved) booted_.insert(boot->job);
  }
}

void Engine::finished(const std::vector<FinishEntry>& ends,
                      const std::vector<FinishAnswer>& answers, const Now& now) {
  beat_wanted_ = true;  // a retry, or the next slot of `after`, may have come of it
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (answers[i].refused == Refused::closed) {
      ends_at_ = now.boot + kPatience;
      continue;
    }
    const FinishEntry& end = ends[i];
    ends_.erase(end.run);
    actions_.push_back(EndStored{end.run, end.fence});
    if (answers[i].refused == Refused::stale) tell_for_second_claim(end);
    const auto known = jobs_.find(end.run.job);
    if (known == jobs_.end()) continue;
    JobRow& row = known->second.row;
    no_longer_live(row, end.run);
    known->second.free_since = now.cluster;
    schedule_wake(known->second, kMinTime);
  }
}

/// The claim by which it began was forgotten, and there was another one since.
void Engine::tell_for_second_claim(const FinishEntry& end) {
  const auto recent = recent_.find(end.run);
  if (recent == recent_.end() || recent->second.claim.fence <= end.fence) return;
  if (running_.contains(end.run)) return;  // that one will end
  ends_[end.run] = known_end(recent->second.claim);
}

void Engine::swept(const std::vector<SweepEntry>& entries,
                   const std::vector<SweepAnswer>& answers) {
  if (entries.empty()) return;
  beat_wanted_ = true;
  const bool self = entries.size() == 1 && entries.front().incarnation == incarnation_;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!answers[i].ended) continue;
    members_.forget(entries[i].incarnation);
    note_gone({entries[i].incarnation});
  }
  if (!self) return;
  if (!answers.front().ended) {  // a beat came between: the next one's answer tells the number
    leaving_ = Leaving::handing_over;
    return;
  }
  leaving_ = Leaving::gone;
  actions_.push_back(Left{});
}

}  // namespace cronce
