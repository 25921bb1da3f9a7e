#include "keeper/log_gate.h"

namespace cronce {

LogGate::Verdict LogGate::judge(std::size_t backlog, Duration now) {
  const bool was_full = full_;
  full_ = backlog > (was_full ? kEmptyAgain : kFull);
  if (!full_) return Verdict::write;
  if (!was_full || backlog < last_) stuck_since_ = now;
  last_ = backlog;
  return now - stuck_since_ >= kPatience ? Verdict::drop : Verdict::wait;
}

}  // namespace cronce
