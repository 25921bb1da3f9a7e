// A node in a process of its own, which a test can freeze and kill without dying itself.
#pragma once

#include <functional>

#include "test/keeper/world.h"

namespace cronce::test {

class NodeProcess {
 public:
  using Orders = std::function<void(Keeper&, const KeeperSettings&)>;

  NodeProcess();
  /// Kills what is left of it.
  ~NodeProcess();
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

  /// Forks a node that starts a keeper, gives the orders, and then listens for ever.
  void start(bool cgroups, const Orders& orders);

  pid_t pid() const { return pid_; }
  /// The pid of its keeper, and of the process above that.
  pid_t keeper() const { return keeper_; }
  pid_t ancestor() const;
  void send(int signal) const;
  /// Waits until its keeper has left too.
  bool keeper_ends();

  Scratch folder;
  KeeperSettings settings;

 private:
  pid_t pid_ = 0;
  pid_t keeper_ = 0;
};

}  // namespace cronce::test
