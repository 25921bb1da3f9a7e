// The processes below a process, as the kernel lists them.
//
// A list is true at no single moment: processes fork and die while it is made. Whoever wants all of
// them gone asks again until none is left, as a subreaper from which no orphan escapes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace cronce {

/// The children of the calling process, which must have one thread.
std::vector<pid_t> own_children();

/// Everything below `root`, each after its parent; `root` itself not.
std::vector<pid_t> descendants(pid_t root);

/// The same by reading about every process of the machine, where the kernel keeps no lists of
/// children.
std::vector<pid_t> descendants_by_search(pid_t root);

/// KILL for the given children of the calling process and all below them. They are gone when they
/// were waited for, and may have left children to the caller meanwhile: ask again.
void kill_with_descendants(const std::vector<pid_t>& children);

}  // namespace cronce
