#include "node/heartbeat.h"

#include <pthread.h>

namespace cronce {

Heartbeat::Heartbeat(Store& store, const Clock& clock, Inbox<News>& loop)
    : store_(store), clock_(clock), loop_(loop), thread_([this] { work(); }) {}

Heartbeat::~Heartbeat() {
  close();
  thread_.join();
}

void Heartbeat::forget_waiting() {
  orders_.drop_if([](const BeatAsk&) { return true; });
}

void Heartbeat::work() {
  pthread_setname_np(pthread_self(), "heartbeat");
  while (const auto ask = orders_.take()) loop_.put(beat(*ask));
  loop_.put(ThreadEnded{});
}

/// The times are read here and not in the loop, which may be busy: trust counts from the asking,
/// and the shorter the way seems, the better the store's time is known.
BeatReply Heartbeat::beat(const BeatAsk& ask) {
  const Duration asked = clock_.boot();
  auto answer = store_.beat(ask);
  return {ask.node.beat, ask.node.incarnation, asked, clock_.boot(), std::move(answer)};
}

}  // namespace cronce
