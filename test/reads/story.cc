#include "test/reads/story.h"

#include <chrono>

#include "base/check.h"
#include "base/digest.h"
#include "engine/due.h"
#include "jobfile/jobfile.h"
#include "model/codec.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

/// `backup`, `backup/web-1`
std::string name_of(const JobRow& row) {
  const std::string& name = row.definition->name.text();
  return row.whole ? name + "/" + *row.member : name;
}

JobSet read_set(const std::string& text) {
  auto file = read_yaml_jobs(text, {"jobs.yaml", "/srv/app", "UTC", "web-1"});
  CHECK(file.usable());
  return std::move(file.set);
}

KnownJob known(const JobRow& row) {
  return {row, Schedule::build(row.definition->schedule).value()};
}

}  // namespace

Story::Story(Store& store, ManualClock& clock, const std::string& text)
    : store_(store), clock_(clock), text_(text) {
  clock_.set(parse_time("2026-03-28T21:00:00Z").value());
}

WriteId Story::write(Player& player) { return {player.node.incarnation, 0, ++player.sequence}; }

Story::Player& Story::arrive(const std::string& name, std::uint64_t life) {
  Player& player = players_[name] = {};
  Node& node = player.node;
  node.name = name;
  node.incarnation = Incarnation{{life, 0x5eed}};
  node.labels = {{"region", name == "web-1" ? "eu" : "us"}};
  node.max_running = 8;
  node.version = "0.1.0";
  node.zone_data = "2026a";
  beat(player);
  return player;
}

void Story::beat(Player& player) {
  ++player.node.beat.value;
  player.node.clock_reading = clock_.wall().time_since_epoch() - clock_.boot();
  player.node.wall = clock_.wall();
  CHECK(store_.beat({player.node, {}, 0, std::nullopt, {}}).value().refused == Refused::none);
}

void Story::enroll(Player& player, const std::string& text) {
  const JobSet set = read_set(text);
  RegisterAsk ask{set.source, digest(set).hex(), std::nullopt, {}, {}};
  for (const Job& job : set.jobs) {
    const auto schedule = Schedule::build(job.schedule).value();
    JobToRegister entry{job, clock_.wall(), first_slot(schedule, clock_.wall()), std::nullopt};
    if (!entry.next) entry.past = schedule.last_at_or_before(clock_.wall());
    ask.jobs.push_back(entry);
  }
  for (const JobRow& row : jobs()) {
    if (auto entry = owed(known(row), clock_.wall(), SlotToRun::How::run))
      ask.settle.push_back(*entry);
  }
  player.node.digests = {{ask.source, ask.digest}};
  const auto answer = store_.enroll(write(player), ask).value().answer;
  CHECK(answer.registered == Registered::current);
}

void Story::join(Player& player, const std::string& job) {
  const JobRow whole = row(job);
  const auto next = first_slot(known(whole).schedule, clock_.wall());
  const DecideAsk ask{{}, {}, {JoinMember{whole.uid, clock_.wall(), next}}};
  CHECK(store_.decide(write(player), ask).value().answer.changes.at(0) == Refused::none);
}

void Story::go(std::string_view time) {
  const Time at = parse_time("2026-03-" + std::string(time) + "Z").value();
  clock_.advance(at - clock_.wall());
}

void Story::decide(Player& player) {
  DecideAsk ask;
  for (const JobRow& row : jobs()) {
    if (row.whole && *row.member != player.node.name) continue;
    if (auto entry = owed(known(row), clock_.wall(), SlotToRun::How::run)) {
      ask.entries.push_back(*std::move(entry));
    }
  }
  const auto answers = store_.decide(write(player), ask).value().answer;
  for (const DecideAnswer& answer : answers.entries) {
    CHECK(answer.refused == Refused::none);
    for (const SlotOutcome& outcome : answer.runs) {
      if (!outcome.claim) continue;
      for (const JobRow& row : jobs()) {
        if (row.uid == outcome.claim->run.job)
          claims_.insert_or_assign(name_of(row), *outcome.claim);
      }
    }
  }
}

void Story::take(Player& player, const std::string& job) {
  const RunId run = row(job).pending.at(0).id;
  const auto answer = store_.take(write(player), std::vector{run}).value().answer.at(0);
  CHECK(answer.claim.has_value());
  claims_.insert_or_assign(job, *answer.claim);
}

void Story::start(const std::string& job, Duration after) {
  started_[job] = claims_.at(job).claimed_at + after;
}

void Story::finish(const std::string& job, RunState state, Reason reason, std::int64_t exit_code,
                   const std::string& output) {
  const Claim claim = claims_.at(job);
  Player& player = players_.at("web-1");
  const FinishEntry end{claim.run,        claim.fence,   claim.incarnation, state,  reason,
                        started_.at(job), clock_.wall(), exit_code,         output, ""};
  const auto answer = store_.finish(write(player), std::vector{end}).value().answer.at(0);
  CHECK(answer.refused == Refused::none);
  claims_.erase(job);
}

