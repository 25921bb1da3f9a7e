// The server's clock: as it was told last, and as it will be when the next request arrives.
#pragma once

#include "base/clock.h"
#include "store/embedded/store_clock.h"

namespace cronce::postgres {

class ServerClock {
 public:
  /// `local` outlives it.
  explicit ServerClock(const Clock& local) : local_(local) {}

  /// Before a request, and with what the server's clock showed when it came, and when its wait was
  /// over.
  void ask() { asked_ = local_.boot(); }
  void hear(Time came, Time began) {
    told_ = began;
    ahead_ = came.time_since_epoch() - asked_;
  }

  /// As it was told last.
  embedded::Moment told() const { return at(told_); }
  /// When the next request, sent now, will be there: the last one took as long. What came after
  /// that is not counted, a commit may wait for a disk. The server waits for its clock if it is not
  /// there yet.
  embedded::Moment guess() const { return at(Time{local_.boot() + ahead_}); }

 private:
  embedded::Moment at(Time now) const {
    return {now, local_.wall().time_since_epoch() - local_.boot(), false, now};
  }

  const Clock& local_;
  Duration asked_{};
  Time told_{};
  Duration ahead_{};  // the server's clock when a request comes, of ours when it is sent
};

}  // namespace cronce::postgres
