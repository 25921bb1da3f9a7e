// Carries out what the engine orders: each order goes to the thread or the process that can do it.
//
// Nothing here waits. What comes of an order comes back as an event, by the loop; what can be said
// at once, because an order cannot be carried out, is in arisen(). For one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "keeper/environment.h"
#include "keeper/keeper.h"
#include "node/chores.h"
#include "node/heartbeat.h"
#include "node/notifier.h"
#include "node/settings.h"
#include "node/store_worker.h"

namespace cronce {

/// What was asked of the store and is not answered. After `give_up`, on the boot clock, nobody
/// waits for the answer any more.
template <class Id>
struct OpenCall {
  Id id;
  Duration give_up{};
};

class Performer {
 public:
  struct Parts {
    const NodeSettings& settings;
    const Clock& clock;
    const KeeperSettings& keeper_settings;
    StoreId store;
    Keeper& keeper;
    StoreWorker& worker;
    Heartbeat& heartbeat;
    Chores& chores;
    Notifier& notifier;
  };
  explicit Performer(const Parts& parts);

  /// `incarnation` is the engine's after the step that gave the order.
  void perform(Action&& action, const Now& now, const Incarnation& incarnation);

  /// Events that need nobody else to happen.
  std::vector<Event> arisen() { return std::exchange(arisen_, {}); }

  void user_found(const UserFound& found, const Now& now);
  void ended(const FinishEntry& end);
  /// Every command is told to end.
  void stop_all(Reason reason);

  std::size_t live() const { return live_.size() + waiting_.size(); }
  bool left() const { return left_; }

  // Until they are answered or given up.
  std::optional<OpenCall<Beat>> beat;
  std::optional<OpenCall<std::uint64_t>> write;

 private:
  void perform(SendBeat&& action);
  void perform(SendWrite&& action);
  void perform(StartRun&& action);
  void perform(const StopRun& action);
  void perform(const TrustUntil& action);
  void perform(const EndStored& action);
  void perform(const KeepMark& action);
  void perform(const KeepBoot& action);
  void perform(LookForNotices&& action);
  void perform(const KillAll& action);
  void perform(const Left&) { left_ = true; }

  void start(const StartRun& order, const Result<User>& user);
  void refuse(const Claim& claim, RunState state, Reason reason, std::string why);
  RunFacts facts_of(const StartRun& order) const;
  EndKey key_of(const RunId& run, Fence fence) const;
  void trim_logs(const Job& job, const RunId& run);

  Parts parts_;
  User self_;
  Now now_;
  Incarnation incarnation_;
  std::vector<Event> arisen_;
  std::map<RunId, Fence> live_;     // given to the keeper
  std::map<RunId, Claim> waiting_;  // until it is known whom they run as
  std::map<JobUid, std::size_t> since_trim_;
  bool left_ = false;
};

}  // namespace cronce
