// The queue in front of the file: writers and readers of all processes wait here, in the order in
// which they came, as the kernel keeps it.
//
// SQLite's own waiting backs off and starves one of five for over a second. Readers queue as well,
// because an open reader would stop the writer; both stay for a step and no longer.
#pragma once

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
    explicit Turn(const LockFile& file);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    int handle_;
  };

 private:
  std::string path_;
  int handle_ = -1;
};

}  // namespace cronce::sqlite
