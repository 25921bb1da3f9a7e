#include "node/turns.h"

namespace cronce {

void Turns::add(Telling telling) {
  if (!keys_.insert(telling.key).second) return;
  Receiver& receiver = receivers_[address_of(telling)];
  receiver.waiting.push_back(std::move(telling));
}

std::optional<Telling> Turns::take() {
  Receiver* next = nullptr;
  for (auto& [address, receiver] : receivers_) {
    if (receiver.busy) continue;
    if (next == nullptr || receiver.turn < next->turn) next = &receiver;
  }
  if (next == nullptr) return std::nullopt;
  next->busy = true;
  next->turn = ++turns_;
  std::optional<Telling> telling(std::move(next->waiting.front()));
  next->waiting.pop_front();
  return telling;
}

void Turns::done(const Telling& telling) {
  keys_.erase(telling.key);
  const auto receiver = receivers_.find(address_of(telling));
  receiver->second.busy = false;
  if (receiver->second.waiting.empty()) receivers_.erase(receiver);
}

}  // namespace cronce
