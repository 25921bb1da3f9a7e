// A keeper with real processes, in a folder of its own, and ways to wait for what happens to them.
//
// Every wait ends after patience_ms(): with what was waited for, or with a failure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "keeper/keeper.h"
#include "test/support/scratch.h"

namespace cronce::test {

/// 20 seconds, or CRONCE_PATIENCE_MS: planted faults are not worth a long wait.
int patience_ms();

/// Sees the life of processes that hold the other end of a FIFO.
class Witness {
 public:
  explicit Witness(std::string path);
  const std::string& path() const { return path_; }

  /// Somebody has written.
  bool sees_begin();
  /// Somebody writes, now: what was written before does not count.
  bool sees_life();
  /// Waits until nobody holds the other end any more.
  bool sees_end();

 private:
  std::string path_;
  Descriptor fifo_;
};

/// The path of test/keeper/actor.cc as a program.
std::string actor();

/// An order whose numbers all come from `number`.
Start order(int number, std::vector<std::string> argv);
EndKey key(int number);
RunId run(int number);
Incarnation incarnation();
StoreId store();

/// Waits for events of a keeper and keeps them.
class Listener {
 public:
  explicit Listener(Keeper& keeper) : keeper_(keeper) {}

  bool wait(const std::function<bool()>& happened);
  void read();

  const Started* started(int number);
  /// The end of the run; fails when it does not come.
  FinishEntry end(int number);
  std::size_t ends(int number) const;

  bool stores = true;  // ends are stored at once, as by a node that is well
  std::map<RunId, Started> starts;
  std::multimap<RunId, FinishEntry> finished;
  std::vector<Progress> progress;
  std::vector<std::string> remarks;
  int replaced = 0;
  std::optional<KeeperGone> gone;

 private:
  Keeper& keeper_;
};

/// A keeper, its node (the test itself), and the trust that it has.
class World {
 public:
  explicit World(bool cgroups, const std::function<void(KeeperSettings&)>& adjust = {});
  /// Leaves in order, and fails if anything is left.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void trust(Duration longer);

  Scratch folder;
  KeeperSettings settings;
  Keeper keeper;
  Listener events;
};

/// Looks again and again: for what no event tells.
bool wait_until(const std::function<bool()>& happened);

/// All processes of this name (as prctl sets it) below `root`.
std::vector<pid_t> below(pid_t root, const std::string& name);

pid_t parent_of(pid_t pid);

/// As /proc has it: R, S, D, T, Z; 0 when it is gone.
char state_of(pid_t pid);
/// A process that lives: neither gone nor waiting to be reaped.
bool is_alive(pid_t pid);

/// With control groups and without.
std::string mode_name(const testing::TestParamInfo<bool>& mode);

}  // namespace cronce::test
