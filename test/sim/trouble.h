// The faults of a world, and the people who use it: what goes wrong, and what is asked of it
// meanwhile.
#pragma once

#include <array>
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
  void strike() { befall(true); }
  /// Somebody uses what there is.
  void use() { befall(false); }
  /// Everything that is broken comes right, at once and for good.
  void heal();

  std::uint64_t faults() const;
  /// How often each kind came.
  static constexpr std::size_t kKinds = 29;
  using Counts = std::array<std::uint64_t, kKinds>;
  const Counts& counts() const { return counts_; }
  static const char* name_of(std::size_t kind) { return kinds()[kind].name; }

 private:
  /// Whether it did anything: not every fault can befall everything at any time.
  using Act = bool (Trouble::*)();
  struct Kind {
    unsigned weight;
    Act act;
    const char* name;
    bool fault = true;
  };
  static const std::array<Kind, kKinds>& kinds();
  void befall(bool fault);

  // Machines and processes.
  bool crash_machine();
  bool kill_process();
  bool freeze_process();
  bool pause_guest();
  bool drain();
  // Network, store and clocks.
  bool cut_link();
  bool lag_and_cut();
  bool spoil_link();
  bool take_store_away();
  bool restart_store();
  bool fail_over();
  bool restore_store();
  bool step_wall_clock();
  bool step_store_clock();
  bool step_to_2098();
  // People (trouble_people.cc).
  bool deploy();
  bool roll_back();
  bool deploy_extra();
  bool offer_stray();
  bool update_zones();
  bool pause_job();
  void resume_job(JobUid job);
  bool trigger();
  bool cancel();
  bool release_or_backfill();
  bool retire_job();
  void recede_jobs();
  void accept_clock();
  bool purge();
  bool report_stale();
  bool exec();
  bool once();

  Host& any_host() { return *hosts_[stage_.rng.below(hosts_.size())]; }
  std::optional<JobRow> any_job();
  std::optional<Run> any_run(bool (*wanted)(const Run&));
  void roll_out(std::size_t set);
  void call(Host& host, Errand errand);
  /// Whether the store did it.
  bool ask(const ControlAsk& what);
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
  Counts counts_{};
  std::uint64_t requests_ = 0;
  std::uint64_t calls_ = 0;
  bool healed_ = false;
};

}  // namespace cronce::sim
