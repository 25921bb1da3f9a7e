// The queue in front of the file: writers and readers of all processes wait here, in the order in
// which they came, as the kernel keeps it. Threads of this process queue among themselves first.
//
// SQLite's own waiting backs off and starves one of five for over a second, and a mutex may go to
// the same thread over and over: a beat must not wait for all the work of its node. Readers queue
// as well, because an open reader would stop the writer; both stay for a step and no longer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/result.h"

namespace cronce::sqlite {

class LockFile {
 public:
  /// Creates the file if need be. Throws DatabaseError.
  explicit LockFile(const std::string& path);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Held as long as it lives.
  class Turn {
   public:
    explicit Turn(LockFile& file);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    LockFile& file_;
  };

 private:
  void wait_in_line();
  void leave_line();

  std::string path_;
  int handle_ = -1;
  std::mutex mutex_;
  std::condition_variable moved_on_;
  std::uint64_t last_ = 0;     // ticket that was drawn
  std::uint64_t serving_ = 1;  // ticket whose turn it is
};

}  // namespace cronce::sqlite
