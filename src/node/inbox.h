// What threads hand to one another, and nothing else is shared between them.
//
// An Inbox is read by the loop, which waits for many things at once: it has a descriptor that is
// readable as long as something lies in it. Orders are read by a thread that has nothing else to
// wait for.
#pragma once

#include <sys/eventfd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/time.h"
#include "keeper/descriptor.h"

namespace cronce {

template <class T>
class Inbox {
 public:
  Inbox() : ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(ready_.open()); }

  void put(T item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    if (items_.size() == 1) eventfd_write(ready_.get(), 1);
  }

  std::vector<T> take_all() {
    const std::lock_guard lock(mutex_);
    eventfd_t count = 0;
    eventfd_read(ready_.get(), &count);
    return std::exchange(items_, {});
  }

  /// Readable when there is something to take.
  int fd() const { return ready_.get(); }

 private:
  std::mutex mutex_;
  std::vector<T> items_;
  Descriptor ready_;
};

template <class T>
class Orders {
 public:
  void put(T item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    ready_.notify_one();
  }

  /// Waits for the next one; none after close().
  std::optional<T> take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return first();
  }

  /// As take(), but waits no longer than that; none then, too.
  std::optional<T> take_within(Duration patience) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, patience, [&] { return closed_ || !items_.empty(); });
    return first();
  }

  bool closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  /// Nobody waits for these any more.
  template <class Predicate>
  void drop_if(Predicate unwanted) {
    const std::lock_guard lock(mutex_);
    std::erase_if(items_, unwanted);
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ready_.notify_one();
  }

 private:
  std::optional<T> first() {
    if (closed_ || items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace cronce
