// All of a run's output in a file, and the part before that in a second one.
//
// When the file would grow beyond its limit it is renamed to NAME.1, in place of an older one, and
// begun anew: at most twice the limit stays on the disk, and it is the newest. What the disk does
// not take is left out, and how much that was is written as soon as it takes something. Blocking
// calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "keeper/descriptor.h"

namespace cronce {

class LogFile {
 public:
  /// Goes on where an existing file ends. The folder is made if it is absent.
  static Result<LogFile> open(std::string path, std::int64_t limit_bytes);

  /// An error when something was left out. Can be asked for nothing, to say what was.
  Status append(std::string_view bytes);

 private:
  LogFile(std::string path, std::int64_t limit, Descriptor file, std::int64_t size)
      : path_(std::move(path)), limit_(limit), file_(std::move(file)), size_(size) {}
  Status rotate();
  /// Takes from the front what it has written.
  Status write(std::string_view& bytes);

  std::string path_;
  std::int64_t limit_;
  Descriptor file_;
  std::int64_t size_;
  std::size_t left_out_ = 0;
};

}  // namespace cronce
