#include "node/store_worker.h"

#include <pthread.h>

#include <algorithm>

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

bool holds(const std::vector<Incarnation>& list, const Incarnation& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

Result<WriteAnswered> write_to(Store& store, const SendWrite& order) {
  return std::visit(Write{store, order.id}, order.ask);
}

SweepGone make_sweep(const std::vector<Incarnation>& gone, const std::vector<FinishEntry>& ends) {
  SweepGone order{gone, {}};
  for (const FinishEntry& end : ends) {
    if (holds(gone, end.incarnation)) order.ends.push_back(end);
  }
  return order;
}

Result<std::vector<std::int64_t>> sweep_gone(Store& store, WriteId& last, const SweepGone& order) {
  if (!order.ends.empty()) {
    ++last.sequence;
    if (const auto told = store.finish(last, order.ends); !told) return told.error();
  }
  const auto nodes = store.nodes();
  if (!nodes) return nodes.error();
  std::vector<SweepEntry> entries;
  for (const Node& node : *nodes) {
    if (holds(order.gone, node.incarnation)) entries.push_back({node.incarnation, node.beat});
  }
  std::vector<std::int64_t> lost;
  if (entries.empty()) return lost;
  ++last.sequence;
  const auto swept = store.sweep(last, entries);
  if (!swept) return swept.error();
  for (const SweepAnswer& answer : swept->answer) {
    if (answer.ended) lost.push_back(answer.lost);
  }
  return lost;
}

StoreWorker::StoreWorker(Store& store, Inbox<News>& loop, Rng rng)
    : store_(store),
      loop_(loop),
      sweeps_{Incarnation::random(rng), 0, 0},
      thread_([this] { work(); }) {}

StoreWorker::~StoreWorker() {
  close();
  thread_.join();
}

void StoreWorker::forget(std::uint64_t sequence) {
  orders_.drop_if([&](const WorkOrder& order) {
    const auto* write = std::get_if<SendWrite>(&order);
    return write != nullptr && write->id.sequence == sequence;
  });
}

void StoreWorker::work() {
  pthread_setname_np(pthread_self(), "store worker");
  while (const auto order = orders_.take()) {
    std::visit([&](const auto& one) { do_it(one); }, *order);
  }
  loop_.put(ThreadEnded{});
}

void StoreWorker::do_it(const SendWrite& order) {
  loop_.put(WriteReply{order.id.sequence, write_to(store_, order)});
}

void StoreWorker::do_it(const SweepGone& order) {
  loop_.put(GoneSwept{order.gone, sweep_gone(store_, sweeps_, order)});
}

}  // namespace cronce
