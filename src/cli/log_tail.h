// The output of a run as it grows: a file that may be renamed and begun anew, or not exist yet.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "base/time.h"

namespace cronce {

class LogTail {
 public:
  explicit LogTail(std::string path);
  ~LogTail();
  LogTail(const LogTail&) = delete;
  LogTail& operator=(const LogTail&) = delete;

  /// Copies what is new, at first from PATH.1 if there is one; says how much that was, and none if
  /// there is no file.
  std::optional<std::size_t> copy(std::FILE* out);

  /// Until something happens in the file's folder, but no longer than that.
  void wait(Duration most);

 private:
  std::size_t copy_rest(std::FILE* out) const;
  bool open_next();

  std::string path_;
  int file_ = -1;
  int watch_ = -1;
  bool watching_ = false;
};

}  // namespace cronce
