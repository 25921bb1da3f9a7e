// The thread that writes to the store, and does nothing else that could keep a write waiting.
#pragma once

#include <thread>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "node/inbox.h"
#include "node/news.h"
#include "store/store.h"

namespace cronce {

/// End these incarnations, of which nothing runs any more. What is known of how their runs ended is
/// told first, so that it is not lost, nor run again.
struct SweepGone {
  std::vector<Incarnation> gone;
  std::vector<FinishEntry> ends;
};
/// With the ends that are theirs.
SweepGone make_sweep(const std::vector<Incarnation>& gone, const std::vector<FinishEntry>& ends);

using WorkOrder = std::variant<SendWrite, SweepGone>;

class StoreWorker {
 public:
  /// The store and the inbox outlive it.
  StoreWorker(Store& store, Inbox<News>& loop, Rng rng);
  ~StoreWorker();
  StoreWorker(const StoreWorker&) = delete;
  StoreWorker& operator=(const StoreWorker&) = delete;

  void send(WorkOrder order) { orders_.put(std::move(order)); }
  /// A write that was given up and not sent yet must not be sent any more.
  void forget(std::uint64_t sequence);
  /// The thread ends after the call that it is in, and tells the loop.
  void close() { orders_.close(); }

 private:
  void work();
  void do_it(const SendWrite& order);
  void do_it(const SweepGone& order);

  Store& store_;
  Inbox<News>& loop_;
  WriteId sweeps_;  // the last one; not of the engine's lane
  Orders<WorkOrder> orders_;
  std::thread thread_;  // the last one: it uses the others
};

/// How many runs were lost with each that had not been ended before. `last` is the last write of a
/// lane that is used for nothing else.
Result<std::vector<std::int64_t>> sweep_gone(Store& store, WriteId& last, const SweepGone& order);

/// One write, by the call of the store that it asks for.
Result<WriteAnswered> write_to(Store& store, const SendWrite& order);

}  // namespace cronce
