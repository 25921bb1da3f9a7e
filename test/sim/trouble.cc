#include "test/sim/trouble.h"

#include <numeric>

#include "schedule/schedule.h"

namespace cronce::sim {

const std::vector<Trouble::Kind>& Trouble::kinds() {
  static const std::vector<Kind> kKinds{
      {8, &Trouble::crash_machine, "crash"},
      {8, &Trouble::kill_process, "kill of a node process"},
      {8, &Trouble::freeze_process, "freeze of a node process"},
      {4, &Trouble::pause_guest, "pause of a guest"},
      {5, &Trouble::drain, "drain"},
      {8, &Trouble::cut_link, "partition"},
      {6, &Trouble::lag_and_cut, "slow answers, then partition"},
      {14, &Trouble::spoil_link, "bad network"},
      {4, &Trouble::take_store_away, "store outage"},
      {3, &Trouble::step_wall_clock, "step of a wall clock"},
      {4, &Trouble::step_store_clock, "step of the store's clock"},
      {6, &Trouble::deploy, "deploy"},
      {3, &Trouble::roll_back, "roll-back"},
      {5, &Trouble::pause_job, "pause of a job"},
      {6, &Trouble::trigger, "trigger"},
      {4, &Trouble::cancel, "cancel"},
      {3, &Trouble::release_or_backfill, "release or backfill"},
      {3, &Trouble::purge, "purge"},
      {2, &Trouble::report_stale, "stale report"},
  };
  return kKinds;
}

void Trouble::strike() {
  const auto add = [](unsigned sum, const Kind& kind) { return sum + kind.weight; };
  auto dice = stage_.rng.below(std::accumulate(kinds().begin(), kinds().end(), 0U, add));
  for (const Kind& kind : kinds()) {
    if (dice >= kind.weight) {
      dice -= kind.weight;
      continue;
    }
    ++faults_;
    stage_.trace([&] { return fmt::format("*** {}", kind.name); });
    (this->*kind.act)();
    return;
  }
}

void Trouble::later(Duration delay, Deed deed) {
  stage_.agenda.after(delay, [this, deed = std::move(deed)]() mutable {
    if (!healed_) deed();
  });
}

void Trouble::heal() {
  healed_ = true;
  stage_.calm = true;
  stage_.trace([] { return "*** everything heals"; });
  stage_.store_away = false;
  for (const auto& host : hosts_) {
    host->resume_guest();
    host->thaw();
    host->link.heal();
    if (host->drains()) host->kill_process();
    if (host->files()) host->offer(sets_[deployed_]);
    host->start_process();
  }
  for (const JobRow& job : door_.jobs()) {
    if (job.pause) resume_job(job.uid);
  }
}

// ---- machines and processes
// ----------------------------------------------------------------------

void Trouble::crash_machine() {
  Host& host = any_host();
  host.crash();
  later(stage_.random(1'000, 60'000), [&host] { host.start_process(); });
}

void Trouble::kill_process() {
  Host& host = any_host();
  host.kill_process();
  later(stage_.random(100, 40'000), [&host] { host.start_process(); });
}

void Trouble::freeze_process() {
  Host& host = any_host();
  if (!host.alive() || host.stands()) return;
  host.freeze();
  const bool brief = stage_.rng.chance(40);
  later(brief ? stage_.random(100, 5'000) : stage_.random(5'000, 60'000), [&host] { host.thaw(); });
}

void Trouble::pause_guest() {
  Host& host = any_host();
  if (host.stands()) return;
  host.pause_guest(stage_.rng.chance(50));
  later(stage_.random(1'000, 60'000), [&host] { host.resume_guest(); });
}

void Trouble::drain() {
  Host& host = any_host();
  host.drain();
  later(stage_.random(20'000, 90'000), [&host] {
    host.kill_process();  // if it is still there
    host.start_process();
  });
}

// ---- network, store and clocks
// -------------------------------------------------------------------

void Trouble::cut_link() {
  Host& host = any_host();
  host.link.cut = true;
  const bool brief = stage_.rng.chance(40);
  const auto lease = stage_.lease.lease.count();
  later(brief ? stage_.random(200, lease) : stage_.random(lease / 2, 3 * lease),
        [&host] { host.link.cut = false; });
}

/// The last answer before the silence was late: only trust that counts from the asking ends in
/// time.
void Trouble::lag_and_cut() {
  Host& host = any_host();
  const auto timeout = stage_.lease.answer_timeout.count();
  host.link.lag = stage_.random(timeout * 3 / 4, timeout - 50);
  later(stage_.random(stage_.lease.beat.count(), 4 * stage_.lease.beat.count()), [this, &host] {
    host.link.lag = Duration{0};
    host.link.cut = true;
    const auto lease = stage_.lease.lease.count();
    later(stage_.random(2 * lease, 3 * lease), [&host] { host.link.cut = false; });
  });
}

void Trouble::spoil_link() {
  const auto percent = [this] { return static_cast<unsigned>(stage_.rng.below(40)); };
  const Link bad{false, percent(), percent(), percent(), {}};
  const bool all = stage_.rng.chance(30);
  Host& one = any_host();
  for (const auto& host : hosts_) {
    if (!all && host.get() != &one) continue;
    const bool cut = host->link.cut;
    host->link = bad;
    host->link.cut = cut;
    later(stage_.random(5'000, 60'000), [&host] {
      const bool still_cut = host->link.cut;
      host->link = Link{};
      host->link.cut = still_cut;
    });
  }
}

void Trouble::take_store_away() {
  stage_.store_away = true;
  later(stage_.random(500, 40'000), [this] { stage_.store_away = false; });
}

void Trouble::step_wall_clock() {
  any_host().clock.step_wall(stage_.random(-7'200'000, 7'200'000));
}

/// Mostly small; a step forward is usually taken back later.
void Trouble::step_store_clock() {
  const bool back = stage_.rng.chance(50);
  const Duration by =
      stage_.rng.chance(70) ? stage_.random(200, 8'000) : stage_.random(8'000, 90'000);
  stage_.clock.step(back ? -by : by);
  stage_.rare.saw(back ? Rare::clock_back : Rare::clock_forward);
  if (back || !stage_.rng.chance(60)) return;
  later(stage_.random(2'000, 30'000), [this, by] {
    stage_.clock.step(-by);
    stage_.rare.saw(Rare::clock_back);
  });
}

// ---- people
// --------------------------------------------------------------------------------------

/// One host after the other, by a restart or in place.
void Trouble::roll_out(std::size_t set) {
  deployed_ = set;
  Duration delay{};
  for (const auto& host : hosts_) {
    if (!host->files()) continue;
    const bool restarts = stage_.rng.chance(50);
    later(delay, [this, &host, restarts, set] {
      if (deployed_ != set) return;
      if (restarts) host->kill_process();
      host->offer(sets_[set]);
      if (restarts) host->start_process();
    });
    delay += stage_.random(100, 8'000);
  }
}

void Trouble::deploy() { roll_out(std::min(deployed_ + 1, sets_.size() - 1)); }

void Trouble::roll_back() { roll_out(deployed_ > 0 ? deployed_ - 1 : 0); }

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

void Trouble::pause_job() {
  const auto job = any_job();
  if (!job || stage_.store_away) return;
  door_.control(PauseJob{job->uid, {std::nullopt, "maintenance"}});
  later(stage_.random(1'000, 120'000), [this, uid = job->uid] { resume_job(uid); });
}

void Trouble::resume_job(JobUid uid) {
  for (const JobRow& job : door_.jobs()) {
    if (job.uid != uid || !job.pause) continue;
    const Schedule schedule = Schedule::build(job.definition->schedule).value();
    const Time base = std::max(stage_.clock.wall(), job.plan.cursor);
    ResumeJob ask{uid, base, schedule.first_after(base), 0};
    if (schedule.delay_after_end()) ask.next = job.plan.next;
    if (ask.next && *ask.next <= base) ask.next = base + Duration{1'000};
    if (job.plan.next) ask.covered = schedule.count(*job.plan.next - Duration{1}, base);
    door_.control(ask);
  }
}

void Trouble::trigger() {
  const auto job = any_job();
  if (job && !stage_.store_away)
    door_.control(TriggerJob{job->uid, fmt::format("r-{}", ++requests_ / 2)});
}

void Trouble::cancel() {
  const auto run = any_run([](const Run& one) { return !is_ended(one.state); });
  if (!run || stage_.store_away) return;
  if (run->state != RunState::running) stage_.rare.saw(Rare::cancelled_waiting);
  door_.control(CancelRun{run->id});
}

void Trouble::release_or_backfill() {
  const auto held = any_run([](const Run& one) { return one.state == RunState::held; });
  const auto skipped = any_run(
      [](const Run& one) { return one.state == RunState::skipped && one.id.space == Space::slot; });
  if (stage_.store_away) return;
  if (held) {
    door_.control(ReleaseRun{held->id});
  } else if (skipped) {
    door_.control(BackfillSlot{skipped->id.job, skipped->id.slot, false});
  }
}

void Trouble::purge() {
  if (!stage_.store_away) door_.purge();
}

/// A report with the fence of another start: from a copied spool, or from a host that was restored.
void Trouble::report_stale() {
  const auto run = any_run([](const Run& one) { return one.state == RunState::running; });
  if (!run || stage_.store_away) return;
  FinishEntry end;
  end.run = run->id;
  end.fence = Fence{run->fence->value - 1};
  end.incarnation = *run->incarnation;
  door_.finish_by_stranger(end);
}

}  // namespace cronce::sim
