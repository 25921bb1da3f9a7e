// The processes below this one, as the kernel lists them, and signals for them.
//
// A list is true at no single moment: processes fork and die while it is made. Whoever wants all of
// them gone asks again until none is left, as a subreaper from which no orphan escapes. A number in
// a list may be another process's before it is used, so a signal goes to a process that is held and
// known to be below us, and never to a number. Needs /proc.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "keeper/descriptor.h"

namespace cronce {

/// One process and no other, whatever becomes of its number: its folder in /proc is open.
class HeldProcess {
 public:
  /// None when there is no such process.
  static std::optional<HeldProcess> hold(pid_t pid);

  pid_t pid() const { return pid_; }
  /// None when it is gone.
  std::optional<pid_t> parent() const;
  std::vector<pid_t> children() const;
  /// False when it is gone, or out of our reach.
  bool send(int signal) const;

 private:
  HeldProcess(pid_t pid, Descriptor folder) : pid_(pid), folder_(std::move(folder)) {}
  std::string path() const;

  pid_t pid_;
  Descriptor folder_;
};

/// The children of the calling process, which must have one thread. None when they cannot be listed
/// now, as without a descriptor: that must not be taken for having no children.
std::optional<std::vector<pid_t>> own_children();

/// Everything below the calling process gets the signal, each after its parent.
void signal_descendants(int signal);

/// KILL for the given children of the calling process and all below them. They are gone when they
/// were waited for, and may have left children to the caller meanwhile: ask again.
void kill_with_descendants(const std::vector<pid_t>& children);

/// The children of a process by reading about every process of the machine, for kernels that keep
/// no lists of children.
std::vector<pid_t> children_by_search(pid_t parent);

}  // namespace cronce
