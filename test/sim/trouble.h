// The faults of a world, and the people who use it: what goes wrong, and what is asked of it
// meanwhile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "test/sim/host.h"
#include "test/sim/script.h"

namespace cronce::sim {

class Trouble {
 public:
  using Hosts = std::vector<std::unique_ptr<Host>>;
  Trouble(Stage& stage, StoreDoor& door, Hosts& hosts, const Script& script)
      : stage_(stage), door_(door), hosts_(hosts), script_(script) {}

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
  void restart_store();
  void fail_over();
  void restore_store();
  void step_wall_clock();
  void step_store_clock();
  void step_to_2098();
  // People (trouble_people.cc).
  void deploy();
  void roll_back();
  void deploy_extra();
  void offer_stray();
  void update_zones();
  void pause_job();
  void resume_job(JobUid job);
  void trigger();
  void cancel();
  void release_or_backfill();
  void retire_job();
  void recede_jobs();
  void accept_clock();
  void purge();
  void report_stale();
  void exec();
  void once();

  Host& any_host() { return *hosts_[stage_.rng.below(hosts_.size())]; }
  std::optional<JobRow> any_job();
  std::optional<Run> any_run(bool (*wanted)(const Run&));
  void roll_out(std::size_t set);
  void call(Host& host, Errand errand);
  /// Whether somebody could ask the store something sensible now.
  bool people_act() const;
  /// Unless all was healed meanwhile.
  void later(Duration delay, Deed deed);

  Stage& stage_;
  StoreDoor& door_;
  Hosts& hosts_;
  const Script& script_;
  std::size_t deployed_ = 0;
  std::size_t extra_ = 0;
  std::uint64_t faults_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t calls_ = 0;
  bool healed_ = false;
};

}  // namespace cronce::sim
