// What two clients may ask at once: a row each.
#include <array>

#include "test/contract/scene.h"

namespace cronce::contract {
namespace {

RegisterAsk other_command(Scene& s) {
  Job job = patient_job();
  job.command = ArgvCommand{{"false"}};
  return s.world.set_of("j", "2", {job});
}

RegisterAsk other_schedule(Scene& s) {
  Job job = patient_job();
  job.schedule.elements = {EverySpec{7s, std::nullopt}};
  return s.world.set_of("j", "3", {job});
}

/// What is owed is settled first, in the same step.
RegisterAsk drop(Scene& s) {
  RegisterAsk ask = s.world.set_of("j", "4", {});
  ask.settle = {s.entry};
  return ask;
}

/// The first slot after now, whatever anybody has done meanwhile.
Time next(Scene& s) { return s.situation == Situation::quiet ? at(50) : at(60); }

std::size_t claims_in(const DecideAnswer& answer) {
  return !answer.runs.empty() && answer.runs[0].claim ? 1 : 0;
}

std::size_t claims_in(const RegisterAnswer& answer) {
  return answer.settled.empty() ? 0 : claims_in(answer.settled[0]);
}

std::size_t claims_in(const ControlAnswer& answer) { return answer.claim ? 1 : 0; }

/// What starts nothing.
template <class T>
std::size_t none(const T&) {
  return 0;
}

/// A claim of `c`, which only `c` knows.
std::size_t remember(Scene& s, Actor&) {
  s.remembered = true;
  return none(s.c.remember());
}

constexpr std::array kOperations{
    Operation{"decide", [](Scene& s, Actor& by) { return claims_in(by.decide(s.entry)); }},
    Operation{"take",
              [](Scene& s, Actor& by) -> std::size_t {
                return by.take(slot_of(s.job, 40)).claim ? 1 : 0;
              }},
    Operation{"take_manual",
              [](Scene& s, Actor& by) -> std::size_t {
                return by.take(request_of(s.job, "r")).claim ? 1 : 0;
              }},
    Operation{"exec", [](Scene&, Actor& by) { return claims_in(by.exec(patient_job(), at(50))); }},
    Operation{"finish",
              [](Scene& s, Actor& by) { return none(by.finish(s.claim, RunState::succeeded)); }},
    Operation{"finish_failed",
              [](Scene& s, Actor& by) {
                return none(by.finish(s.claim, RunState::failed, Reason::exit));
              },
              Situation::busy},
    Operation{"finish_returned",
              [](Scene& s, Actor& by) { return none(by.finish(s.claim, RunState::returned)); },
              Situation::busy},
    Operation{"purge",
              [](Scene& s, Actor& by) { return none(by.sweep(s.c, Beat{})); }},  // ends nobody
    Operation{"sweep", [](Scene& s, Actor& by) { return none(by.sweep(s.c, s.beat)); }},
    Operation{"beat", [](Scene& s, Actor&) { return none(s.c.beat()); }},
    Operation{
        "lapse",
        [](Scene& s, Actor& by) { return none(by.lapse(slot_of(s.job, 40), Reason::expired)); }},
    Operation{"join",
              [](Scene& s, Actor& by) {
                return none(by.enroll(s.world.set_of("j", "1", {patient_job()})));
              }},
    Operation{"other_command",
              [](Scene& s, Actor& by) { return none(by.enroll(other_command(s))); }},
    Operation{"other_schedule",
              [](Scene& s, Actor& by) { return none(by.enroll(other_schedule(s))); }},
    Operation{"drop", [](Scene& s, Actor& by) { return claims_in(by.enroll(drop(s))); }},
    Operation{"pause", [](Scene& s, Actor& by) { return none(by.control(PauseJob{s.job, {}})); }},
    Operation{"resume",
              [](Scene& s, Actor& by) {
                return none(by.control(ResumeJob{s.job, s.world.now(), next(s), 1}));
              }},
    Operation{"trigger",
              [](Scene& s, Actor& by) { return none(by.control(TriggerJob{s.job, "q"})); }},
    Operation{"cancel",
              [](Scene& s, Actor& by) { return none(by.control(CancelRun{slot_of(s.job, 40)})); }},
    Operation{"stop",
              [](Scene& s, Actor& by) { return none(by.control(CancelRun{slot_of(s.job, 30)})); }},
    Operation{
        "release",
        [](Scene& s, Actor& by) { return none(by.control(ReleaseRun{slot_of(s.job, 10, 2)})); }},
    Operation{
        "backfill",
        [](Scene& s, Actor& by) { return none(by.control(BackfillSlot{s.job, at(20), false})); }},
    Operation{"retire", [](Scene& s, Actor& by) { return none(by.control(RetireJob{s.job})); }},
    Operation{"recede",
              [](Scene& s, Actor& by) {
                return none(by.control(RecedeJob{s.job, s.world.now(), next(s)}));
              }},
    Operation{"repoint",
              [](Scene& s, Actor& by) {
                return none(by.change(Repoint{s.job, s.entry.turn, s.world.now(), at(63)}));
              }},
    Operation{"resume_by_timer",
              [](Scene& s, Actor& by) {
                const ResumeJob ask{s.paused, at(40), at(50), 4, s.paused_turn};
                return none(by.change(ask));
              }},
    Operation{
        "pause_again",
        [](Scene& s, Actor& by) { return none(by.control(PauseJob{s.paused, {at(1000), ""}})); }},
    Operation{"share",
              [](Scene& s, Actor& by) {
                return none(by.change(JoinMember{s.whole, s.world.now(), next(s)}));
              }},
    Operation{"boot", [](Scene& s, Actor&) { return none(s.c.change(StartAtBoot{s.share, "x"})); }},
    Operation{"end_share",
              [](Scene& s, Actor&) {
                return none(s.c.change(EndMember{s.share, s.share_turn, 0, std::nullopt}));
              }},
    Operation{"trigger_everywhere",
              [](Scene& s, Actor& by) { return none(by.control(TriggerJob{s.whole, "q"})); }},
    Operation{"retire_everywhere",
              [](Scene& s, Actor& by) { return none(by.control(RetireJob{s.whole})); }},
    Operation{"begin_key", [](Scene&, Actor& by) { return none(by.once(BeginKey{"key", true})); }},
    Operation{"complete_key",
              [](Scene& s, Actor& by) {
                return none(by.once(CompleteKey{"key", s.key, "", std::chrono::hours{1}}));
              }},
    Operation{"fail_key", [](Scene& s, Actor& by) { return none(by.once(FailKey{"key", s.key})); }},
    Operation{"accept_clock", [](Scene&, Actor& by) { return none(by.control(AcceptClock{})); }},
    Operation{"adopt", [](Scene&, Actor& by) { return none(by.control(Adopt{})); }},
    Operation{"remember", remember, Situation::closed},
    Operation{"open", [](Scene&, Actor& by) { return none(by.open()); }, Situation::closed},
};

}  // namespace

std::vector<Operation> operations_in(Situation situation) {
  std::vector<Operation> asked;
  for (const Operation& one : kOperations) {
    if (one.only.value_or(situation) == situation) asked.push_back(one);
  }
  return asked;
}

}  // namespace cronce::contract
