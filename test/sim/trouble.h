// The faults of a world, and the people who use it: what goes wrong, and what is asked of it
// meanwhile.
#pragma once

#include <memory>
#include <vector>

#include "test/sim/host.h"

namespace cronce::sim {

class Trouble {
 public:
  using Hosts = std::vector<std::unique_ptr<Host>>;
  Trouble(Stage& stage, StoreDoor& door, Hosts& hosts, const std::vector<Offered>& sets)
      : stage_(stage), door_(door), hosts_(hosts), sets_(sets) {}

  /// One fault, drawn by chance; it heals by itself after a while.
  void strike();
  /// Everything that is broken comes right, at once and for good.
  void heal();

  std::uint64_t faults() const { return faults_; }

 private:
  using Act = void (Trouble::*)();
  struct Kind {
    unsigned weight;
    Act act;
    const char* name;
  };
  static const std::vector<Kind>& kinds();

  // Machines and processes.
  void crash_machine();
  void kill_process();
  void freeze_process();
  void pause_guest();
  void drain();
  // Network, store and clocks.
  void cut_link();
  void lag_and_cut();
  void spoil_link();
  void take_store_away();
  void step_wall_clock();
  void step_store_clock();
  // People.
  void deploy();
  void roll_back();
  void pause_job();
  void resume_job(JobUid job);
  void trigger();
  void cancel();
  void release_or_backfill();
  void purge();
  void report_stale();

  Host& any_host() { return *hosts_[stage_.rng.below(hosts_.size())]; }
  std::optional<JobRow> any_job();
  std::optional<Run> any_run(bool (*wanted)(const Run&));
  void roll_out(std::size_t set);
  /// Unless all was healed meanwhile.
  void later(Duration delay, Deed deed);

  Stage& stage_;
  StoreDoor& door_;
  Hosts& hosts_;
  const std::vector<Offered>& sets_;
  std::size_t deployed_ = 0;
  std::uint64_t faults_ = 0;
  std::uint64_t requests_ = 0;
  bool healed_ = false;
};

}  // namespace cronce::sim
