// Nodes of the world: they ask as a careful node does, and the world looks after every step.
#include <gtest/gtest.h>

#include "test/contract/world.h"

namespace cronce::contract {

Actor::Actor(World& world, Node self, std::optional<Mark> mark)
    : world_(world),
      self_(std::move(self)),
      // Before it settles an unknown write, the node writes on its other lane: what was delayed
      // arrives now, what timed out only after the settling.
      lane_(world.faulty(), self_.incarnation, 0, world.settling(),
            [this] {
              static_cast<void>(world_.faulty().decide({self_.incarnation, 1, ++pokes_}, {}));
            }),
      mark_(mark) {}

BeatAnswer Actor::beat(const std::vector<StartedRun>& started,
                       const std::vector<RunProgress>& progress) {
  for (;;) {
    ++self_.beat.value;
    const auto answer =
        world_.faulty().beat({self_, started, 0, mark_, granted_, progress, granted_closed_});
    world_.look();
    if (!answer) continue;
    epoch_ = answer->epoch;
    if (answer->refused == Refused::none) granted_ = self_.beat;
    granted_closed_ = answer->closed ? answer->beat : Beat{};
    // What a closed store says of its past is not to be believed.
    if (!answer->closed) mark_ = {answer->store, epoch_, answer->position, answer->store_time};
    return *answer;
  }
}

RegisterAnswer Actor::enroll(const RegisterAsk& ask) {
  auto answer = lane_.enroll(ask);
  for (const DecideAnswer& settled : answer.settled) {
    for (const SlotOutcome& outcome : settled.runs) world_.learn(outcome.claim);
  }
  world_.look();
  return answer;
}

DecideAnswer Actor::decide(const DecideEntry& entry) { return decide(std::vector{entry}).at(0); }

std::vector<DecideAnswer> Actor::decide(const std::vector<DecideEntry>& batch) {
  auto answers = lane_.decide({batch, {}}).entries;
  for (const DecideAnswer& answer : answers) {
    for (const SlotOutcome& outcome : answer.runs) world_.learn(outcome.claim);
  }
  world_.look();
  return answers;
}

Refused Actor::lapse(const RunId& run, Reason reason) {
  const Refused refused = lane_.decide({{}, {{run, reason}}}).lapses.at(0);
  world_.look();
  return refused;
}

TakeAnswer Actor::take(const RunId& run) {
  const auto answer = lane_.take({run}).at(0);
  world_.learn(answer.claim);
  world_.look();
  return answer;
}

FinishAnswer Actor::finish(const FinishEntry& end) {
  const auto answer = lane_.finish({end}).at(0);
  if (answer.refused == Refused::none) world_.forget(end.run);
  world_.look();
  return answer;
}

FinishAnswer Actor::finish(const Claim& claim, RunState state, Reason reason) {
  return finish(FinishEntry{claim.run, claim.fence, claim.incarnation, state, reason});
}

SweepAnswer Actor::sweep(const Actor& other) { return sweep(other, other.last_beat()); }

SweepAnswer Actor::sweep(const Actor& other, Beat seen) {
  const auto answer = lane_.sweep({{other.incarnation(), seen}}).at(0);
  if (answer.ended) world_.forget(other.incarnation());
  world_.look();
  return answer;
}

ControlAnswer Actor::control(const ControlAsk& ask) {
  const auto answer = lane_.control(ask);
  world_.learn(answer.claim);
  if (std::holds_alternative<Adopt>(ask)) world_.known_.clear();
  const bool remembers = std::holds_alternative<Remember>(ask);
  const bool recedes = std::holds_alternative<RecedeJob>(ask);
  world_.look(remembers ? Excuse::remembering : recedes ? Excuse::receding : Excuse::none);
  return answer;
}

OnceAnswer Actor::once(const OnceAsk& ask) { return lane_.once(ask); }

Refused Actor::change(const PlanChange& change) {
  const Refused refused = lane_.decide({{}, {}, {change}}).changes.at(0);
  world_.look();
  return refused;
}

ControlAnswer Actor::exec(const Job& job, Time slot) { return exec_by(world_.now(), job, slot); }

ControlAnswer Actor::exec_by(Time wall, const Job& job, Time slot) {
  if (self_.beat == Beat{}) ++self_.beat.value;  // this is its first
  return control(ExecSlot{self_, job, slot, wall, std::chrono::seconds{30}});
}

std::vector<Claim> Actor::claims() const {
  std::vector<Claim> claims;
  for (const auto& [id, claim] : world_.known_) {
    if (claim.incarnation == self_.incarnation) claims.push_back(claim);
  }
  return claims;
}

ControlAnswer Actor::remember() {
  const auto answer = control(Remember{mark_.value_or(Mark{}), claims()});
  if (answer.refused != Refused::none) world_.forget(self_.incarnation);
  for (const RunId& run : answer.unknown) world_.forget(run);
  return answer;
}

ControlAnswer Actor::open() { return control(OpenEpoch{epoch_}); }

DecideAnswer Actor::run(JobUid job, SlotToRun::How how) { return decide(world_.owed(job, how)); }

Claim Actor::start(JobUid job) {
  const auto answer = run(job);
  if (!answer.runs.empty() && answer.runs.back().claim) return *answer.runs.back().claim;
  ADD_FAILURE() << self_.name << " could not start: " << told(answer);
  return {};
}

}  // namespace cronce::contract
