// epoll, with events that name what they are about.
//
// An event carries a kind and a number that is never used again, and not a descriptor: descriptor
// numbers come back, and an event of a closed one would be credited to the next owner. And a
// descriptor is taken out before it is closed, because a copy of it in a process that was just born
// would keep the registration alive.
#pragma once

#include <cstdint>
#include <vector>

#include "keeper/descriptor.h"

namespace cronce {

class Poller {
 public:
  enum class Kind : std::uint8_t { node, scribe, signals, timer, output, progress, tree };
  struct Event {
    Kind kind = Kind::node;
    std::uint64_t number = 0;
  };

  Poller();

  /// `events` as epoll names them.
  void add(int descriptor, std::uint32_t events, Kind kind, std::uint64_t number = 0);
  void change(int descriptor, std::uint32_t events, Kind kind, std::uint64_t number = 0);
  void remove(int descriptor);

  /// Waits until something happens, or only looks.
  std::vector<Event> wait(bool look_only);

 private:
  void control(int operation, int descriptor, std::uint32_t events, Event event);

  Descriptor epoll_;
};

/// A descriptor that is listened to for as long as it is open.
class Watched {
 public:
  Watched() = default;
  Watched(Poller& poller, Descriptor descriptor, std::uint32_t events, Poller::Kind kind,
          std::uint64_t number);
  Watched(Watched&& other) noexcept { *this = std::move(other); }
  Watched& operator=(Watched&& other) noexcept;
  ~Watched() { close(); }

  int get() const { return descriptor_.get(); }
  bool open() const { return descriptor_.open(); }
  void close();

  /// Not listened to for a while.
  void pause();
  void resume();

 private:
  Poller* poller_ = nullptr;
  Descriptor descriptor_;
  std::uint32_t events_ = 0;
  Poller::Event event_{};
  bool listens_ = false;
};

}  // namespace cronce
