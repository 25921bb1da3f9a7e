// What a host does with the orders of its engine: calls to the store, and words to the keeper.
#include <utility>

#include "test/sim/host.h"

namespace cronce::sim {

// ------------------------------------------------------------------------------

void Host::perform(const SendBeat& action) {
  const Fate fate = link.draw(stage_);
  const Duration asked = boot();
  auto open = std::make_shared<bool>(true);
  const auto close = [this, open, life = life_](const Agenda::Deed& deed) {
    if (life != life_) return;
    in_process([this, open, life, deed] {
      if (life == life_ && std::exchange(*open, false)) deed();
    });
  };
  const auto arrive = [this, ask = std::make_shared<const BeatAsk>(action.ask), asked, close,
                       open](std::optional<Duration> way) {
    if (stage_.store_away) return;
    if (!*open) stage_.rare.saw(Rare::beat_late);
    const auto answer = std::make_shared<const BeatAnswer>(door_.beat(*ask));
    if (!way) return;
    stage_.agenda.after(*way, [this, answer, asked, close] {
      if (frozen_) stage_.rare.saw(Rare::frozen_with_answer);
      close([this, answer, asked] { answer_beat(*answer, asked); });
    });
  };
  if (fate.request) stage_.agenda.after(*fate.request, [arrive, fate] { arrive(fate.answer); });
  if (fate.again) {
    stage_.agenda.after(*fate.again, [this, arrive, fate] {
      stage_.rare.saw(Rare::beat_twice);
      arrive(fate.second_answer);
    });
  }
  stage_.agenda.at(clock.when(asked + stage_.lease.answer_timeout),
                   [this, close] { close([this] { feed(BeatUnanswered{}); }); });
}

void Host::answer_beat(const BeatAnswer& answer, Duration asked) {
  cluster_.saw(asked, boot(), answer);
  feed(BeatAnswered{stage_.canary == Canary::trust_from_arrival ? boot() : asked, answer});
}

void Host::perform(const SendWrite& action) {
  using Answer = std::optional<WriteAnswered>;
  const Fate fate = link.draw(stage_);
  auto open = std::make_shared<bool>(true);
  const auto asked = std::make_shared<const SendWrite>(action);
  const auto close = [this, open, life = life_,
                      asked](const std::shared_ptr<const Answer>& answer) {
    if (life != life_) return;
    in_process([this, open, life, answer, asked] {
      const bool first = life == life_ && std::exchange(*open, false);
      if (first) answer_write(*answer, asked->id.sequence, asked->ask);
    });
  };
  const auto arrive = [this, asked, close](std::optional<Duration> way) {
    if (stage_.store_away) return;
    const auto answer = std::make_shared<const Answer>(door_.write(asked->id, asked->ask));
    const bool claims = *answer && !claims_in((*answer)->outcome).empty();
    if (!way && claims) stage_.rare.saw(Rare::claim_answer_lost);
    if (way) stage_.agenda.after(*way, [answer, close] { close(answer); });
  };
  if (fate.request) stage_.agenda.after(*fate.request, [arrive, fate] { arrive(fate.answer); });
  if (fate.again) {
    stage_.agenda.after(*fate.again, [this, arrive, fate] {
      stage_.rare.saw(Rare::write_twice);
      arrive(fate.second_answer);
    });
  }
  stage_.agenda.at(clock.when(boot() + stage_.lease.answer_timeout),
                   [close] { close(std::make_shared<const Answer>()); });
}

void Host::answer_write(const std::optional<WriteAnswered>& answer, std::uint64_t sequence,
                        const WriteAsk& ask) {
  if (!answer) {
    if (!unanswered_) unanswered_ = sequence;
    if (const auto guess = guess_granted(sequence, ask)) return feed(*guess);
    return feed(WriteUnanswered{sequence});
  }
  learn(*answer, ask);
  forget_spooled(ask);
  WriteAnswered told = *answer;
  if (stage_.canary == Canary::unknown_is_lost) told.before = {};
  feed(told);
}

/// A planted bug: no answer is taken for yes.
std::optional<WriteAnswered> Host::guess_granted(std::uint64_t sequence,
                                                 const WriteAsk& ask) const {
  const auto* decide = std::get_if<DecideAsk>(&ask);
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
  return WriteAnswered{sequence, answers, {}, now().cluster};
}

void Host::learn(const WriteAnswered& answer, const WriteAsk& ask) {
  for (const Claim& claim : claims_in(answer.outcome)) stage_.witness.learned(claim);
  const auto* decide = std::get_if<DecideAsk>(&ask);
  const bool settles = decide != nullptr && decide->entries.empty() && decide->lapses.empty();
  if (!settles || !unanswered_) return;
  if (answer.before.sequence != *unanswered_) stage_.rare.saw(Rare::unknown_not_applied);
  for (const Claim& claim : claims_in(answer.before.outcome)) {
    if (answer.before.sequence == *unanswered_) stage_.rare.saw(Rare::claim_learned_late);
    stage_.witness.learned(claim);
  }
  unanswered_.reset();
}

void Host::forget_spooled(const WriteAsk& ask) {
  const auto* ends = std::get_if<std::vector<FinishEntry>>(&ask);
  if (ends == nullptr) return;
  for (const FinishEntry& end : *ends) spool_.erase(end.run);
}

/// Orders to the keeper keep their order; on a starved host they take their time.
void Host::pipe(Agenda::Deed deed) {
  const bool starved = !stage_.calm && stage_.rng.below(2'000) == 0;
  const Duration way = stage_.random(0, starved ? stage_.lease.lease.count() : 2);
  pipe_until_ = std::max(pipe_until_, stage_.now() + way);
  stage_.agenda.at(pipe_until_, std::move(deed));
}

void Host::perform(const StartRun& action) {
  pipe([keeper = keepers_.back(), action] { keeper->start(action.claim, action.job); });
}

void Host::perform(const StopRun& action) {
  stage_.rare.saw(action.reason == Reason::replaced ? Rare::stopped_for_replace
                                                    : Rare::cancelled_live);
  pipe([keeper = keepers_.back(), action] { keeper->stop(action.run, action.reason); });
}

void Host::perform(const TrustUntil& action) {
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
