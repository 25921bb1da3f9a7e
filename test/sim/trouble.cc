#include "test/sim/trouble.h"

#include <algorithm>
#include <numeric>

namespace cronce::sim {

const std::array<Trouble::Kind, Trouble::kKinds>& Trouble::kinds() {
  static const std::array<Kind, kKinds> kAll{{
      {8, &Trouble::crash_machine, "crash"},
      {8, &Trouble::kill_process, "kill of a node process"},
      {8, &Trouble::freeze_process, "freeze of a node process"},
      {4, &Trouble::pause_guest, "pause of a guest"},
      {5, &Trouble::drain, "drain"},
      {8, &Trouble::cut_link, "partition"},
      {6, &Trouble::lag_and_cut, "slow answers, then partition"},
      {14, &Trouble::spoil_link, "bad network"},
      {4, &Trouble::take_store_away, "store outage"},
      {2, &Trouble::restart_store, "restart of the store"},
      {3, &Trouble::fail_over, "fail-over of the store"},
      {2, &Trouble::restore_store, "restore of the store"},
      {3, &Trouble::step_wall_clock, "step of a wall clock"},
      {4, &Trouble::step_store_clock, "step of the store's clock"},
      {1, &Trouble::step_to_2098, "store's clock in 2098"},
      {6, &Trouble::deploy, "deploy"},
      {3, &Trouble::roll_back, "roll-back"},
      {2, &Trouble::deploy_extra, "deploy of the second source"},
      {2, &Trouble::offer_stray, "stray file"},
      {2, &Trouble::update_zones, "update of zone data"},
      {5, &Trouble::pause_job, "pause of a job"},
      {6, &Trouble::trigger, "trigger", false},
      {4, &Trouble::cancel, "cancel", false},
      {3, &Trouble::release_or_backfill, "release or backfill", false},
      {1, &Trouble::retire_job, "retirement of a job", false},
      {3, &Trouble::purge, "purge"},
      {2, &Trouble::report_stale, "stale report", false},
      {8, &Trouble::exec, "exec", false},
      {6, &Trouble::once, "once", false},
  }};
  return kAll;
}

std::uint64_t Trouble::faults() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kKinds; ++i) sum += kinds()[i].fault ? counts_[i] : 0;
  return sum;
}

