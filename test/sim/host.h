// One simulated machine: its clocks, the node process with the real engine, keepers, and the spool.
//
// The process can be killed, frozen, drained and started again; its keepers live on. The engine
// sees only events, and all that it orders passes here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cluster_clock.h"
#include "engine/engine.h"
#include "test/sim/caller.h"
#include "test/sim/keeper.h"
#include "test/sim/link.h"
#include "test/sim/store_door.h"
#include "test/sim/zones.h"

namespace cronce::sim {

/// A host's job files; none: it runs whatever is registered.
using Files = std::vector<Offered>;

class Host {
 public:
  Host(Stage& stage, StoreDoor& door, std::size_t index, Node node, HostClock clock);

  // What befalls it.
  void start_process();
  void kill_process();
  void crash();   // machine: children die, boot clock starts anew
  void freeze();  // the node process alone
  void thaw();
  void pause_guest(bool clocks_stop);
  void resume_guest();
  void drain();
  /// A file appears or changes; the last of its source counts.
  void offer(const Offered& file);
  /// Its next process knows the newer zones.
  void update_zones() {
    awaits_zones_ = awaits_zones_ || node_.zone_data != kNewZones;
    node_.zone_data = kNewZones;
  }
  void hint();

  // Processes beside the node: `exec` and `once`.
  void call(std::shared_ptr<Caller> caller);

  bool alive() const { return engine_ != nullptr; }
  bool drains() const { return drains_; }
  bool awaits_zones() const { return awaits_zones_; }
  bool stands() const { return frozen_ || guest_paused_; }
  const Files& files() const { return files_; }
  const Node& node() const { return node_; }

  Link link;
  HostClock clock;

 private:
  /// A call to the store that is under way. The first answer that reaches the process closes it.
  template <class Ask>
  struct Call {
    Ask ask;
    std::uint64_t life = 0;  // of the process that asked
    Duration asked{};        // its boot time then
    bool open = true;
  };
  using BeatCall = std::shared_ptr<Call<BeatAsk>>;
  using WriteCall = std::shared_ptr<Call<SendWrite>>;

  void feed(Event event);
  void obey(std::vector<Action> actions);
  void perform(SendBeat&& action);
  void perform(SendWrite&& action);
  void perform(StartRun&& action);
  void perform(StopRun&& action);
  void perform(TrustUntil action);
  void perform(const EndStored&) {}
  void perform(const KeepMark& action);
  static void perform(const KeepBoot&) {}
  static void perform(const LookForNotices&) {}
  void perform(const KillAll& action);
  void perform(const Left& action);

  template <class Ask>
  void send(const std::shared_ptr<Call<Ask>>& call);
  template <class Ask>
  void give_up_at(Duration time, const std::shared_ptr<Call<Ask>>& call);
  void arrive(const BeatCall& call, std::optional<Duration> way);
  void arrive(const WriteCall& call, std::optional<Duration> way);
  void answer(const BeatCall& call, BeatAnswer answer, Duration reached);
  void answer(const WriteCall& call, WriteAnswered answer, Duration reached);
  void give_up(const BeatCall& call);
  void give_up(const WriteCall& call);
  std::optional<WriteAnswered> guess_granted(const SendWrite& asked) const;
  void learn(const WriteAnswered& answer, const WriteAsk& ask);
  void arm_tick(const Now& now);
  void tick();
  void pipe(Deed&& deed);
  /// Now, or when the process goes on; never if it is another process by then.
  template <class What>
  void in_process(std::uint64_t life, What what) {
    if (life != life_ || !alive()) return;
    if (!frozen_) return what();
    backlog_.push_back(std::move(what));
  }
  void wake();
  void ended(const FinishEntry& end);
  void forget_spooled(const WriteAsk& ask);
  Now now() const;
  Duration boot() const { return clock.boot(stage_.now()); }

  Stage& stage_;
  StoreDoor& door_;
  std::size_t index_;
  Node node_;
  Files files_;
  std::unique_ptr<Engine> engine_;
  ClusterClock cluster_{LeaseSettings{}, kSkewBudget};
  std::vector<std::shared_ptr<Keeper>> keepers_;  // the last one is the process's own
  std::set<Incarnation> starters_;                // whose children may live here
  std::vector<std::shared_ptr<Caller>> callers_;
  std::map<RunId, FinishEntry> spool_;
  std::optional<Mark> mark_;   // on this machine's disk
  std::vector<Claim> claims_;  // the same
  std::uint64_t life_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t words_ = 0;                  // of a planted bug
  Duration tick_planned_ = Duration::max();  // boot time of the tick that is on the agenda
  Duration tick_wanted_ = Duration::max();
  Duration pipe_until_{};
  std::optional<std::uint64_t> unanswered_;
  bool drains_ = false;
  bool awaits_zones_ = false;
  bool frozen_ = false;
  bool guest_paused_ = false;
  bool clocks_stopped_ = false;
  Duration paused_at_{};
  std::vector<Deed> backlog_;
};

}  // namespace cronce::sim
