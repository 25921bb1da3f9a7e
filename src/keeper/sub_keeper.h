// The process that keeps one run's tree.
//
// It is the nearest subreaper of all that its command starts, so what loses its parent becomes its
// child: when it has no child, the tree is empty, whatever sessions, names or environments the
// processes gave themselves. If its keeper dies it kills the tree and follows; if its keeper stands
// still, it kills the tree when that should have been done. One at a time, and when a tree is empty
// it can keep the next.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "keeper/channel.h"
#include "keeper/spawn.h"
#include "keeper/steady.h"

namespace cronce {

// What a keeper says to a sub-keeper. A StartTree comes with four descriptors: the command's input,
// output and progress, and one to hold for as long as the tree lives.
struct StartTree {
  Start start;
  Duration trust_until{};  // looked at again right before the clone: all of us may have slept
  std::optional<Duration> kill_at;
};
/// The keeper will have killed the tree by then if it is well.
struct KillTreeAt {
  Duration steady{};
};
struct TerminateTree {};
struct KillTree {};
using SubOrder = std::variant<StartTree, KillTreeAt, TerminateTree, KillTree>;

// What a sub-keeper answers.
struct TreeStarted {
  std::int64_t pid = 0;
};
struct CommandExited {
  std::int64_t status = 0;  // as waitpid() has it
};
struct TreeEmptied {};
using SubReport = std::variant<TreeStarted, SpawnFailure, CommandExited, TreeEmptied>;

std::string encode(const SubOrder& order);
std::string encode(const SubReport& report);
Result<SubReport> decode_sub_report(std::string_view bytes);

struct SubKeeperBirth {
  Descriptor channel;
  pid_t keeper = 0;
  rlimit open_files{};
  Steady clock = Steady::boottime;
};

/// The life of a sub-keeper, in a process just forked from the keeper. Never returns.
[[noreturn]] void run_sub_keeper(SubKeeperBirth birth);

}  // namespace cronce
