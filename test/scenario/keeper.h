// The keeper of one process: its children are durations.
//
// A child's command says how long it lives: `sleep 3`, `sleep 3 && false`; any other lives for a
// second, and fails if it is `false`. At the end of trust children live on for all of `stop`, the
// longest that the lease allows. The keeper outlives its node process.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "model/operation.h"
#include "test/scenario/stage.h"

namespace cronce::scenario {

class Keeper {
 public:
  struct Tell {
    std::function<void(const RunId&)> started;
    std::function<void(const FinishEntry&)> ended;
  };

  /// `node` is its name in the trace, `member` the one under which it has a share of jobs that run
  /// everywhere.
  Keeper(Stage& stage, const MachineClock& clock, std::string node, std::string member, Tell tell);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void start(const Claim& claim, const Job& job);
  void stop(const RunId& run, Reason reason);
  void trust_until(Duration boot);
  void kill_all();

  /// The machine dies, and nobody is told.
  void crash();
  /// The machine stands still, children included; its boot clock goes on.
  void suspend();
  void wake();

  /// Ends the oldest child of a job by hand; false if there is none.
  bool end(const std::string& job, RunState state);

 private:
  struct Child {
    Claim claim;
    std::string job;
    std::size_t judged = 0;
  };

  void end(std::uint64_t id, RunState state, Reason reason);
  void tell(const Claim& claim, RunState state, Reason reason);
  void look_at_deadline();
  void later(Duration delay, std::function<void()> deed);
  std::string name_of(const Child& child) const;
  Duration boot() const { return clock_.boot(stage_.now()); }

  Stage& stage_;
  const MachineClock& clock_;
  std::string node_;
  std::string member_;
  Tell tell_;
  std::map<std::uint64_t, Child> children_;
  std::uint64_t last_id_ = 0;
  Duration deadline_{-1};
  bool dead_ = false;
  bool suspended_ = false;
  std::vector<std::function<void()>> backlog_;
};

}  // namespace cronce::scenario