/// One that can do nothing now makes way for another.
void Trouble::befall(bool fault) {
  std::array<unsigned, kKinds> weights{};
  std::transform(kinds().begin(), kinds().end(), weights.begin(),
                 [&](const Kind& kind) { return kind.fault == fault ? kind.weight : 0; });
  for (;;) {
    auto dice = stage_.rng.below(std::accumulate(weights.begin(), weights.end(), 0U));
    std::size_t drawn = 0;
    while (dice >= weights[drawn]) dice -= weights[drawn++];
    const Kind& kind = kinds()[drawn];
    stage_.trace([&] { return fmt::format("*** {}", kind.name); });
    if (!(this->*kind.act)()) continue;
    ++counts_[drawn];
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
  stage_.clock.step(-stage_.clock.offset());
  for (const auto& host : hosts_) {
    host->resume_guest();
    host->thaw();
    host->link.heal();
    host->clock.set_wall_right();
    if (host->drains() || host->awaits_zones()) host->kill_process();
    const bool has_extra = host->files().size() > 1;
    if (has_extra) host->offer(script_.extras.back());
    if (!host->files().empty()) host->offer(script_.sets[deployed_]);
    host->start_process();
  }
  // What the second source was in the way of is offered once more.
  stage_.agenda.after(Duration{10'000}, [this] {
    for (const auto& host : hosts_) {
      if (!host->files().empty()) host->offer(script_.sets[deployed_]);
    }
  });
  for (const JobRow& job : door_.jobs()) {
    if (job.pause && !job.pause->until) resume_job(job.uid);
  }
  recede_jobs();
}

// ---- machines and processes
// ----------------------------------------------------------------------

bool Trouble::crash_machine() {
  Host& host = any_host();
  const bool was_alive = host.alive();
  host.crash();
  later(stage_.random(1'000, 60'000), [&host] { host.start_process(); });
  return was_alive;
}

bool Trouble::kill_process() {
  Host& host = any_host();
  if (!host.alive()) return false;
  host.kill_process();
  later(stage_.random(100, 40'000), [&host] { host.start_process(); });
  return !host.alive();
}

bool Trouble::freeze_process() {
  Host& host = any_host();
  if (!host.alive() || host.stands()) return false;
  host.freeze();
  const bool brief = stage_.rng.chance(40);
  later(brief ? stage_.random(100, 5'000) : stage_.random(5'000, 60'000), [&host] { host.thaw(); });
  return true;
}

bool Trouble::pause_guest() {
  Host& host = any_host();
  if (host.stands()) return false;
  host.pause_guest(stage_.rng.chance(50));
  later(stage_.random(1'000, 60'000), [&host] { host.resume_guest(); });
  return true;
}

bool Trouble::drain() {
  Host& host = any_host();
  if (!host.alive() || host.drains()) return false;
  host.drain();
  later(stage_.random(20'000, 90'000), [&host] {
    host.kill_process();  // if it is still there
    host.start_process();
  });
  return true;
}

// ---- network, store and clocks
// -------------------------------------------------------------------

bool Trouble::cut_link() {
  Host& host = any_host();
  if (std::exchange(host.link.cut, true)) return false;
  const bool brief = stage_.rng.chance(40);
  const auto lease = stage_.lease.lease.count();
  later(brief ? stage_.random(200, lease) : stage_.random(lease / 2, 3 * lease),
        [&host] { host.link.cut = false; });
  return true;
}

/// The last answer before the silence was late: only trust that counts from the asking ends in
/// time.
bool Trouble::lag_and_cut() {
  Host& host = any_host();
  if (host.link.cut) return false;
  const auto timeout = stage_.lease.answer_timeout.count();
  host.link.lag = stage_.random(timeout * 3 / 4, timeout - 50);
  later(stage_.random(stage_.lease.beat.count(), 4 * stage_.lease.beat.count()), [this, &host] {
    host.link.lag = Duration{0};
    host.link.cut = true;
    const auto lease = stage_.lease.lease.count();
    later(stage_.random(2 * lease, 3 * lease), [&host] { host.link.cut = false; });
  });
  return true;
}

bool Trouble::spoil_link() {
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
  return true;
}

bool Trouble::take_store_away() {
  if (std::exchange(stage_.store_away, true)) return false;
  later(stage_.random(500, 40'000), [this] { stage_.store_away = false; });
  return true;
}

/// Nothing is forgotten, and nobody is answered for a moment.
bool Trouble::restart_store() {
  if (std::exchange(stage_.store_away, true)) return false;
  stage_.rare.saw(Rare::store_restarted);
  later(stage_.random(100, 1'500), [this] { stage_.store_away = false; });
  return true;
}

/// To a replica that was some seconds behind.
bool Trouble::fail_over() {
  if (door_.has_image()) return false;
  door_.keep_image();
  later(stage_.random(200, 12'000), [this] {
    stage_.store_away = true;
    later(stage_.random(50, 3'000), [this] {
      door_.put_back(true);
      stage_.store_away = false;
      stage_.rare.saw(Rare::failed_over);
      stage_.trace([] { return "*** the store is another, and some seconds older"; });
    });
  });
  return true;
}

/// A backup in the place of what was there.
bool Trouble::restore_store() {
  if (door_.has_image()) return false;
  door_.keep_image();
  later(stage_.random(1'000, 60'000), [this] {
    stage_.store_away = true;
    later(stage_.random(1'000, 20'000), [this] {
      door_.put_back(false);
      stage_.store_away = false;
      stage_.rare.saw(Rare::restored);
      stage_.trace([] { return "*** the store is put back to what it was"; });
    });
  });
  return true;
}

/// Somebody sets it, and somebody else sets it right.
bool Trouble::step_wall_clock() {
  Host& host = stage_.walls_right ? *hosts_.front() : any_host();
  const Duration by = stage_.random(600'000, 7'200'000) * (stage_.rng.chance(50) ? 1 : -1);
  host.clock.step_wall(by);
  later(stage_.random(20'000, 200'000), [&host, by] { host.clock.step_wall(-by); });
  return true;
}

/// Mostly small; a step forward is usually taken back later. One that is doubted may be accepted by
/// a person.
bool Trouble::step_store_clock() {
  const bool back = stage_.rng.chance(50);
  const Duration by =
      stage_.rng.chance(60) ? stage_.random(200, 8'000) : stage_.random(8'000, 90'000);
  stage_.clock.step(back ? -by : by);
  stage_.rare.saw(back ? Rare::clock_back : Rare::clock_forward);
  if (back) {
    later(stage_.random(500, 10'000), [this] { recede_jobs(); });
    return true;
  }
  if (by > kSkewBudget && stage_.rng.chance(40)) {
    later(stage_.random(2'000, 20'000), [this] { accept_clock(); });
  }
  if (!stage_.rng.chance(60)) return true;
  later(stage_.random(2'000, 60'000), [this, by] {
    stage_.clock.step(-by);
    stage_.rare.saw(Rare::clock_back);
  });
  return true;
}

bool Trouble::step_to_2098() {
  static constexpr Duration kYears = std::chrono::days{26'300};
  stage_.clock.step(kYears);
  stage_.rare.saw(Rare::clock_in_2098);
  later(stage_.random(10'000, 200'000), [this] { stage_.clock.step(-kYears); });
  return true;
}

}  // namespace cronce::sim
