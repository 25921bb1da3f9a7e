#include "keeper/ends.h"

#include <utility>

#include "keeper/spool.h"

namespace cronce {
namespace {

constexpr int kMostTries = 12;

}  // namespace

void Ends::hold(const EndKey& key, const FinishEntry& end, Duration now) {
  if (!ends_.emplace(key, Held{end}).second) return;
  ++unsafe_;
  waiting_.emplace(now + in_memory_, key);
}

void Ends::make_safe(Held& held) {
  if (std::exchange(held.state, State::safe) != State::safe) --unsafe_;
}

/// The file may be of a keeper before this one, so it is removed even if nothing is known of it.
void Ends::stored(const EndKey& key) {
  const auto held = ends_.find(key);
  if (held == ends_.end() || held->second.state != State::in_memory) scribe_.remove(key);
  if (held == ends_.end()) return;
  make_safe(held->second);
  ends_.erase(held);
}

void Ends::noted(const ScribeNote& note, Duration now) {
  const auto held = note.end ? ends_.find(*note.end) : ends_.end();
  if (held == ends_.end()) return;
  const bool hopeless = hurried_ && ++held->second.tries >= kMostTries;
  if (note.trouble.empty() || hopeless) {
    make_safe(held->second);
  } else {
    held->second.state = State::in_memory;
    waiting_.emplace(now + in_memory_, *note.end);
  }
}

std::optional<Duration> Ends::due() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

void Ends::put(const EndKey& key, Held& held) {
  held.state = State::being_written;
  scribe_.put(key, held.end);
}

void Ends::act(Duration now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const EndKey key = std::move(waiting_.extract(waiting_.begin()).mapped());
    const auto held = ends_.find(key);
    if (held != ends_.end() && held->second.state == State::in_memory) put(key, held->second);
  }
}

void Ends::hurry(Duration now) {
  hurried_ = true;
  std::multimap<Duration, EndKey> at_once;
  for (auto& [when, key] : waiting_) at_once.emplace(now, std::move(key));
  waiting_ = std::move(at_once);
  act(now);
}

void Ends::write_directly(const std::string& folder) {
  const Spool spool(folder);
  for (auto& [key, held] : ends_) {
    if (held.state != State::safe) [[maybe_unused]]
      const Status put = spool.put(key, held.end);
    make_safe(held);
  }
  [[maybe_unused]] const Status synced = spool.sync();
}

}  // namespace cronce
