// The simulated keeper of one process: runs children, and kills them when the trust ends.
//
// It outlives its node process, and judges by its host's boot clock alone. What it does to a child
// is what the witness sees. The end of every child that it saw die is told exactly once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/action.h"
#include "test/sim/stage.h"

namespace cronce::sim {

class Keeper {
 public:
  using Tell = std::function<void(const FinishEntry&)>;
  using TellStart = std::function<void(const RunId&)>;

  Keeper(Stage& stage, const HostClock& clock, std::string node, Tell ended, TellStart started);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void start(const std::shared_ptr<const StartRun>& order);
  void stop(const RunId& run, Reason reason);
  void trust_until(Duration boot);
  void kill_all();

  /// The machine dies: children with it, and nobody is told.
  void crash();
  /// The guest stands still, children included.
  void pause();
  void go_on();

  std::size_t children() const { return children_.size(); }

 private:
  struct Child {
    Claim claim;
    Duration kill_after{};
    Start* witness = nullptr;
    bool doomed = false;
    bool ignores_term = false;
    bool carries_on = false;  // when the lease is lost
  };

  void spawn(const Claim& claim, const Job& job);
  void plan_course(std::uint64_t id, const Job& job);
  void terminate(std::uint64_t id, Duration patience, RunState state, Reason reason);
  void end_at_boot(std::uint64_t id, Duration boot, RunState state, Reason reason);
  void end(std::uint64_t id, RunState state, Reason reason);
  void see_gone(Start& seen, RunState state, Reason reason) const;
  void tell(const Claim& claim, RunState state, Reason reason);
  void watch_deadline();
  void when_awake(Deed deed);
  Duration boot() const { return clock_.boot(stage_.now()); }

  Stage& stage_;
  const HostClock& clock_;
  std::string node_;
  Tell ended_;
  TellStart started_;
  std::map<std::uint64_t, Child> children_;
  std::uint64_t last_id_ = 0;
  Duration deadline_{-1};
  bool watches_ = false;
  bool dead_ = false;
  bool paused_ = false;
  std::vector<Deed> backlog_;
};

}  // namespace cronce::sim
