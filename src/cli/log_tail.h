// The output of a run as it grows: a file that may be renamed and begun anew, or not exist yet.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "base/time.h"
#include "keeper/descriptor.h"

namespace cronce {

class LogTail {
 public:
  explicit LogTail(std::string path);

  /// Copies what is new, at first from PATH.1 if there is one; says how much that was, and none if
  /// there is no file.
  std::optional<std::size_t> copy(std::FILE* out);

  /// Until something happens in the file's folder, but no longer than that. Whether it did.
  bool wait(Duration most);

 private:
  std::size_t copy_rest(std::FILE* out) const;
  bool open_next();

  std::string path_;
  Descriptor file_;
  Descriptor watch_;
  bool watching_ = false;
};

}  // namespace cronce
