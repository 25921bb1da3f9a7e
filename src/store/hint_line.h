// Words between those who use the store of a server: look now, there is news.
//
// Nothing depends on them but how soon the others look: a word may get lost, and a pooler may
// swallow them all. One thread at a time; every call may take as long as the server takes, and
// connects again if it must.
#pragma once

#include "base/result.h"
#include "base/time.h"

namespace cronce {

class HintLine {
 public:
  virtual ~HintLine() = default;

  virtual Status tell() = 0;
  /// Whether somebody else told something. Waits for that until `wake` is readable, or so long.
  virtual Result<bool> listen(int wake, Duration patience) = 0;
};

}  // namespace cronce
