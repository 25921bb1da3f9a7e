// What becomes of output when the disk cannot keep up: the command waits a while, and then goes on
// without its log.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace cronce {

class LogGate {
 public:
  enum class Verdict : std::uint8_t {
    write,
    wait,  // read no more for now: the command's pipe fills up, and it waits
    drop,  // nothing was written for so long that the disk must be taken for dead
  };

  /// `backlog` is how many bytes are waiting to be written.
  Verdict judge(std::size_t backlog, Duration now);

  static constexpr std::size_t kFull = 1 << 20;
  static constexpr std::size_t kEmptyAgain = kFull / 4;
  static constexpr Duration kPatience{5'000};

 private:
  bool full_ = false;
  std::size_t last_ = 0;
  Duration stuck_since_{};
};

}  // namespace cronce