void Story::succeed(const std::string& job, Duration took) {
  start(job, 4ms);
  clock_.advance(took);
  finish(job, RunState::succeeded, Reason::none, 0, job + ": done\n");
}

void Story::control(Player& player, const ControlAsk& ask) {
  CHECK(store_.control(write(player), ask).value().answer.refused == Refused::none);
}

std::vector<JobRow> Story::jobs() { return store_.jobs().value(); }

JobRow Story::row(const std::string& job) {
  for (const JobRow& row : jobs()) {
    if (name_of(row) == job) return row;
  }
  CHECK(false);
  std::abort();
}

void Story::deploy(const std::string& text) {
  Player& web1 = players_.at("web-1");
  Player& web2 = players_.at("web-2");
  web2.node.digests = web1.node.digests;
  enroll(web1, text);
  beat(web1);
  beat(web2);
  CHECK(store_.sweep(write(web1), {}).ok());
}

void Story::play() {
  Player& web1 = arrive("web-1", 1);
  Player* web2 = &arrive("web-2", 2);
  enroll(web1, text_);
  join(web1, "clean-tmp");
  join(*web2, "clean-tmp");
  control(web1, PauseJob{row("cleanup").uid,
                         {parse_time("2026-03-30T06:00:00Z").value(), "disk moves"},
                         {"anna@web-1", "disk moves"}});

  go("28T21:10:00");
  decide(web1);
  succeed("heartbeat", 300ms);
  go("28T21:15:00");
  decide(*web2);  // import, on web-2
  go("28T21:16:30");
  start("import", 6ms);
  finish("import", RunState::succeeded, Reason::none, 0, "imported 1,204 rows\n");
  go("28T21:30:00");
  decide(web1);  // slow-report takes until 22:10; 22:00 is skipped
  succeed("heartbeat", 310ms);
  start("slow-report", 5ms);
  go("28T22:00:00");
  decide(web1);
  succeed("heartbeat", 290ms);
  start("flaky", 7ms);
  go("28T22:00:03");
  finish("flaky", RunState::failed, Reason::exit, 3, "connection refused\n");
  go("28T22:01:03");
  take(web1, "flaky");
  start("flaky", 5ms);
  go("28T22:01:07");
  finish("flaky", RunState::succeeded, Reason::none, 0, "connected\nsent 12 files\n");
  go("28T22:10:00");
  finish("slow-report", RunState::succeeded, Reason::none, 0, "report of 2026-03-28\n");
  decide(web1);
  succeed("heartbeat", 300ms);
  control(web1, TriggerJob{row("slow-report").uid, "r-17", {}, {"anna@web-1", "for the audit"}});
  take(web1, "slow-report");
  succeed("slow-report", 2s);

  go("28T22:15:00");
  beat(*web2);
  decide(*web2);  // import starts on web-2, which vanishes
  go("28T22:20:00");
  beat(web1);
  const SweepEntry gone{web2->node.incarnation, web2->node.beat};
  CHECK(store_.sweep(write(web1), std::vector{gone}).value().answer.at(0).ended);
  decide(web1);
  succeed("heartbeat", 320ms);
  go("28T22:30:00");
  web2 = &arrive("web-2", 3);
  decide(web1);
  start("slow-report", 4ms);
  succeed("heartbeat", 300ms);
  finish("slow-report", RunState::timed_out, Reason::none, 124, "");
  go("28T22:45:00");
  decide(web1);
  succeed("clean-tmp/web-1");
  decide(*web2);
  succeed("clean-tmp/web-2");
  go("28T23:00:00");
  decide(web1);
  succeed("heartbeat");
  succeed("slow-report");
  succeed("flaky");

  go("29T01:01:00");  // nobody decided since, and Berlin's clocks went from 02:00 to 03:00 at 01:00
  beat(web1);
  decide(web1);
  start("nightly-billing", 9ms);
  succeed("heartbeat");
  succeed("import");
  succeed("clean-tmp/web-1");
  succeed("slow-report");
  succeed("flaky");
  go("29T04:00:00");
  finish("nightly-billing", RunState::timed_out, Reason::none, 143, "page 1\npage 2\n");
  decide(web1);
  succeed("heartbeat");
  succeed("flaky");
  succeed("import");
  succeed("clean-tmp/web-1");
  start("slow-report", 8ms);
  decide(*web2);
  succeed("clean-tmp/web-2");
  go("29T04:07:25");
  beat(web1);
  control(web1, TriggerJob{row("slow-report").uid, "r-18"});
  go("29T04:07:28");
  beat(*web2);
  go("29T04:07:30");
}

}  // namespace cronce
