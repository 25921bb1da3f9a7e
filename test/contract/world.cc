#include "test/contract/world.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "model/describe.h"

namespace cronce::contract {
namespace {

std::string second(Time time) { return std::to_string((time - kStart) / 1s); }

std::string print_row(const Run& run) {
  std::string text = run.id.space == Space::slot ? second(run.id.slot) : run.id.request;
  if (run.slot_to) text += "-" + second(*run.slot_to);
  text += "#" + std::to_string(run.id.attempt.value) + " " + describe(run.state, run.reason);
  if (run.slot_to) text += " (" + std::to_string(run.count) + ")";
  return text;
}

Time slot_after(Time time, Duration period) {
  return Time{(time.time_since_epoch() / period + 1) * period};
}

JobToRegister entry_of(const Job& job, Time now) {
  const ElementSpec& element = job.schedule.elements.front();
  JobToRegister entry{job, now, std::nullopt, std::nullopt};
  if (const auto* every = std::get_if<EverySpec>(&element)) {
    entry.next = slot_after(now, every->interval);
  } else if (const auto* after = std::get_if<AfterSpec>(&element)) {
    entry.next = std::chrono::ceil<Seconds>(now) + after->delay;
  } else if (const auto* once = std::get_if<AtSpec>(&element)) {
    const Time time = *once->time.instant();
    (time > now ? entry.next : entry.past) = time;
  }
  return entry;
}

}  // namespace

RunId slot_of(JobUid job, int second, std::uint64_t attempt) {
  return {job, Space::slot, at(second), "", Attempt{attempt}};
}

RunId request_of(JobUid job, const std::string& request, std::uint64_t attempt) {
  return {job, Space::manual, {}, request, Attempt{attempt}};
}

Job job_named(const std::string& name) {
  return Job{.name = parse_job_name(name).value(),
             .schedule = {.elements = {EverySpec{kPeriod, std::nullopt}}},
             .command = ArgvCommand{{"true"}}};
}

World::World(const StoreRow& row, Settling settling)
    : settling_(settling), store_(row.make(clock_, rng_)), faulty_(*store_) {}

Actor& World::node(const std::string& name) {
  Node self;
  self.name = name;
  self.incarnation = Incarnation::random(rng_);
  auto& actor = actors_[name] = std::make_unique<Actor>(*this, self);
  actor->beat();
  return *actor;
}

JobUid World::job(Actor& by, const Job& job) {
  const std::string& name = job.name.text();
  const auto answer = by.enroll(set_of(name, "1", {job}));
  EXPECT_EQ(answer.registered, Registered::current);
  return find(name).value_or(JobUid{});
}

RegisterAsk World::set_of(const std::string& source, const std::string& digest,
                          const std::vector<Job>& jobs) const {
  RegisterAsk ask{source, digest, std::nullopt, {}, {}};
  for (const Job& job : jobs) ask.jobs.push_back(entry_of(job, now()));
  return ask;
}

DecideEntry World::owed(JobUid job, SlotToRun::How how) {
  const JobRow known = row(job);
  const Time from = known.plan.next.value_or(kMinTime);
  const auto* every = std::get_if<EverySpec>(&known.definition->schedule.elements.front());
  const Time newest = every != nullptr
                          ? std::max(from, slot_after(now(), every->interval) - every->interval)
                          : from;
  DecideEntry entry{job, known.plan.turn, from, newest, {}, {{newest, newest, how}}, {}, {}};
  if (every == nullptr) return entry;
  entry.next = newest + every->interval;
  const auto missed = (newest - from) / every->interval;
  if (missed > 0) {
    entry.skipped.push_back({from, newest - every->interval, missed, Reason::missed});
  }
  return entry;
}

Time World::next_slot(JobUid job) {
  return slot_after(std::max(now(), row(job).plan.cursor), kPeriod);
}

std::vector<JobRow> World::jobs() { return direct().jobs().value(); }

std::vector<Run> World::runs(JobUid job) { return direct().runs({.job = job}).value(); }

JobRow World::row(JobUid job) {
  for (const JobRow& row : jobs()) {
    if (row.uid == job) return row;
  }
  ADD_FAILURE() << "no job " << job.value;
  return JobRow{JobUid{}, job_named("none"), {}, 0, {}, {}, {}, {}};
}

std::optional<JobUid> World::find(const std::string& name) {
  for (const JobRow& row : jobs()) {
    if (row.definition->name.text() == name) return row.uid;
  }
  return std::nullopt;
}

std::optional<Run> World::run(const RunId& id) {
  for (const Run& run : runs(id.job)) {
    if (run.id == id && !run.slot_to) return run;
  }
  return std::nullopt;
}

std::string World::ledger(JobUid job) {
  auto rows = runs(job);
  std::sort(rows.begin(), rows.end(), [](const Run& a, const Run& b) { return a.id < b.id; });
  std::string text;
  for (const Run& run : rows) text += (text.empty() ? "" : ", ") + print_row(run);
  return text;
}

std::string World::state(const RunId& id) {
  const auto row = run(id);
  return row ? describe(row->state, row->reason) : "none";
}

void World::learn(const std::optional<Claim>& claim) {
  if (claim) known_[claim->run] = *claim;
}

void World::forget(const Incarnation& incarnation) {
  std::erase_if(known_, [&](const auto& row) { return row.second.incarnation == incarnation; });
}

void World::look(bool receding) {
  for (const std::string& wrong : watch_.look(direct(), receding)) ADD_FAILURE() << wrong;
}

void World::end() {
  faulty_.flush();
  look();
  std::map<RunId, Fence> held, known;
  for (const JobRow& row : jobs()) {
    for (const LiveRun& live : row.live) held[live.id] = live.fence;
  }
  for (const auto& [id, claim] : known_) known[id] = claim.fence;
  for (const auto& row : held) unknown_claims_ += known.contains(row.first) ? 0U : 1U;
  for (const auto& row : known) unknown_claims_ += held.contains(row.first) ? 0U : 1U;
  EXPECT_EQ(held, known) << "the claims that the store holds are not those that nodes know of";
}

// ---- nodes --------------------------------------------------------------------------------------

Actor::Actor(World& world, Node self)
    : world_(world),
      self_(std::move(self)),
      // Before it settles an unknown write, the node writes on its other lane: what was delayed
      // arrives now, what timed out only after the settling.
      lane_(world.faulty(), self_.incarnation, 0, world.settling(), [this] {
        static_cast<void>(world_.faulty().decide({self_.incarnation, 1, ++pokes_}, {}));
      }) {}

BeatAnswer Actor::beat(const std::vector<StartedRun>& started) {
  for (;;) {
    ++self_.beat.value;
    const auto answer = world_.faulty().beat({self_, started, 0});
    world_.look();
    if (answer) return *answer;
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

DecideAnswer Actor::decide(const DecideEntry& entry) {
  const auto answer = lane_.decide({{entry}, {}}).entries.at(0);
  for (const SlotOutcome& outcome : answer.runs) world_.learn(outcome.claim);
  world_.look();
  return answer;
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

SweepAnswer Actor::sweep(const Actor& other) {
  const auto answer = lane_.sweep({{other.incarnation(), other.last_beat()}}).at(0);
  if (answer.ended) world_.forget(other.incarnation());
  world_.look();
  return answer;
}

ControlAnswer Actor::control(const ControlAsk& ask) {
  const auto answer = lane_.control(ask);
  world_.look(std::holds_alternative<RecedeJob>(ask));
  return answer;
}

DecideAnswer Actor::run(JobUid job, SlotToRun::How how) { return decide(world_.owed(job, how)); }

Claim Actor::start(JobUid job) {
  const auto answer = run(job);
  if (!answer.runs.empty() && answer.runs.back().claim) return *answer.runs.back().claim;
  ADD_FAILURE() << self_.name << " could not start: " << told(answer);
  return {};
}

// ---- words --------------------------------------------------------------------------------------

std::string told(Refused refused) {
  constexpr std::array<const char*, 13> kWords{"none",   "ended",   "closed", "gone",    "moved",
                                               "future", "too_old", "paused", "retired", "busy",
                                               "full",   "stale",   "invalid"};
  return kWords.at(static_cast<std::size_t>(refused));
}

std::string told(const DecideAnswer& answer) {
  if (answer.refused != Refused::none) return told(answer.refused);
  std::string text;
  for (const SlotOutcome& outcome : answer.runs) {
    text += (text.empty() ? "" : ", ") + describe(outcome.state, outcome.reason);
  }
  return text;
}

}  // namespace cronce::contract
