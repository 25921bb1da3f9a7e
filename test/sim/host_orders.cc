// What a host does with the orders of its engine: calls to the store, and words to the keeper.
#include <utility>

#include "test/sim/host.h"

namespace cronce::sim {

// ---- calls to the store

template <class Ask>
void Host::send(const std::shared_ptr<Call<Ask>>& call) {
  const Fate fate = link.draw(stage_);
  if (fate.request) {
    stage_.agenda.after(*fate.request, [this, call, way = fate.answer] { arrive(call, way); });
  }
  if (fate.again) {
    stage_.agenda.after(*fate.again, [this, call, way = fate.second_answer] {
      stage_.rare.saw(std::is_same_v<Ask, BeatAsk> ? Rare::beat_twice : Rare::write_twice);
      arrive(call, way);
    });
  }
  give_up_at(clock.when(call->asked + stage_.lease.answer_timeout), call);
}

template <class Ask>
void Host::give_up_at(Duration time, const std::shared_ptr<Call<Ask>>& call) {
  stage_.agenda.at(time, [this, call] {
    if (call->open) in_process(call->life, [this, call] { give_up(call); });
  });
}

void Host::perform(SendBeat&& action) {
  send(std::make_shared<Call<BeatAsk>>(Call<BeatAsk>{std::move(action.ask), life_, boot()}));
}

void Host::arrive(const BeatCall& call, std::optional<Duration> way) {
  if (stage_.store_away) return;
  if (!call->open) stage_.rare.saw(Rare::beat_late);
  auto told = std::make_unique<BeatAnswer>(door_.beat(call->ask));
  if (!way) return;
  stage_.agenda.after(*way, [this, call, told = std::move(told), at = stage_.now()]() mutable {
    if (frozen_) stage_.rare.saw(Rare::frozen_with_answer);
    in_process(call->life,
               [this, call, told = std::move(told), at] { answer(call, std::move(*told), at); });
  });
}

void Host::answer(const BeatCall& call, BeatAnswer answer, Duration reached) {
  if (!std::exchange(call->open, false)) return;
  door_.heard(call->ask.node.incarnation, reached);
  stage_.witness.answered(reached, call->ask.node.incarnation);
  if (stage_.canary == Canary::doubt_ignored) {
    answer.clock_word = ++words_;
    answer.clock_word_at = answer.store_time;
  }
  cluster_.saw(call->asked, boot(), answer);
  const Duration since = stage_.canary == Canary::trust_from_arrival ? boot() : call->asked;
  feed(BeatAnswered{since, std::move(answer)});
}

void Host::give_up(const BeatCall& call) {
  if (std::exchange(call->open, false)) feed(BeatUnanswered{});
}

void Host::perform(const KeepMark& action) {
  mark_ = action.mark;
  claims_.insert(claims_.end(), action.claims.begin(), action.claims.end());
}

void Host::perform(SendWrite&& action) {
  send(std::make_shared<Call<SendWrite>>(Call<SendWrite>{std::move(action), life_, boot()}));
}

void Host::arrive(const WriteCall& call, std::optional<Duration> way) {
  if (stage_.store_away) return;
  auto told = door_.write(call->ask.id, call->ask.ask);
  if (told && !way) {
    for_each_claim(told->outcome, [&](const Claim&) { stage_.rare.saw(Rare::claim_answer_lost); });
  }
  if (!way) return;
  if (!told) return give_up_at(stage_.now() + *way, call);
  auto kept = std::make_unique<WriteAnswered>(*std::move(told));
  stage_.agenda.after(*way, [this, call, kept = std::move(kept), at = stage_.now()]() mutable {
    in_process(call->life,
               [this, call, kept = std::move(kept), at] { answer(call, std::move(*kept), at); });
  });
}

void Host::answer(const WriteCall& call, WriteAnswered answer, Duration reached) {
  if (!std::exchange(call->open, false)) return;
  stage_.witness.answered(reached, call->ask.id.incarnation);
  learn(answer, call->ask.ask);
  forget_spooled(call->ask.ask);
  if (stage_.canary == Canary::unknown_is_lost) answer.before = {};
  feed(std::move(answer));
}

void Host::give_up(const WriteCall& call) {
  if (!std::exchange(call->open, false)) return;
  const std::uint64_t sequence = call->ask.id.sequence;
  if (!unanswered_) unanswered_ = sequence;
  if (auto guess = guess_granted(call->ask)) return feed(*std::move(guess));
  feed(WriteUnanswered{sequence});
}

/// A planted bug: no answer is taken for yes.
std::optional<WriteAnswered> Host::guess_granted(const SendWrite& asked) const {
  const auto* decide = std::get_if<DecideAsk>(&asked.ask);
  if (stage_.canary != Canary::unknown_is_granted || decide == nullptr) return std::nullopt;
  DecideAnswers answers;
  for (const DecideEntry& entry : decide->entries) {
    DecideAnswer& answer = answers.entries.emplace_back();
    for (const SlotToRun& run : entry.runs) {
      const RunId id{entry.job, Space::slot, run.slot, "", Attempt{1}};
      const Claim claim{id,     engine_->incarnation(), make_fence(Epoch{1}, 1), "guessed", run.due,
                        run.due};
      answer.runs.push_back({RunState::running, Reason::none, claim});
    }
  }
  return WriteAnswered{asked.id.sequence, answers, {}, now().cluster};
}

void Host::learn(const WriteAnswered& answer, const WriteAsk& ask) {
  for_each_claim(answer.outcome, [&](const Claim& claim) { stage_.witness.learned(claim); });
  const auto* decide = std::get_if<DecideAsk>(&ask);
  const bool settles = decide != nullptr && decide->empty();
  if (!settles) return;
  const bool applied = unanswered_ == answer.before.sequence;
  if (unanswered_ && !applied) stage_.rare.saw(Rare::unknown_not_applied);
  for_each_claim(answer.before.outcome, [&](const Claim& claim) {
    if (applied) stage_.rare.saw(Rare::claim_learned_late);
    stage_.witness.learned(claim);
  });
  unanswered_.reset();
}

void Host::forget_spooled(const WriteAsk& ask) {
  const auto* ends = std::get_if<std::vector<FinishEntry>>(&ask);
  if (ends == nullptr) return;
  for (const FinishEntry& end : *ends) spool_.erase(end.run);
}

// ---- words to the keeper

/// Orders to the keeper keep their order; on a starved host they take their time.
void Host::pipe(Deed&& deed) {
  const bool starved = !stage_.calm && stage_.rng.below(2'000) == 0;
  const Duration way = stage_.random(0, starved ? stage_.lease.lease.count() : 2);
  pipe_until_ = std::max(pipe_until_, stage_.now() + way);
  stage_.agenda.at(pipe_until_, std::move(deed));
}

void Host::perform(StartRun&& action) {
  starters_.insert(action.claim.incarnation);
  pipe([keeper = keepers_.back(), order = std::make_shared<const StartRun>(std::move(action))] {
    keeper->start(order);
  });
}

void Host::perform(StopRun&& action) {
  stage_.rare.saw(action.reason == Reason::replaced ? Rare::stopped_for_replace
                                                    : Rare::cancelled_live);
  pipe([keeper = keepers_.back(), action] { keeper->stop(action.run, action.reason); });
}

void Host::perform(TrustUntil action) {
  pipe([keeper = keepers_.back(), action] { keeper->trust_until(action.boot); });
}

void Host::perform(const KillAll&) {
  pipe([keeper = keepers_.back()] { keeper->kill_all(); });
}

void Host::perform(const Left&) {
  stage_.agenda.after(Duration{0}, [this, life = life_] {
    if (life == life_) kill_process();
  });
}

void Host::ended(const FinishEntry& end) {
  spool_[end.run] = end;
  feed(RunEnded{end});
}

}  // namespace cronce::sim
