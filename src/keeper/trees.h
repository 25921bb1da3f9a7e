// The process trees of all runs: started, signalled, and known to be empty.
//
// A run is over when its tree is empty, and not when its command has exited: what it left behind
// may go on working. A tree is kept by a process of ours (sub_keeper.h) from which no orphan
// escapes; where we may make control groups, that process and with it the tree also live in one of
// their own, so that a tree is found even when its sub-keeper is killed, and can be killed in one
// step. Both are used again for later runs: making them costs more than starting a command.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keeper/channel.h"
#include "keeper/message.h"
#include "keeper/poller.h"
#include "keeper/settings.h"
#include "keeper/spawn.h"
#include "keeper/sub_keeper.h"

namespace cronce {

/// A run's number in this keeper, never given twice.
using RunTag = std::uint64_t;

/// What becomes of a tree, told to the keeper. After plant(): either refused, or started, exited
/// and emptied, in this order; or `vanished` at any time.
class TreeListener {
 public:
  virtual ~TreeListener() = default;
  virtual void started(RunTag run, pid_t pid) = 0;
  virtual void refused(RunTag run, const SpawnFailure& failure) = 0;
  /// The command itself has ended, with a status as waitpid() has it.
  virtual void exited(RunTag run, int status) = 0;
  virtual void emptied(RunTag run) = 0;
  /// Its sub-keeper died: the tree is gone, and how the command ended is not known.
  virtual void vanished(RunTag run) = 0;
};

class Trees {
 public:
  /// The control groups of trees are made below `cgroup`, if it is given.
  Trees(std::optional<std::string> cgroup, const KeeperSettings& settings, Poller& poller,
        TreeListener& listener);

  /// Whether a start now would not have to wait for others under way.
  bool ready() const { return starting_.size() < at_once_; }
  /// Does not count those that take very long, as from a folder on a server that is away: others
  /// need not wait for them.
  void pass_slow(Duration now);
  /// When the next one has taken so long.
  std::optional<Duration> pass_due() const;
  /// What becomes the command's, and a lock that is held for as long as the tree lives, or -1.
  struct Seed {
    Descriptor input;
    Descriptor output;
    Descriptor progress;
    int lock = -1;
  };
  void plant(RunTag run, const StartTree& order, Seed seed);
  /// From then on it is killed even if this process stands still.
  void kill_at(RunTag run, Duration steady);
  /// TERM to every process of it.
  void terminate(RunTag run);
  /// KILL to every process of it, until none is left.
  void kill(RunTag run);
  /// The same without the sub-keeper, which does not manage: it dies too, and how the command has
  /// ended will not be known.
  void kill_harder(RunTag run);

  /// A sub-keeper in reserve, made while nothing starts: then no start waits for its birth.
  bool wants_reserve() const {
    return starting_.empty() && free_.size() < at_once_ && !short_of_processes_;
  }
  void make_reserve();
  /// Lets those go that a burst left behind, when they have had nothing to do for a while.
  void trim(Duration now);
  /// When there will be something to trim.
  std::optional<Duration> trim_due() const;

  /// Something happened to the tree (Poller::Kind::tree) of this number.
  void look(std::uint64_t number);
  /// A child of this process has ended.
  void reaped(pid_t pid);
  /// A sub-keeper was killed, and what it kept may live: call tidy() until this is over.
  bool untidy() const { return !vanished_.empty(); }
  void tidy();

 private:
  struct Sub {
    pid_t pid = 0;  // 0: it was waited for
    Channel channel;
    std::string group;  // its control group; empty: none
    RunTag run = 0;     // 0: free
    bool writing = false;
  };
  using Subs = std::map<std::uint64_t, Sub>;
  struct Vanished {
    RunTag run = 0;
    std::string group;
  };

  Result<Subs::iterator> take_sub();
  Result<Subs::iterator> fork_sub();
  Sub* find(RunTag run);
  void order(RunTag run, const SubOrder& order);
  void write(std::uint64_t number, Sub& sub);
  void hear(Subs::iterator sub, const SubReport& report);
  void set_free(Subs::iterator sub);
  void retire(Subs::iterator sub);
  void forget(Subs::iterator sub);
  void bury(Subs::iterator sub);
  std::optional<std::vector<pid_t>> orphans() const;
  bool is_gone(const Vanished& tree, const std::vector<pid_t>& orphans) const;

  std::optional<std::string> cgroup_;
  rlimit open_files_;
  Steady clock_;
  Duration keep_free_;
  Poller& poller_;
  TreeListener& listener_;
  Subs subs_;
  std::map<RunTag, std::uint64_t> keeping_;  // run -> its sub-keeper
  struct Since {
    std::uint64_t sub = 0;
    Duration since{};
  };
  std::vector<Since> free_;  // the last one is used first
  bool short_of_processes_ = false;
  std::vector<Since> starting_;  // the first one for the longest time
  std::size_t at_once_;
  std::uint64_t made_ = 0;
  std::vector<Vanished> vanished_;
  std::map<pid_t, std::string> retired_;  // sub-keepers that end themselves, and their groups
};

}  // namespace cronce
