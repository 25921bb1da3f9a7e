// Which incarnations of this machine have a living keeper, and what dead ones left behind.
//
// A node and its keeper share a lock on a file with the incarnation's name for as long as they
// live, and so does every sub-keeper while it keeps a tree. The kernel lets go of it when they die,
// however they die. So a free lock says that nobody keeps the runs of that incarnation any more, or
// ever will: a node whose keeper was killed gets another, in the same incarnation. The file says
// where the runs were. Blocking calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "keeper/descriptor.h"

namespace cronce {

/// The variable by which a process tells of which incarnation it is, where no control group does.
inline constexpr std::string_view kIncarnationVariable = "CRONCE_INCARNATION";

class IncarnationLock {
 public:
  /// `cgroup` is where its runs are, or none. For whoever belongs to that incarnation.
  static Result<IncarnationLock> take(const std::string& folder, const Incarnation& incarnation,
                                      const std::optional<std::string>& cgroup);

  int descriptor() const { return file_.get(); }
  /// Nothing of this incarnation runs any more.
  void remove();

 private:
  IncarnationLock(std::string path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Descriptor file_;
};

enum class KeeperLife : std::uint8_t {
  alive,
  gone,     // it died, or its node: what it left may still run
  unknown,  // it never was on this machine, or has left in order
};
KeeperLife keeper_life(const std::string& folder, const Incarnation& incarnation);

struct Cleared {
  std::vector<Incarnation> gone;      // nothing of these runs here any more
  std::vector<std::string> troubles;  // sentences, for the log
};

/// Kills what incarnations without a living keeper left running: all of their control group, or
/// every process that says it is theirs. Never a process by its number alone: that may be another's
/// by now. To be called before a starting node decides anything.
Cleared clear_leftovers(const std::string& folder, Duration patience);

}  // namespace cronce
