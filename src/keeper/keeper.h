// The node's handle on its keeper: orders go in, reports come out.
//
// Start it first thing, before any thread. Nothing here waits but start_process(). If the keeper
// dies, everything it kept is killed, its runs end as `lost: keeper`, and a new one takes its
// place: the node only sees the ends. For one thread.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "keeper/channel.h"
#include "keeper/leftovers.h"
#include "keeper/message.h"
#include "keeper/settings.h"

namespace cronce {

/// The keeper died. Nothing that it kept runs any more, the ends were told before this, and a new
/// keeper serves.
struct KeeperReplaced {};

/// No keeper serves any more: it has left as it was asked to, or it cannot be replaced. The last
/// event but for ends: what is ordered to start after it ends at once.
struct KeeperGone {
  std::string reason;                     // empty: as asked
  std::vector<Incarnation> cleared = {};  // nothing of these runs here any more
};

using KeeperEvent = std::variant<Started, Ended, Progress, Remark, KeeperReplaced, KeeperGone>;

class Keeper {
 public:
  /// Forks. As process 1 of a container it is the child that returns from here, as process 2; the
  /// caller keeps no state in the parent, which reaps and hands signals on to the child until that
  /// ends.
  static Result<Keeper> start_process(const KeeperSettings& settings);

  void start(const Start& order);
  void stop(const RunId& run, Reason reason);
  void trust_until(const TrustOrder& order);
  void kill_all();
  void end_stored(const EndKey& key);
  void leave();

  /// Readable when read() has something to do.
  int fd() const { return poll_.get(); }
  /// What happened since; and goes on sending orders that could not be sent at once.
  std::vector<KeeperEvent> read();

  pid_t pid() const { return pid_; }
  /// The control group of its runs; empty when sub-keepers keep them.
  const std::string& cgroup() const { return cgroup_; }

 private:
  struct Live {
    Fence fence;
    Incarnation incarnation;
  };

  Keeper(KeeperSettings settings, pid_t ancestor_pid, Channel ancestor, Descriptor poll);
  void ask_for_keeper();
  void send(const Order& order);
  void hold_lock(const Incarnation& incarnation);
  /// As the last order of trust has it.
  std::optional<Time> cluster_time() const;
  void poll_for(Channel& channel, bool& writing);
  void hear_keeper(std::vector<KeeperEvent>& events);
  void hear_ancestor(std::vector<KeeperEvent>& events);
  void keeper_is_dead(std::vector<KeeperEvent>& events);
  void ancestor_is_gone(std::vector<KeeperEvent>& events);
  void wait_for_sub_keepers() const;
  void dismiss_ancestor();
  void end_as_lost(std::vector<KeeperEvent>& events);
  void refuse(const Start& order, std::vector<KeeperEvent>& events) const;
  void end_for_good(const std::string& reason, std::vector<KeeperEvent>& events,
                    std::vector<Incarnation> cleared = {});
  void listen(int descriptor, bool begin);

  KeeperSettings settings_;
  pid_t ancestor_pid_;  // 0: it is not our child but our parent
  Channel ancestor_;
  Descriptor poll_;
  std::optional<Channel> keeper_;
  std::vector<Order> unsent_;       // while there is no keeper
  std::vector<KeeperEvent> early_;  // from before the next read()
  std::optional<TrustOrder> trust_;
  std::optional<Incarnation> locked_;    // whose lock we hold
  std::optional<IncarnationLock> lock_;  // also while a keeper is replaced
  std::map<RunId, Live> live_;           // sent to this keeper and not ended
  pid_t pid_ = 0;
  std::string cgroup_;
  bool keeper_writing_ = false;
  bool leaving_ = false;
  bool gone_ = false;
};

}  // namespace cronce
