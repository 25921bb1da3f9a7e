// The thread that beats: no write, however long it takes, keeps a beat from being sent.
#pragma once

#include <thread>

#include "base/clock.h"
#include "node/inbox.h"
#include "node/news.h"
#include "store/store.h"

namespace cronce {

class Heartbeat {
 public:
  /// All of these outlive it.
  Heartbeat(Store& store, const Clock& clock, Inbox<News>& loop);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  void send(BeatAsk ask) { orders_.put(std::move(ask)); }
  /// Nobody waits any more for those that were not sent yet.
  void forget_waiting();
  /// The thread ends after the call that it is in, and tells the loop.
  void close() { orders_.close(); }

 private:
  void work();
  BeatReply beat(const BeatAsk& ask);

  Store& store_;
  const Clock& clock_;
  Inbox<News>& loop_;
  Orders<BeatAsk> orders_;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace cronce
