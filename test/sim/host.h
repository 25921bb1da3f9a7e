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
#include "test/sim/keeper.h"
#include "test/sim/link.h"
#include "test/sim/store_door.h"

namespace cronce::sim {

/// The jobs of a host's files; none: it runs whatever is registered.
using Files = std::optional<Offered>;

constexpr Duration kSkewBudget{30'000};

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
  void offer(Files files);
  void hint();

  bool alive() const { return engine_ != nullptr; }
  bool drains() const { return drains_; }
  bool stands() const { return frozen_ || guest_paused_; }
  const Files& files() const { return files_; }

  Link link;
  HostClock clock;

 private:
  void feed(const Event& event);
  void obey(const std::vector<Action>& actions);
  void perform(const SendBeat& action);
  void perform(const SendWrite& action);
  void perform(const StartRun& action);
  void perform(const StopRun& action);
  void perform(const TrustUntil& action);
  void perform(const EndStored&) {}
  void perform(const KeepMark&) {}
  void perform(const KillAll& action);
  void perform(const Left& action);

  void answer_beat(const BeatAnswer& answer, Duration asked);
  void answer_write(const std::optional<WriteAnswered>& answer, std::uint64_t sequence,
                    const WriteAsk& ask);
  std::optional<WriteAnswered> guess_granted(std::uint64_t sequence, const WriteAsk& ask) const;
  void learn(const WriteAnswered& answer, const WriteAsk& ask);
  void arm_tick();
  void pipe(Agenda::Deed deed);
  void in_process(Agenda::Deed deed);
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
  ClusterClock cluster_{10, kSkewBudget};
  std::vector<std::shared_ptr<Keeper>> keepers_;  // the last one is the process's own
  std::map<RunId, FinishEntry> spool_;
  std::uint64_t life_ = 0;
  std::uint64_t ticks_ = 0;
  Duration pipe_until_{};
  std::optional<std::uint64_t> unanswered_;
  bool drains_ = false;
  bool frozen_ = false;
  bool guest_paused_ = false;
  bool clocks_stopped_ = false;
  Duration paused_at_{};
  std::vector<Agenda::Deed> backlog_;
};

}  // namespace cronce::sim
