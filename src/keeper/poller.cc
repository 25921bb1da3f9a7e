#include "keeper/poller.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>

namespace cronce {
namespace {

constexpr unsigned kNumberBits = 56;

}  // namespace

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) { CHECK(epoll_.open()); }

void Poller::control(int operation, int descriptor, std::uint32_t events, Event event) {
  epoll_event request{};
  request.events = events;
  request.data.u64 = static_cast<std::uint64_t>(event.kind) << kNumberBits | event.number;
  CHECK(epoll_ctl(epoll_.get(), operation, descriptor, &request) == 0);
}

void Poller::add(int descriptor, std::uint32_t events, Kind kind, std::uint64_t number) {
  control(EPOLL_CTL_ADD, descriptor, events, {kind, number});
}

void Poller::change(int descriptor, std::uint32_t events, Kind kind, std::uint64_t number) {
  control(EPOLL_CTL_MOD, descriptor, events, {kind, number});
}

void Poller::remove(int descriptor) { control(EPOLL_CTL_DEL, descriptor, 0, {Kind::node, 0}); }

std::vector<Poller::Event> Poller::wait(bool look_only) {
  std::array<epoll_event, 64> happened;
  const int count = retry([&] {
    return epoll_wait(epoll_.get(), happened.data(), happened.size(), look_only ? 0 : -1);
  });
  CHECK(count >= 0);
  std::vector<Event> events;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t raw = happened[static_cast<std::size_t>(i)].data.u64;
    events.push_back(
        {static_cast<Kind>(raw >> kNumberBits), raw & ((std::uint64_t{1} << kNumberBits) - 1)});
  }
  return events;
}

Watched::Watched(Poller& poller, Descriptor descriptor, std::uint32_t events, Poller::Kind kind,
                 std::uint64_t number)
    : poller_(&poller), descriptor_(std::move(descriptor)), events_(events), event_{kind, number} {
  resume();
}

Watched& Watched::operator=(Watched&& other) noexcept {
  if (this == &other) return *this;
  close();
  poller_ = other.poller_;
  descriptor_ = std::move(other.descriptor_);
  events_ = other.events_;
  event_ = other.event_;
  listens_ = std::exchange(other.listens_, false);
  return *this;
}

void Watched::pause() {
  if (std::exchange(listens_, false)) poller_->remove(descriptor_.get());
}

void Watched::resume() {
  if (!open() || std::exchange(listens_, true)) return;
  poller_->add(descriptor_.get(), events_, event_.kind, event_.number);
}

void Watched::close() {
  pause();
  descriptor_.reset();
}

}  // namespace cronce
