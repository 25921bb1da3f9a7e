// The thread that writes to the store, and does nothing else that could keep a write waiting.
#pragma once

#include <thread>

#include "node/inbox.h"
#include "node/news.h"
#include "store/store.h"

namespace cronce {

class StoreWorker {
 public:
  /// Both outlive it.
  StoreWorker(Store& store, Inbox<News>& loop);
  ~StoreWorker();
  StoreWorker(const StoreWorker&) = delete;
  StoreWorker& operator=(const StoreWorker&) = delete;

  void send(SendWrite order) { orders_.put(std::move(order)); }
  /// A write that was given up and not sent yet must not be sent any more.
  void forget(std::uint64_t sequence);
  /// The thread ends after the call that it is in, and tells the loop.
  void close() { orders_.close(); }

 private:
  void work();

  Store& store_;
  Inbox<News>& loop_;
  Orders<SendWrite> orders_;
  std::thread thread_;  // the last one: it uses the others
};

/// One write, by the call of the store that it asks for.
Result<WriteAnswered> write_to(Store& store, const SendWrite& order);

}  // namespace cronce
