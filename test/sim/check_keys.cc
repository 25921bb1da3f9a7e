// The checker of `once`: a key is done by one at a time, and by nobody once it is done.
#include <algorithm>

#include <fmt/format.h>

#include "test/sim/check.h"

namespace cronce::sim {
namespace {

template <class T>
std::map<std::string, std::vector<const T*>> by_key(const std::vector<T>& all) {
  std::map<std::string, std::vector<const T*>> sorted;
  for (const T& one : all) sorted[one.key].push_back(&one);
  return sorted;
}

}  // namespace

void Checker::check_keys() {
  for (const auto& [key, grants] : by_key(witness_.key_grants())) {
    for (std::size_t i = 1; i < grants.size(); ++i) check_key_grants(*grants[i - 1], *grants[i]);
  }
  for (const auto& [key, works] : by_key(witness_.key_works())) {
    for (std::size_t i = 1; i < works.size(); ++i) {
      const KeyWork& before = *works[i - 1];
      const bool outside = before.outside || works[i]->outside;
      if (!outside && (!before.to || *before.to > works[i]->from)) {
        fail("I3", fmt::format("key {}: begun while another was at it", key));
      }
    }
  }
  for (const KeyReplay& replay : witness_.key_replays()) {
    const auto& ends = witness_.key_ends();
    const bool was_done = std::any_of(ends.begin(), ends.end(), [&](const KeyEnd& end) {
      return end.key == replay.key && end.done && end.result == replay.result && end.at <= replay.at;
    });
    if (!was_done) fail("I10", fmt::format("key {}: told to be done with a result that nobody had", replay.key));
  }
}

/// A second grant needs that the first has failed, or was done so long ago that it is forgotten, or
/// was lost and this one was told to run it again. A store that forgets keys makes no promise.
void Checker::check_key_grants(const KeyGrant& first, const KeyGrant& second) {
  const auto& gone = witness_.forgettings();
  const bool forgotten = std::any_of(gone.begin(), gone.end(), [&](const Forgetting& one) {
    return first.at <= one.to && one.to <= second.at;
  });
  if (forgotten) return;
  if (second.fence <= first.fence) fail("I6", fmt::format("key {}: the fence did not grow", first.key));
  const auto& endings = witness_.endings();
  const bool lost = std::any_of(endings.begin(), endings.end(), [&](const Ending& ending) {
    return ending.incarnation == first.incarnation && ending.at <= second.at;
  });
  bool free = lost && second.rerun_lost;
  for (const KeyEnd& end : witness_.key_ends()) {
    if (end.key != first.key || end.fence != first.fence || end.at > second.at) continue;
    free = !end.done || end.expires <= second.store_time;
    break;  // repeating it changes nothing
  }
  if (!free) fail("I2", fmt::format("key {}: granted again", first.key));
}

}  // namespace cronce::sim
