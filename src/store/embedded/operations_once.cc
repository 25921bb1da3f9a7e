// Keys that are done once. Not slots: no plan, no attempts; but a fence, and an owner that can die.
#include <algorithm>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

OnceAnswer answer_of(const KeyRow& key, Refused refused = Refused::none) {
  return {refused, key.state, std::nullopt, key.result, key.owner};
}

bool is_over(const KeyRow& key, Time now) {
  return key.state == KeyState::failed || (key.state == KeyState::done && key.expires <= now);
}

struct Ask {
  Tables& tables;
  const Step& step;

  OnceAnswer operator()(const BeginKey& ask) const {
    if (ask.key.empty()) return {Refused::invalid};
    if (!tables.lives(step.incarnation)) return {Refused::ended};
    const KeyRow* key = tables.find_key(ask.key);
    if (key == nullptr || is_over(*key, step.now)) return begin(ask.key);
    if (key->state == KeyState::running) return answer_of(*key, Refused::busy);
    if (key->state == KeyState::done) return answer_of(*key);
    return ask.rerun_lost ? begin(ask.key) : answer_of(*key, Refused::gone);
  }

  OnceAnswer operator()(const CompleteKey& ask) const {
    const Duration keep = std::min(ask.keep, kMaxTime - step.now);
    return end(ask.key, ask.fence, KeyState::done, ask.result, step.now + keep);
  }

  OnceAnswer operator()(const FailKey& ask) const {
    return end(ask.key, ask.fence, KeyState::failed, "", step.now);
  }

 private:
  OnceAnswer begin(const std::string& name) const {
    KeyRow& key = tables.keys[name];
    tables.key_ends.erase({key.expires, name});
    key = {KeyState::running, make_fence(tables.epoch, ++tables.last_key_fence), step.incarnation,
           tables.name_of(step.incarnation)};
    tables.held_keys[step.incarnation].insert(name);
    tables.note_key(name);
    OnceAnswer answer = answer_of(key);
    answer.fence = key.fence;
    return answer;
  }

  /// By whoever has the fence, whether its owner lives or was called lost; and once.
  OnceAnswer end(const std::string& name, Fence fence, KeyState state, const std::string& result,
                 Time expires) const {
    KeyRow* found = tables.find_key(name);
    if (found == nullptr) return {Refused::stale};
    KeyRow& key = *found;
    if (key.fence != fence) return answer_of(key, Refused::stale);
    if (key.state == state) return answer_of(key);  // said before
    const bool open = key.state == KeyState::running || key.state == KeyState::lost;
    if (!open) return answer_of(key, Refused::stale);
    tables.held_keys[key.incarnation].erase(name);
    key.state = state;
    key.result = result;
    key.expires = expires;
    tables.key_ends.insert({expires, name});
    tables.note_key(name);
    return answer_of(key);
  }
};

}  // namespace

OnceAnswer once(Tables& tables, const OnceAsk& ask, const Step& step) {
  if (tables.closed) return {Refused::closed};
  return std::visit(Ask{tables, step}, ask);
}

void lose_keys(Tables& tables, const Incarnation& incarnation) {
  if (tables.behind != nullptr) tables.behind->fetch_keys_of(incarnation);
  const auto held = tables.held_keys.find(incarnation);
  if (held == tables.held_keys.end()) return;
  for (const std::string& name : held->second) {
    tables.keys.at(name).state = KeyState::lost;
    tables.note_key(name);
  }
  tables.held_keys.erase(held);
}

void purge_keys(Tables& tables, Time now) {
  if (tables.behind != nullptr) tables.behind->fetch_ended_keys(now);
  while (!tables.key_ends.empty() && tables.key_ends.begin()->first <= now) {
    tables.note_key(tables.key_ends.begin()->second);
    tables.keys.erase(tables.key_ends.begin()->second);
    tables.key_ends.erase(tables.key_ends.begin());
  }
}

}  // namespace cronce::embedded
