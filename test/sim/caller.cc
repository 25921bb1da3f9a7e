#include "test/sim/caller.h"

#include <utility>

namespace cronce::sim {
namespace {

Job job_of(const Errand& errand) {
  if (const auto* exec = std::get_if<ExecErrand>(&errand)) return exec->job;
  Job job{parse_job_name("once").value(), {}, ArgvCommand{{"./once"}}};
  job.kill_after = Duration{1'000};
  return job;
}

/// The report did not count: the store has forgotten something.
bool refused_as_closed(const Outcome& outcome) {
  if (const auto* ends = std::get_if<std::vector<FinishAnswer>>(&outcome)) {
    return !ends->empty() && ends->front().refused == Refused::closed;
  }
  const auto* once = std::get_if<OnceAnswer>(&outcome);
  return once != nullptr && once->refused == Refused::closed;
}

}  // namespace

Caller::Caller(Stage& stage, StoreDoor& door, const Link& link, const HostClock& clock,
               const std::string& name, Errand errand)
    : stage_(stage),
      door_(door),
      link_(link),
      clock_(clock),
      errand_(std::move(errand)),
      keeper_(
          stage, clock, name, [this](const FinishEntry& end) { ended(end); }, [](const RunId&) {}) {
  node_.name = name;
  node_.incarnation = Incarnation::random(stage.rng);
  node_.beat = Beat{1};
  node_.lease = stage.lease.lease;
  node_.schedules = node_.works = false;
}

// ---- what befalls it

void Caller::start() {
  started_ = boot();
  wall_ = clock_.wall(stage_.now());
  store_id_ = door_.id();
  beat();
  write_next();
}

void Caller::kill() {
  if (!goes()) return;
  if (stand_ == Stand::working) stage_.rare.saw(Rare::exec_died);
  dead_ = true;
}

void Caller::crash() {
  keeper_.crash();
  dead_ = true;
}

void Caller::pause() {
  paused_ = true;
  keeper_.pause();
}

void Caller::go_on() {
  paused_ = false;
  keeper_.go_on();
  for (Deed& deed : std::exchange(backlog_, {})) deed();
}

template <class Do>
void Caller::later(Duration at, Do what) {
  stage_.agenda.at(at, [self = shared_from_this(), what = std::move(what)]() mutable {
    if (!self->goes()) return;
    if (!self->paused_) return what();
    self->backlog_.push_back([caller = self.get(), what = std::move(what)]() mutable {
      if (caller->goes()) what();
    });
  });
}

// ---- calls to the store

/// Until it leaves: the number must stand still for the sweep of itself.
void Caller::beat() {
  if (refused_ || stand_ == Stand::leaving) return;
  later(clock_.when(boot() + stage_.lease.beat), [this] { beat(); });
  const Fate fate = link_.draw(stage_);
  ++node_.beat.value;
  if (!fate.request || !fate.answer) return;
  BeatAsk ask;
  ask.node = node_;
  ask.mark = mark_;
  if (mark_) ask.granted = granted_;
  const auto asked = boot();
  stage_.agenda.after(*fate.request, [self = shared_from_this(), ask, asked, way = *fate.answer] {
    if (self->stage_.store_away) return;
    const auto answer = std::make_shared<const BeatAnswer>(self->door_.beat(ask));
    self->later(self->stage_.now() + way,
                [caller = self.get(), answer, asked] { caller->answered(asked, *answer); });
  });
}

void Caller::trust_from(Duration asked) {
  trust_until_ = std::max(trust_until_, asked + trust_of(stage_.lease));
  keeper_.trust_until(trust_until_);
}

void Caller::answered(Duration asked, const BeatAnswer& answer) {
  if (answer.refused == Refused::ended) {
    refused_ = true;
    keeper_.kill_all();
    return;
  }
  granted_ = std::max(granted_, answer.beat);
  trust_from(asked);
  closed_ = answer.closed;
  remembered_ = answer.remembered;
  if (!closed_) keep_mark(answer);
  write_next();
}

/// No later than this is anything that it writes or believes. Who names no slot believes the first
/// time that it hears if that is not absurd.
Time Caller::latest() const {
  const bool is_new = !mark_ && !names_slot();
  return std::max(wall(), course()) + (is_new ? std::chrono::days{1} : kSkewBudget);
}

/// A clock that has leapt is none that a store should be told: its course goes on.
void Caller::keep_mark(const BeatAnswer& answer) {
  const Time time = answer.store_time <= latest() ? answer.store_time : course();
  mark_ = Mark{answer.store, answer.epoch, answer.position, time};
  marked_at_ = boot();
}

/// What it has to say; none: nothing now.
std::optional<Caller::Ask> Caller::next_ask() const {
  if (unknown_) return WriteAsk{DecideAsk{}};
  if (closed_) {
    if (remembered_ || !claim_ || claim_->run.job == JobUid{} || !mark_) return std::nullopt;
    Remember ask{*mark_, {}, {}};
    if (stage_.canary == Canary::leap_told) ask.mark.time += std::chrono::days{1};
    (stand_ == Stand::working ? ask.running : ask.ended).push_back(*claim_);
    return WriteAsk{std::move(ask)};
  }
  if (stand_ == Stand::asking) return errand_ask();
  if (stand_ == Stand::reporting) return report();
  if (stand_ != Stand::leaving || granted_ == Beat{}) return std::nullopt;
  return WriteAsk{std::vector<SweepEntry>{{node_.incarnation, granted_}}};
}

void Caller::write_next() {
  const bool needs_life = !names_slot() && granted_ == Beat{};
  if (!goes() || in_flight_ || needs_life || stage_.now() < not_before_) return;
  if (const auto ask = next_ask()) send(*ask);
}

void Caller::send(const Ask& ask) {
  WriteId id{node_.incarnation, 0, ++sequence_, answered_, latest()};
  in_flight_ = sequence_;
  const Fate fate = link_.draw(stage_);
  const auto arrive = [self = shared_from_this(), id, ask](std::optional<Duration> way) {
    if (self->stage_.store_away) return;
    auto told = std::visit([&](const auto& one) { return self->door_.write(id, one); }, ask);
    if (!told || !way) return;
    const auto answer = std::make_shared<const WriteAnswered>(*std::move(told));
    self->later(self->stage_.now() + *way,
                [caller = self.get(), id, answer] { caller->answered(id.sequence, *answer); });
  };
  if (fate.request) {
    stage_.agenda.after(*fate.request, [arrive, way = fate.answer] { arrive(way); });
  }
  if (fate.again) {
    stage_.agenda.after(*fate.again, [arrive, way = fate.second_answer] { arrive(way); });
  }
  later(clock_.when(boot() + stage_.lease.answer_timeout),
        [this, sequence = sequence_] { unanswered(sequence); });
}

void Caller::unanswered(std::uint64_t sequence) {
  if (in_flight_ != sequence) return;
  in_flight_.reset();
  if (!unknown_) unknown_ = sequence;
  write_next();
}

void Caller::answered(std::uint64_t sequence, const WriteAnswered& answer) {
  if (in_flight_ != sequence) return;
  in_flight_.reset();
  answered_ = sequence;
  if (const auto unknown = std::exchange(unknown_, std::nullopt)) {
    const bool applied = answer.before.sequence == *unknown;
    if (applied) {
      for_each_claim(answer.before.outcome,
                     [&](const Claim&) { stage_.rare.saw(Rare::exec_learned_late); });
      learn(answer.before.outcome);
    }
  } else {
    learn(answer.outcome);
  }
  write_next();
}

// ---- its errand

Caller::Ask Caller::errand_ask() const {
  if (const auto* exec = std::get_if<ExecErrand>(&errand_)) {
    Node first = node_;
    first.beat = Beat{1};
    return ControlAsk{ExecSlot{first, exec->job, exec->slot, wall(), kSkewBudget}};
  }
  const auto& key = std::get<KeyErrand>(errand_);
  return OnceAsk{BeginKey{key.key, key.rerun_lost}};
}

Caller::Ask Caller::report() const {
  const auto* key = std::get_if<KeyErrand>(&errand_);
  if (key == nullptr) return WriteAsk{std::vector<FinishEntry>{*end_}};
  if (end_->state != RunState::succeeded) return OnceAsk{FailKey{key->key, end_->fence}};
  const std::string result = fmt::format("{}-{}", key->key, end_->fence.value);
  return OnceAsk{CompleteKey{key->key, end_->fence, result, key->keep}};
}

void Caller::learn(const Outcome& outcome) {
  const auto* control = std::get_if<ControlAnswer>(&outcome);
  if (refused_as_closed(outcome)) {
    closed_ = true;  // and said again when it is open
  } else if (closed_ && stand_ != Stand::asking) {
    remembered_ = control != nullptr && control->refused == Refused::none;
    if (remembered_ && !control->unknown.empty()) keeper_.stop(claim_->run, Reason::none);
  } else if (stand_ == Stand::asking) {
    learn_asked(outcome);
  } else if (stand_ == Stand::reporting) {
    stand_ = Stand::leaving;
  } else if (stand_ == Stand::leaving) {
    stand_ = Stand::gone;
  }
}

/// A slot in the store's future is waited for; any other refusal ends the errand.
void Caller::learn_asked(const Outcome& outcome) {
  if (const auto* exec = std::get_if<ControlAnswer>(&outcome)) {
    if (exec->claim) return begin(*exec->claim, job_of(errand_));
    stand_ = Stand::leaving;
    if (exec->refused != Refused::future) return;
    stand_ = Stand::asking;
    not_before_ = stage_.now() + Duration{1'000};
    later(not_before_, [this] { write_next(); });
  } else if (const auto* once = std::get_if<OnceAnswer>(&outcome)) {
    stand_ = Stand::leaving;
    if (!once->fence) return;
    Claim claim;
    claim.run = {JobUid{}, Space::manual, {}, std::get<KeyErrand>(errand_).key, Attempt{1}};
    claim.incarnation = node_.incarnation;
    claim.fence = *once->fence;
    begin(claim, job_of(errand_));
  }
}

/// Without the trust to start it the claim is given back; a key is left to be lost.
void Caller::begin(const Claim& claim, const Job& job) {
  claim_ = claim;
  const bool is_exec = claim.run.job != JobUid{};
  if (is_exec) stage_.witness.learned(claim);
  if (is_exec) {  // the claim made its node known, with its first beat: a store may forget both
    trust_from(started_);
    granted_ = std::max(granted_, Beat{1});
    if (!mark_) {
      mark_ = Mark{store_id_, epoch_of(claim.fence), 0, claim.claimed_at};
      marked_at_ = boot();
    }
  }
  const bool trusts = boot() + stage_.lease.answer_timeout < trust_until_;
  stand_ = trusts ? Stand::working : is_exec ? Stand::reporting : Stand::leaving;
  if (trusts) return keeper_.start(std::make_shared<const StartRun>(StartRun{claim, job}));
  if (!is_exec) return;
  end_ = FinishEntry{};
  end_->run = claim.run;
  end_->fence = claim.fence;
  end_->incarnation = claim.incarnation;
  end_->state = RunState::returned;
}

/// A command that was killed for lack of trust has not failed: its key is lost.
void Caller::ended(const FinishEntry& end) {
  end_ = end;
  const bool killed = end.reason == Reason::signal || end.reason == Reason::spawn;
  stand_ = killed && end.run.job == JobUid{} ? Stand::leaving : Stand::reporting;
  write_next();
}

}  // namespace cronce::sim
