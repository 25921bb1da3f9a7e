#include "test/sim/host.h"

#include <utility>

#include "engine/describe_engine.h"

namespace cronce::sim {

Host::Host(Stage& stage, StoreDoor& door, std::size_t index, Node node, HostClock host_clock)
    : clock(host_clock), stage_(stage), door_(door), index_(index), node_(std::move(node)) {}

// ---- what befalls it
// -----------------------------------------------------------------------------

/// The next process on this host reports what the spool holds; what former ones left running is
/// killed by their own keepers, at their own deadlines.
void Host::start_process() {
  if (alive() || guest_paused_) return;
  ++life_;
  drains_ = awaits_zones_ = false;
  frozen_ = guest_paused_;
  backlog_.clear();
  unanswered_.reset();
  tick_planned_ = Duration::max();
  cluster_ = ClusterClock(stage_.lease, kSkewBudget);
  EngineSettings settings;
  settings.self = node_;
  settings.lease = stage_.lease;
  settings.mark = mark_;
  settings.claims = claims_;
  settings.find_zone = zones_of(node_.zone_data);
  engine_ = std::make_unique<Engine>(std::move(settings), Rng(stage_.rng.next()));
  keepers_.push_back(std::make_shared<Keeper>(
      stage_, clock, node_.name, [this](const FinishEntry& end) { ended(end); },
      [this, life = life_](const RunId& run) {
        if (life == life_) feed(RunStarted{run, now().cluster});
      }));
  stage_.trace(
      [&] { return fmt::format("host {} starts as {}", index_, print(engine_->incarnation())); });
  for (const auto& [run, end] : std::map(spool_)) {
    stage_.rare.saw(Rare::spooled_end);
    feed(RunEnded{end});
  }
  for (const Offered& file : files_) feed(file);
  feed(Ticked{});
}

void Host::kill_process() {
  if (!alive() || guest_paused_) return;
  stage_.witness.died(stage_.now(), engine_->incarnation());
  engine_.reset();
  ++life_;
  backlog_.clear();
  frozen_ = guest_paused_;
}

void Host::crash() {
  guest_paused_ = false;
  kill_process();
  for (const auto& keeper : keepers_) keeper->crash();
  starters_.clear();
  for (const auto& caller : callers_) caller->crash();
  frozen_ = guest_paused_ = false;
  clock = HostClock(stage_.now(), stage_.random(0, 5'000),
                    1'000 + 100 * static_cast<int>(stage_.rng.between(-1, 1)),
                    clock.wall(stage_.now()) - (kOrigin + stage_.now()));
}

void Host::freeze() { frozen_ = true; }

void Host::thaw() {
  if (guest_paused_) return;
  frozen_ = false;
  wake();
}

void Host::pause_guest(bool clocks_stop) {
  if (guest_paused_) return;
  guest_paused_ = frozen_ = true;
  clocks_stopped_ = clocks_stop;
  paused_at_ = stage_.now();
  for (const auto& keeper : keepers_) keeper->pause();
  for (const auto& caller : callers_) caller->pause();
}

void Host::resume_guest() {
  if (!guest_paused_) return;
  guest_paused_ = frozen_ = false;
  if (clocks_stopped_) {
    clock.stood_still(paused_at_, stage_.now());
    const auto stood = [this](const Incarnation& one) {
      stage_.witness.stood_still(one, paused_at_, stage_.now());
    };
    for (const Incarnation& starter : starters_) stood(starter);
    if (alive()) stood(engine_->incarnation());
    for (const auto& caller : callers_) stood(caller->incarnation());
  }
  for (const auto& keeper : keepers_) keeper->go_on();
  for (const auto& caller : callers_) caller->go_on();
  wake();
  start_process();  // if one was to be started meanwhile
}

/// Answers and time-outs that waited for the process reach it in any order.
void Host::wake() {
  auto waiting = std::exchange(backlog_, {});
  for (std::size_t i = waiting.size(); i > 1; --i) {
    std::swap(waiting[i - 1], waiting[stage_.rng.below(i)]);
  }
  for (Deed& deed : waiting) deed();
  if (alive() && !frozen_) feed(Ticked{});
}

void Host::drain() {
  drains_ = true;
  in_process(life_, [this] { feed(LeaveAsked{}); });
}

void Host::offer(const Offered& file) {
  std::erase_if(files_, [&](const Offered& old) { return old.set.source == file.set.source; });
  files_.push_back(file);
  in_process(life_, [this, file = std::make_shared<const Offered>(file)] { feed(*file); });
}

void Host::call(std::shared_ptr<Caller> caller) {
  if (guest_paused_) return;
  caller->start();
  callers_.push_back(std::move(caller));
}

void Host::hint() {
  if (!alive() || link.cut || !stage_.rng.chance(80)) return;
  stage_.agenda.after(stage_.random(2, 30),
                      [this, life = life_] { in_process(life, [this] { feed(Hinted{}); }); });
}

// ---- the engine
// ----------------------------------------------------------------------------------

Now Host::now() const {
  const Duration boot_now = boot();
  const Time wall = clock.wall(stage_.now());
  const auto time = cluster_.at(boot_now);
  return {time.value_or(wall), boot_now, cluster_.doubts_store(), wall, !time};
}

void Host::feed(Event event) {
  if (!alive()) return;
  if (frozen_) {
    backlog_.push_back([this, event = std::move(event)]() mutable { feed(std::move(event)); });
    return;
  }
  stage_.journal.event(event.index(), index_, static_cast<std::uint64_t>(stage_.now().count()));
  if (event.index() != 0) {
    stage_.trace([&] { return fmt::format("host {} <- {}", index_, describe(event)); });
  }
  const Now step = now();
  obey(engine_->step(step, event));
  if (alive()) arm_tick(step);
}

void Host::obey(std::vector<Action> actions) {
  for (Action& action : actions) {
    stage_.journal.note(100 + action.index(), index_,
                        static_cast<std::uint64_t>(stage_.now().count()));
    stage_.trace([&] { return fmt::format("host {} -> {}", index_, describe(action)); });
    std::visit([&](auto& one) { perform(std::move(one)); }, action);
  }
}

/// A tick that comes too early looks again: only an earlier one needs a place on the agenda.
void Host::arm_tick(const Now& now) {
  tick_wanted_ = engine_->next_wakeup(now);
  if (tick_wanted_ >= tick_planned_) return;
  tick_planned_ = tick_wanted_;
  stage_.agenda.at(clock.when(tick_wanted_), [this, tick = ++ticks_, life = life_] {
    if (life == life_ && tick == ticks_) this->tick();
  });
}

void Host::tick() {
  tick_planned_ = Duration::max();
  if (!alive() || frozen_) return;  // waking up is a tick
  if (boot() >= tick_wanted_) return feed(Ticked{});
  arm_tick(now());
}

}  // namespace cronce::sim
