// What people do in the troubled world: deploys, commands, and processes beside the nodes.
#include "schedule/schedule.h"
#include "test/sim/trouble.h"
#include "test/sim/zones.h"

namespace cronce::sim {
namespace {

Schedule schedule_of(const Job& job) {
  return Schedule::build(job.schedule, zones_of(kNewZones)).value();
}

}  // namespace

/// Nobody acts on a store that is away, or that shows a time of which nobody has warned yet.
bool Trouble::people_act() const {
  return !stage_.store_away && stage_.clock.offset() < std::chrono::hours{1};
}

/// One host after the other, by a restart or in place; one whose turn has not come may restart as
/// it is.
void Trouble::roll_out(std::size_t set) {
  deployed_ = set;
  Duration delay{};
  for (const auto& host : hosts_) {
    if (host->files().empty()) continue;
    const bool restarts = stage_.rng.chance(50);
    later(delay, [this, &host, restarts, set] {
      if (deployed_ != set) return;
      if (restarts) host->kill_process();
      host->offer(script_.sets[set]);
      if (restarts) host->start_process();
    });
    if (stage_.rng.chance(25)) {
      later(stage_.random(0, 5'000), [&host] {
        host->kill_process();
        host->start_process();
      });
    }
    delay += stage_.random(100, 8'000);
  }
}

bool Trouble::deploy() {
  roll_out(std::min(deployed_ + 1, script_.sets.size() - 1));
  return true;
}

/// Numbered sets are not rolled back but written anew, with a greater number.
bool Trouble::roll_back() {
  if (script_.numbered) return false;
  roll_out(deployed_ > 0 ? deployed_ - 1 : 0);
  return true;
}

bool Trouble::deploy_extra() {
  extra_ = script_.extras.size() - 1;
  bool anywhere = false;
  for (const auto& host : hosts_) {
    if (host->files().size() < 2) continue;
    anywhere = true;
    later(stage_.random(0, 8'000), [this, &host] { host->offer(script_.extras[extra_]); });
  }
  return anywhere;
}

/// One host has an old file, or one that somebody changed by hand, for a while.
bool Trouble::offer_stray() {
  Host& host = any_host();
  if (host.files().empty()) return false;
  Offered stray = script_.sets[stage_.rng.below(deployed_ + 1)];
  if (stage_.rng.chance(50)) {
    stray = script_.sets[deployed_];
    stray.digest += "-by-hand";
    stray.set.jobs.front().edit().command = ArgvCommand{{"./by-hand"}};
    if (!script_.numbered) return false;  // it would be the next version, for good
  }
  host.offer(stray);
  later(stage_.random(5'000, 40'000), [this, &host] { host.offer(script_.sets[deployed_]); });
  return true;
}

bool Trouble::update_zones() {
  Host& host = any_host();
  if (!host.alive() || host.node().zone_data == kNewZones) return false;
  host.update_zones();
  host.kill_process();
  later(stage_.random(100, 5'000), [&host] { host.start_process(); });
  return true;
}

bool Trouble::ask(const ControlAsk& what) { return door_.control(what).refused == Refused::none; }

std::optional<JobRow> Trouble::any_job() {
  const auto jobs = door_.jobs();
  if (jobs.empty()) return std::nullopt;
  return jobs[stage_.rng.below(jobs.size())];
}

std::optional<Run> Trouble::any_run(bool (*wanted)(const Run&)) {
  std::vector<Run> found;
  for (const Run& run : door_.runs()) {
    if (!run.slot_to && wanted(run)) found.push_back(run);
  }
  if (found.empty()) return std::nullopt;
  return found[stage_.rng.below(found.size())];
}

/// Often one of which something waits: it may be taken in that moment.
bool Trouble::pause_job() {
  auto job = any_job();
  const auto waiting = any_run([](const Run& one) { return one.state == RunState::pending; });
  if (waiting && stage_.rng.chance(60)) {
    for (const JobRow& row : door_.jobs()) {
      if (row.uid == waiting->id.job) job = row;
    }
  }
  if (!job || job->whole || !people_act()) return false;
  Pause pause{std::nullopt, "maintenance"};
  if (stage_.rng.chance(50)) pause.until = stage_.clock.wall() + stage_.random(5'000, 90'000);
  if (!ask(PauseJob{job->uid, pause})) return false;
  if (pause.until && stage_.rng.chance(80)) return true;
  later(stage_.random(1'000, 120'000), [this, uid = job->uid] { resume_job(uid); });
  return true;
}

void Trouble::resume_job(JobUid uid) {
  if (!people_act()) return;
  for (const JobRow& job : door_.jobs()) {
    if (job.uid != uid || !job.pause) continue;
    const Schedule schedule = schedule_of(*job.definition);
    const Time base = std::max(door_.time_for_people(), job.plan.cursor);
    ResumeJob ask{uid, base, schedule.first_after(base), 0, std::nullopt};
    if (schedule.delay_after_end()) ask.next = job.plan.next;
    if (ask.next && *ask.next <= base) ask.next = base + Duration{1'000};
    if (job.plan.next) ask.covered = schedule.count(*job.plan.next - Duration{1}, base);
    door_.control(ask);
  }
}

bool Trouble::trigger() {
  const auto job = any_job();
  return job && people_act() && ask(TriggerJob{job->uid, fmt::format("r-{}", ++requests_ / 2)});
}

bool Trouble::cancel() {
  const auto run = any_run([](const Run& one) { return !is_ended(one.state); });
  if (!run || !people_act() || !ask(CancelRun{run->id})) return false;
  if (run->state != RunState::running) stage_.rare.saw(Rare::cancelled_waiting);
  return true;
}

bool Trouble::release_or_backfill() {
  const auto held = any_run([](const Run& one) { return one.state == RunState::held; });
  const auto skipped = any_run(
      [](const Run& one) { return one.state == RunState::skipped && one.id.space == Space::slot; });
  if (!people_act()) return false;
  if (held) return ask(ReleaseRun{held->id});
  return skipped && ask(BackfillSlot{skipped->id.job, skipped->id.slot, false});
}

bool Trouble::purge() {
  if (!people_act()) return false;
  door_.purge();
  return true;
}

/// A report with the fence of another start: from a copied spool, or from a host that was restored.
bool Trouble::report_stale() {
  const auto run = any_run([](const Run& one) { return one.state == RunState::running; });
  if (!run || !people_act()) return false;
  FinishEntry end;
  end.run = run->id;
  end.fence = Fence{run->fence->value - 1};
  end.incarnation = *run->incarnation;
  door_.finish_by_stranger(end);
  return true;
}

/// For good, as far as this person knows; its file brings it back with the next registration.
bool Trouble::retire_job() {
  const auto job = any_job();
  if (!job || job->whole || job->retired() || !people_act()) return false;
  RetireJob retire{job->uid, 0, {}};
  const Schedule schedule = schedule_of(*job->definition);
  if (job->plan.next) {
    retire.covered = schedule.count(*job->plan.next - Duration{1}, door_.time_for_people());
  }
  return ask(retire);
}

/// After a step back: jobs that are settled into the future begin again.
void Trouble::recede_jobs() {
  if (!people_act()) return;
  for (const JobRow& job : door_.jobs()) {
    const Schedule schedule = schedule_of(*job.definition);
    const bool ahead = job.plan.cursor > stage_.clock.wall() + Duration{3'000};
    if (!ahead || job.retired() || job.is_whole() || job.only_exec || schedule.delay_after_end())
      continue;
    Time settled = std::max(stage_.clock.wall(), job.floor);
    for (const Run& run : door_.runs()) {
      if (run.id.job != job.uid || run.id.space != Space::slot) continue;
      settled = std::max(settled, run.slot_to.value_or(run.id.slot));
    }
    door_.control(RecedeJob{job.uid, settled, schedule.first_after(settled)});
  }
}

void Trouble::accept_clock() {
  if (people_act()) door_.control(AcceptClock{});
}

// ---- processes beside the nodes

void Trouble::call(Host& host, Errand errand) {
  const auto caller = std::make_shared<Caller>(
      stage_, door_, host.link, host.clock, fmt::format("caller-{}", ++calls_), std::move(errand));
  host.call(caller);
  if (stage_.rng.chance(15)) later(stage_.random(50, 20'000), [caller] { caller->kill(); });
}

/// The same line of a crontab on two hosts, one after the other: each names the slot by its own
/// wall clock, which may be too wrong: that is for the store to see.
bool Trouble::exec() {
  Job job = outside_job();
  const auto known = any_job();
  const bool plain = known && !known->whole && !known->is_whole() && !known->only_exec &&
                     !known->definition->schedule.elements.empty();
  if (plain && stage_.rng.chance(40)) job = *known->definition;
  const Schedule schedule = schedule_of(job);
  static constexpr Duration kEarly{5'000};  // which slot is meant; it is waited for
  for (int i = 0; i < 2; ++i) {
    later(stage_.random(0, 1'500), [this, job, schedule, &host = any_host()] {
      const auto slot = schedule.last_at_or_before(host.clock.wall(stage_.now()) + kEarly);
      if (slot) call(host, ExecErrand{job, *slot});
    });
  }
  return true;
}

bool Trouble::once() {
  const KeyErrand errand{fmt::format("key-{}", stage_.rng.below(3)), stage_.rng.chance(30),
                         stage_.random(5'000, 120'000)};
  for (int i = 0; i < 2; ++i) {
    later(stage_.random(0, 3'000), [this, errand, &host = any_host()] { call(host, errand); });
  }
  return true;
}

}  // namespace cronce::sim
