// Control groups (version 2): the kernel's own list of the processes of a run.
//
// A process cannot leave its group by forking, by a session of its own or by clearing its
// environment, and all of a group can be killed in one step. Needs a mounted hierarchy in which we
// may make folders.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "keeper/descriptor.h"

namespace cronce {

/// The folder of this process's own group, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup. None when no hierarchy of version 2 is mounted, or our group is not in it.
std::optional<std::string> own_cgroup(std::string_view mountinfo, std::string_view cgroup);

/// A group for a keeper's runs. It is alive for as long as `life` is open in any process.
struct KeeperCgroup {
  std::string path;
  Descriptor life;
};
/// A new one below our own group, after trying that a process can enter one below it.
Result<KeeperCgroup> make_keeper_cgroup();

/// Removes groups like this one, and beside it, that are nobody's any more, as far as they are
/// empty: everybody who could have done it was killed.
void remove_dead_keeper_cgroups(const KeeperCgroup& living);

/// A new group below a keeper's.
Status add_cgroup(const std::string& path);

/// The calling process moves into it, with all that it will start.
Status enter_cgroup(const std::string& path);

/// Removes a group and those below it, as far as they are empty.
void remove_cgroup(const std::string& path);

/// KILL for every process of the group and of those below it, in one step where the kernel offers
/// that. They may take a moment to be gone.
void kill_cgroup(const std::string& path);

/// Kills what is in it until it is empty, and removes it. False when it is not empty in time.
bool clear_cgroup(const std::string& path, Duration patience);

}  // namespace cronce
