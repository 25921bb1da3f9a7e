#include "node/hint.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>

#include "store/open_store.h"

namespace cronce {
namespace {

/// Until a server that is away is asked again.
constexpr Duration kPause{5'000};
constexpr Duration kLongWait{60'000};

/// True if there was something.
bool drain(int fd) {
  std::array<char, 4'096> room;
  bool something = false;
  while (retry([&] { return read(fd, room.data(), room.size()); }) > 0) something = true;
  return something;
}

void ring(const Descriptor& bell) { eventfd_write(bell.get(), 1); }

}  // namespace

Hint::Hint(const Places& places) {
  const auto store = places.store_path();
  if (store) watch_file(*store);
  if (!store) line_ = open_hints(places.store, places.name_space);
}

Hint::~Hint() {
  if (!thread_.joinable()) return;
  ends_ = true;
  ring(orders_);
  thread_.join();
}

void Hint::watch_file(const std::string& store) {
  path_ = store + "-hint";
  const Descriptor made(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!made.open()) return;
  heard_.reset(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const bool watches =
      heard_.open() && inotify_add_watch(heard_.get(), path_.c_str(), IN_ATTRIB) >= 0;
  if (!watches) heard_.reset();
}

void Hint::listen() {
  if (!line_) return;
  heard_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  orders_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (heard_.open() && orders_.open()) thread_ = std::thread([this] { work(); });
}

void Hint::tell() {
  if (!path_.empty()) utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
  if (thread_.joinable()) {
    has_news_ = true;
    ring(orders_);
  } else if (line_) {
    static_cast<void>(line_->tell());  // it may get lost
  }
}

bool Hint::heard() { return drain(heard_.get()); }

void Hint::work() {
  pthread_setname_np(pthread_self(), "hint");
  while (!ends_) {
    if (has_news_.exchange(false)) static_cast<void>(line_->tell());
    const auto told = line_->listen(orders_.get(), kLongWait);
    if (told && *told) ring(heard_);
    if (!told) {
      pollfd order{orders_.get(), POLLIN, 0};
      poll(&order, 1, static_cast<int>(kPause.count()));
    }
    drain(orders_.get());
  }
}

}  // namespace cronce
