#include "node/store_worker.h"

#include <pthread.h>

namespace cronce {
namespace {

template <class T>
Result<WriteAnswered> as_event(std::uint64_t sequence, Result<Written<T>> written) {
  if (!written) return written.error();
  return WriteAnswered{sequence, std::move(written->answer), std::move(written->before),
                       written->store_time};
}

struct Write {
  Store& store;
  const WriteId& id;

  Result<WriteAnswered> operator()(const DecideAsk& ask) const {
    return as_event(id.sequence, store.decide(id, ask));
  }
  Result<WriteAnswered> operator()(const std::vector<RunId>& runs) const {
    return as_event(id.sequence, store.take(id, runs));
  }
  Result<WriteAnswered> operator()(const std::vector<FinishEntry>& ends) const {
    return as_event(id.sequence, store.finish(id, ends));
  }
  Result<WriteAnswered> operator()(const std::vector<SweepEntry>& entries) const {
    return as_event(id.sequence, store.sweep(id, entries));
  }
  Result<WriteAnswered> operator()(const RegisterAsk& ask) const {
    return as_event(id.sequence, store.enroll(id, ask));
  }
  Result<WriteAnswered> operator()(const Remember& ask) const {
    return as_event(id.sequence, store.control(id, ask));
  }
  Result<WriteAnswered> operator()(const OpenEpoch& ask) const {
    return as_event(id.sequence, store.control(id, ask));
  }
};

}  // namespace

Result<WriteAnswered> write_to(Store& store, const SendWrite& order) {
  return std::visit(Write{store, order.id}, order.ask);
}

StoreWorker::StoreWorker(Store& store, Inbox<News>& loop)
    : store_(store), loop_(loop), thread_([this] { work(); }) {}

StoreWorker::~StoreWorker() {
  close();
  thread_.join();
}

void StoreWorker::forget(std::uint64_t sequence) {
  orders_.drop_if([&](const SendWrite& order) { return order.id.sequence == sequence; });
}

void StoreWorker::work() {
  pthread_setname_np(pthread_self(), "store worker");
  while (const auto order = orders_.take()) {
    loop_.put(WriteReply{order->id.sequence, write_to(store_, *order)});
  }
  loop_.put(ThreadEnded{});
}

}  // namespace cronce
