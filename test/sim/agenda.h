// The one ordered queue of everything that will happen in a simulated world, and its only time.
//
// True time starts at zero and passes only by step(). What is due at the same time happens in the
// order in which it was planned, so a seed tells everything.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/time.h"

namespace cronce::sim {

class Agenda {
 public:
  using Deed = std::function<void()>;

  Duration now() const { return now_; }
  void at(Duration time, Deed deed);
  void after(Duration delay, Deed deed) { at(now_ + delay, std::move(deed)); }

  /// Does the next thing that is due by `until`; false if there is none.
  bool step(Duration until);

 private:
  struct Entry {
    Duration time;
    std::uint64_t order;
    Deed deed;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }

  Duration now_{};
  std::uint64_t planned_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace cronce::sim
