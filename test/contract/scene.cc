#include "test/contract/scene.h"

#include <array>

namespace cronce::contract {
namespace {

Job patient_job() {
  Job job = job_named("j");
  job.overlap = Overlap::queue;
  job.on_lost = OnLost::hold;
  return job;
}

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

std::size_t claims_in(const DecideAnswer& answer) {
  return !answer.runs.empty() && answer.runs[0].claim ? 1 : 0;
}

/// Controls and other registrations start nothing.
std::size_t none(const ControlAnswer&) { return 0; }
std::size_t none(const RegisterAnswer&) { return 0; }

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
    Operation{"finish",
              [](Scene& s, Actor& by) -> std::size_t {
                by.finish(s.claim, RunState::succeeded);
                return 0;
              }},
    Operation{"sweep",
              [](Scene& s, Actor& by) -> std::size_t {
                by.sweep(s.c);
                return 0;
              }},
    Operation{"join",
              [](Scene& s, Actor& by) {
                return none(by.enroll(s.world.set_of("j", "1", {patient_job()})));
              }},
    Operation{"other_command",
              [](Scene& s, Actor& by) { return none(by.enroll(other_command(s))); }},
    Operation{"other_schedule",
              [](Scene& s, Actor& by) { return none(by.enroll(other_schedule(s))); }},
    Operation{"drop",
              [](Scene& s, Actor& by) { return claims_in(by.enroll(drop(s)).settled.at(0)); }},
    Operation{"pause", [](Scene& s, Actor& by) { return none(by.control(PauseJob{s.job, {}})); }},
    Operation{
        "resume",
        [](Scene& s, Actor& by) { return none(by.control(ResumeJob{s.job, at(50), at(60), 1})); }},
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
    Operation{
        "recede",
        [](Scene& s, Actor& by) { return none(by.control(RecedeJob{s.job, at(50), at(60)})); }},
};

Claim start_30(World& w, Actor& b, Actor& c, JobUid job) {
  w.pass(10s);
  Actor& d = w.node("d");
  d.start(job);
  b.sweep(d);
  w.pass(20s);
  return c.start(job);
}

}  // namespace

std::span<const Operation> operations() { return kOperations; }

Scene::Scene(const StoreRow& store, bool busy)
    : world(store),
      a(world.node("a")),
      b(world.node("b")),
      c(world.node("c")),
      job(world.job(a, patient_job())),
      claim(start_30(world, b, c, job)) {
  world.pass(10s);
  b.run(job);
  b.control(TriggerJob{job, "r"});
  if (!busy) c.finish(claim, RunState::succeeded);
  world.pass(10s);
  entry = world.owed(job);
}

std::set<std::string> Scene::facts() {
  std::set<std::string> facts;
  const std::string rows = world.ledger(job) + ", ";
  for (std::size_t from = 0, to = 0; (to = rows.find(", ", from)) != std::string::npos;
       from = to + 2) {
    facts.insert(rows.substr(from, to - from));
  }
  const JobRow row = world.row(job);
  const auto seconds = [](Time time) { return std::to_string((time - kStart) / 1s); };
  facts.insert("cursor " + seconds(row.plan.cursor));
  facts.insert("next " + (row.plan.next ? seconds(*row.plan.next) : "none"));
  if (row.paused()) facts.insert("paused");
  if (row.retired()) facts.insert("retired");
  if (!row.retired()) facts.insert("digest " + row.sources.at("j"));
  return facts;
}

}  // namespace cronce::contract
