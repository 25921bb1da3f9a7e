// The one ordered queue of everything that will happen in a simulated world, and its only time.
//
// True time starts at zero and passes only by step(). What is due at the same time happens in the
// order in which it was planned, so a seed tells everything.
//
// Time is cut into pages of 1,024 ms. The open page has a line of deeds for each of its
// milliseconds, every later page one line in the order of planning, which is dealt out when the
// page is opened. So planning and doing cost the same however much is planned.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/time.h"
#include "test/sim/deed.h"

namespace cronce::sim {

class Agenda {
 public:
  Duration now() const { return now_; }
  void at(Duration time, Deed&& deed);
  void after(Duration delay, Deed&& deed) { at(now_ + delay, std::move(deed)); }

  /// Does the next thing that is due by `until`; false if there is none, and it is `until`.
  bool step(Duration until);

 private:
  static constexpr std::size_t kPage = 1'024;
  static constexpr Duration kEnd = std::chrono::hours{24};  // no world lasts so long
  struct Planned {
    Deed deed;
    std::size_t time = 0;
    Planned* next = nullptr;
  };
  /// First come, first served.
  struct Line {
    Planned* first = nullptr;
    Planned* last = nullptr;
    void add(Planned* one);
    Planned* take();
  };

  void line_up(Planned* one);
  void open_page(std::size_t page);
  std::size_t next_moment();
  bool pass(Duration until);

  Duration now_{};
  std::size_t page_ = 0;
  std::array<Line, kPage> moments_;
  std::array<std::uint64_t, kPage / 64> busy_{};  // a bit for each moment with a line
  std::size_t word_ = 0;                          // the bits before it are all clear
  std::vector<Line> pages_;
  std::deque<Planned> planned_;  // never moves, so that lines can go through it
  Line free_;
};

}  // namespace cronce::sim
