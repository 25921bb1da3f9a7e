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
    const Duration way = (local_.boot() - asked_ - (began - came)) / 2;
    told_ = {began, local_.boot() - way};
  }

  /// As it was told last.
  embedded::Moment told() const { return at(told_.server); }
  /// It went on as ours did. The way there takes time as well: that the server is not there yet
  /// when the request arrives is seldom, and it waits then.
  embedded::Moment guess() const { return at(told_.server + (local_.boot() - told_.boot)); }

 private:
  struct Told {
    Time server{};
    Duration boot{};  // ours at that moment
  };

  embedded::Moment at(Time now) const {
    return {now, local_.wall().time_since_epoch() - local_.boot(), false, now};
  }

  const Clock& local_;
  Duration asked_{};
  Told told_;
};

}  // namespace cronce::postgres
