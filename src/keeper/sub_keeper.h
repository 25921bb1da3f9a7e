// The process that keeps one run's tree where there are no control groups.
//
// It is the nearest subreaper of all that its command starts, so what loses its parent becomes its
// child: when it has no child, the tree is empty, whatever sessions, names or environments the
// processes gave themselves. If its keeper dies it kills the tree and follows. One at a time, and
// when a tree is empty it can keep the next.
#pragma once

#include <cstdint>
#include <variant>

#include "keeper/channel.h"
#include "keeper/spawn.h"

namespace cronce {

// What a keeper says to a sub-keeper. A Start comes with four descriptors: the command's input,
// output and progress, and one to hold for as long as the tree lives.
struct TerminateTree {};
struct KillTree {};
using SubOrder = std::variant<Start, TerminateTree, KillTree>;

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

/// The life of a sub-keeper, in a process just forked from the keeper. Never returns.
[[noreturn]] void run_sub_keeper(Descriptor channel, pid_t keeper, rlimit open_files);

}  // namespace cronce
