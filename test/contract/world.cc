#include "test/contract/world.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "model/describe.h"
#include "model/words.h"

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

Job retried(const std::string& name) {
  Job job = job_named(name);
  job.retries.edit().max = 1;
  return job;
}

World::World(const StoreRow& row, Settling settling)
    : row_(row), settling_(settling), store_(row.make(clock_, rng_)), faulty_(*store_) {}

Actor& World::stranger(const std::string& name, std::optional<Mark> mark) {
  Node self;
  self.name = name;
  self.incarnation = Incarnation::random(rng_);
  return *actors_.emplace_back(std::make_unique<Actor>(*this, self, mark));
}

Actor& World::node(const std::string& name, std::optional<Mark> mark) {
  Actor& actor = stranger(name, mark);
  actor.beat();
  return actor;
}

JobUid World::job(Actor& by, const Job& job) {
  const std::string& name = job.name.text();
  const auto answer = by.enroll(set_of(name, "1", {job}));
  EXPECT_EQ(answer.registered, Registered::current);
  return find(name).value_or(JobUid{});
}

void World::put_back(const PutBack& image, bool elsewhere) {
  image(elsewhere);
  watch_ = {};
  look();
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
    if (row.definition->name.text() == name && !row.whole) return row.uid;
  }
  return std::nullopt;
}

std::optional<JobUid> World::member(JobUid whole, const std::string& node) {
  for (const JobRow& row : jobs()) {
    if (row.whole == whole && *row.member == node) return row.uid;
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

void World::look(Excuse excuse) {
  for (const std::string& wrong : watch_.look(direct(), excuse)) ADD_FAILURE() << wrong;
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

// ---- words --------------------------------------------------------------------------------------

std::string told(Refused refused) {
  return refused == Refused::none ? "none" : std::string(word(refused));
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
