// Real nodes on one store, in a folder of their own, and ways to wait for what happens to them.
//
// Every wait ends with what was waited for, or after patience() with a failure. The judge is the
// witness: a file beside the store that the jobs write themselves.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/time.h"
#include "keeper/descriptor.h"
#include "store/store.h"
#include "test/support/scratch.h"
#include "test/support/server_folder.h"

namespace cronce::test {

std::chrono::seconds patience();

/// Looks again and again: for what no event tells.
bool wait_until(const std::function<bool()>& happened);

/// One `cronce run`.
class NodeProcess {
 public:
  /// `as_nobody` is without the rights of root, if the test has them.
  NodeProcess(const std::string& program, const std::vector<std::string>& arguments,
              const std::string& log, const std::map<std::string, std::string>& environment,
              bool as_nobody = false);
  /// Kills it and its keepers.
  ~NodeProcess();
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  /// Waits until it says this; what it said before counts too.
  bool says(const std::string& text) const;
  std::string log() const;
  /// Waits for its end: exit code, or 128 + signal.
  int end();
  /// Of this program, itself not included: keepers and what belongs to them.
  std::vector<pid_t> keepers() const;
  /// All that belongs to it, commands too, and itself.
  std::vector<pid_t> tree() const;

 private:
  pid_t pid_ = 0;
  std::string log_;
};

/// What a job wrote when it started.
struct Start {
  std::string job;
  Time slot;
  int attempt = 0;
  std::uint64_t fence = 0;
  std::string node;
};

class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// A command that tells the witness of its start, then does `rest`.
  std::string telling(const std::string& rest = "") const;
  void write(const std::string& name, const std::string& text) const;
  std::string path(const std::string& name) const { return folder_.file(name); }

  /// A node on the store, with these job files and flags.
  NodeProcess& start(const std::string& name, const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment = {});

  /// Another command on the store, to its end.
  struct Said {
    int exit_code = 0;
    std::string text;  // of both streams
  };
  Said command(const std::vector<std::string>& arguments);
  NodeProcess& start_command(const std::vector<std::string>& arguments);

  /// One without rights, and without a store or a folder that anybody named: by the environment.
  NodeProcess& start_default(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& environment);

  /// What the witness has seen.
  std::vector<Start> starts() const;
  std::vector<std::string> lines() const;
  bool sees(const std::string& line) const;
  /// Waits for so many slots.
  bool sees_slots(std::size_t count) const;
  /// No slot started twice.
  void expect_once() const;
  /// Those that started later have the greater fence; not of jobs that may overlap.
  void expect_growing_fences() const;

  /// Has the node read this file again, which goes on for ever, as on a disk that hangs, for as
  /// long as the descriptor lives: a pipe is in its place.
  Descriptor make_unreadable(const std::string& name, const NodeProcess& node) const;

  /// While it lives nobody can use the store, which is a SQLite file.
  Descriptor lock_store() const;
  std::vector<Run> runs() const;
  /// Waits until some row is so.
  bool has_run(const std::function<bool(const Run&)>& is_so) const;

  std::string store;  // a SQLite file, unless a test names another
  std::string name_space = "default";
  std::string state;  // the folder of the nodes that are started next
  std::string lease = "3s";
  std::string program = CRONCE_PROGRAM;

 private:
  /// --store, and --namespace if there is one to be named.
  std::vector<std::string> store_flags() const;

  Scratch folder_;
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
};

/// At one moment, as far as they can tell: nobody may clear up after another, and what ran is lost.
void kill_with_keepers(NodeProcess& node);

}  // namespace cronce::test
