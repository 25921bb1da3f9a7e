// One new process, from the first system call to exec.
//
// The child shares our memory until it has become the command (clone3 with VM and VFORK), so a
// start costs the same however large the keeper is, and what went wrong on the way is simply
// written where we read it. Between clone and exec there are system calls and nothing else. Only
// for a process with one thread.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "keeper/descriptor.h"
#include "keeper/message.h"

namespace cronce {

/// The descriptor on which a command reports progress; its number in the command.
inline constexpr int kProgressDescriptor = 3;

/// What becomes the command's 0, 1 and 2, and kProgressDescriptor. None of the numbers may be one
/// of these four: a keeper keeps them occupied (occupy_low_descriptors).
struct ChildDescriptors {
  int input = -1;
  int output = -1;
  int progress = -1;
};

/// What is said of a command whose turn came too late.
inline constexpr std::string_view kLeaseEnded = "the lease ended before the start";

/// Why a command did not start.
struct SpawnFailure {
  std::string sentence;
  std::optional<std::int64_t> exit_code;  // as a shell has it: 127 not found, 126 not executable
};

/// The limit on open files that commands inherit. A keeper needs more for itself.
rlimit raise_open_files();

/// Makes sure that no later descriptor gets one of the numbers 0 to kProgressDescriptor.
void occupy_low_descriptors();

/// A command made ready: all that needs memory is done before the clone.
class Launch {
 public:
  /// `start` must outlive it.
  Launch(const Start& start, rlimit open_files);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  Result<pid_t, SpawnFailure> spawn(const ChildDescriptors& descriptors);

  enum class Stage : std::uint8_t { clone, session, limit, nice, user, parent, cwd, files, exec };

 private:
  struct Limit {
    int resource;
    rlimit value;
  };
  struct Failed {
    Stage stage = Stage::clone;
    int error = 0;
    std::size_t which = 0;  // of the limits
  };

  void give_pipes_to_user() const;
  static int run_child(void* launch);
  void become_command();
  void fail(Stage stage, std::size_t which = 0);
  void set_limits();
  void set_user();
  void set_files();
  void exec();

  void find_candidates();
  std::string sentence(const Failed& failed) const;
  std::string exec_sentence(int error) const;
  SpawnFailure failure(const Failed& failed) const;

  const Start& start_;
  std::vector<const char*> argv_;
  std::vector<const char*> environment_;
  std::vector<std::string> candidates_;  // full names to try, in order
  std::vector<Limit> limits_;
  std::vector<gid_t> groups_;
  bool switches_user_ = false;
  ChildDescriptors descriptors_;
  pid_t parent_ = 0;
  Failed failed_;
};

}  // namespace cronce
