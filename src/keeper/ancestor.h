// The process under which keepers are started, and which cleans up after one that died.
//
// A program with threads cannot fork a keeper; this process has one thread, holds nothing and waits
// for nothing but its node and its children, so it can, as often as it takes. When a keeper dies
// (killed by a person, or for want of memory) the kernel gives it what the keeper kept; it kills
// all of that and only then says that the keeper is gone. As process 1 of a container it is the one
// that reaps everybody's orphans, hands signals on to the node, and ends with the node's status.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <variant>

#include "keeper/channel.h"
#include "keeper/settings.h"

namespace cronce {

// What the node tells it: that it wants a keeper, with a descriptor, the other end of their
// channel; or that the one it has must die.
inline constexpr std::string_view kBearKeeper = "keeper";
inline constexpr std::string_view kKillKeeper = "kill";

// What it tells the node.
struct KeeperBorn {
  std::int64_t pid = 0;
  std::string cgroup;  // below which its runs have theirs; empty: sub-keepers keep them
  std::string remark;  // why not in control groups
};
/// Of all that it kept nothing runs any more.
struct KeeperDead {
  std::int64_t status = 0;
};
using AncestorReport = std::variant<KeeperBorn, KeeperDead>;

std::string encode(const AncestorReport& report);
Result<AncestorReport> decode_ancestor_report(std::string_view bytes);

/// Never returns. `node` is the child that is the node when this is process 1, and 0 otherwise.
[[noreturn]] void run_ancestor(Descriptor channel, pid_t node, const KeeperSettings& settings);

}  // namespace cronce
