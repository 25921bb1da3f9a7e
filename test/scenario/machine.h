// A machine of the scenario: a node process with the real engine, its keeper, its clocks, and the
// spool of ends that the store does not have yet.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cluster_clock.h"
#include "engine/engine.h"
#include "test/scenario/door.h"
#include "test/scenario/keeper.h"
#include "test/scenario/network.h"

namespace cronce::scenario {

class Machine {
 public:
  Machine(Stage& stage, Door& door, Network& network, std::string name);

  /// A new process; `rng` gives its incarnation.
  void start(Rng rng);
  void kill();                       // the process alone: the keeper and its children live on
  void crash();                      // all of it
  void freeze() { frozen_ = true; }  // the process alone
  void thaw();
  void suspend();  // process, keeper and children; the boot clock goes on
  void wake();
  void drain() { feed(LeaveAsked{}); }
  void offer(const Offered& offered);
  void hint();
  bool end_child(const std::string& job, RunState state);

  bool alive() const { return engine_ != nullptr; }

  Node node;                              // what the next process says of itself
  std::map<std::string, Offered> offers;  // its files, by source
  /// Zones that follow the rules of another one here: another release of the zone data.
  std::map<std::string, std::string> zones;
  MachineClock clock;

 private:
  struct Call {
    std::uint64_t life = 0;
    bool open = true;
  };

  void feed(const Event& event);
  void perform(const SendBeat& action);
  void perform(const SendWrite& action);
  void perform(const StartRun& action) { keeper_->start(action.claim, *action.job); }
  void perform(const StopRun& action) { keeper_->stop(action.run, action.reason); }
  void perform(const TrustUntil& action) { keeper_->trust_until(action.boot); }
  void perform(const EndStored& action);
  void perform(const KeepMark& action) {
    mark_ = action.mark;
    claims_.insert(claims_.end(), action.claims.begin(), action.claims.end());
  }
  static void perform(const KeepBoot&) {}
  static void perform(const LookForNotices&) {}
  void perform(const KillAll&);
  void perform(const Left&);

  void answered(const SendWrite& asked, const std::optional<WriteAnswered>& answer);
  void tell_doubt(Duration asked, const BeatAnswer& answer);
  void tell_epoch(const BeatAnswer& answer);
  void tell_settled(const SendWrite& asked, const WriteAnswered& answer);
  void in_process(const std::shared_ptr<Call>& call, const std::function<void()>& deed);
  void wait_for_answer(const std::shared_ptr<Call>& call, const std::function<void()>& give_up);
  void arm_tick();
  Now now() const;
  EngineSettings settings() const;
  Duration boot() const { return clock.boot(stage_.now()); }

  Stage& stage_;
  Door& door_;
  Network& network_;
  std::string name_;
  std::unique_ptr<Engine> engine_;
  ClusterClock cluster_;
  std::shared_ptr<Keeper> keeper_;
  std::vector<std::shared_ptr<Keeper>> former_keepers_;
  // On its disk.
  std::map<RunId, FinishEntry> spool_;
  std::optional<Mark> mark_;
  std::vector<Claim> claims_;         // on its disk, as the mark is
  std::optional<SendWrite> unknown_;  // the write that the next empty one settles
  bool sees_closed_ = false;
  std::uint64_t life_ = 0;
  std::uint64_t ticks_ = 0;
  bool frozen_ = false;
  std::vector<std::function<void()>> backlog_;
};

}  // namespace cronce::scenario
