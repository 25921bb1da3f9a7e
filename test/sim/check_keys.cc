// The checker of `once`: a key is done by one at a time, and by nobody once it is done.
#include <algorithm>

#include <fmt/format.h>

#include "test/sim/check.h"

namespace cronce::sim {

/// What the store forgets between the grant of a key and the start is forgotten as well.
Duration Checker::granted_at(const Start& start) const {
  const auto& grants = witness_.key_grants();
  const auto grant = std::find_if(grants.begin(), grants.end(), [&](const KeyGrant& one) {
    return one.key == start.run.request && one.fence == start.fence &&
           one.incarnation == start.incarnation;
  });
  return grant == grants.end() ? start.at : grant->at;
}

void Checker::check_keys() {
  std::map<std::string, const KeyGrant*> last;
  for (const KeyGrant& grant : witness_.key_grants()) {
    const KeyGrant*& before = last[grant.key];
    if (before != nullptr) check_key_grants(*before, grant);
    before = &grant;
  }
  std::map<std::string, const Start*> works;
  for (const Start& start : witness_.key_starts()) {
    if (start.outside || witness_.had_stood_still(start.incarnation)) continue;
    const Start*& before = works[start.run.request];
    if (before != nullptr && (!before->gone || *before->gone > start.at)) {
      check_key_starts(*before, start);
    }
    before = &start;
  }
  for (const KeyReplay& replay : witness_.key_replays()) {
    const auto& ends = witness_.key_ends();
    const bool was_done = std::any_of(ends.begin(), ends.end(), [&](const KeyEnd& end) {
      return end.key == replay.key && end.done && end.result == replay.result &&
             end.at <= replay.at;
    });
    if (!was_done)
      fail("I10", fmt::format("key {}: told to be done with a result that nobody had", replay.key));
  }
}

/// In a restore that nobody has noticed yet a forgotten fence comes again, and who had it first may
/// end the key for who has it now.
void Checker::check_key_starts(const Start& first, const Start& second) {
  const Duration granted = granted_at(first);
  if (forgot_between(granted, second.at)) return;
  if (is_unnoticed(granted)) {
    ++verdict.excused.unnoticed;
  } else {
    fail("I3", fmt::format("key {}: begun while another was at it", second.run.request));
  }
}

bool Checker::forgot_between(Duration first, Duration second) const {
  const auto& all = witness_.forgettings();
  return std::any_of(all.begin(), all.end(),
                     [&](const Forgetting& one) { return first <= one.to && one.to <= second; });
}

/// A second grant needs that the first has failed, or was done so long ago that it is forgotten, or
/// was lost and this one was told to run it again. A store that forgets keys makes no promise.
void Checker::check_key_grants(const KeyGrant& first, const KeyGrant& second) {
  if (forgot_between(first.at, second.at)) return;
  if (second.fence <= first.fence)
    fail("I6", fmt::format("key {}: the fence did not grow", first.key));
  const auto& endings = witness_.endings();
  const bool lost = std::any_of(endings.begin(), endings.end(), [&](const Ending& ending) {
    return ending.incarnation == first.incarnation && ending.at <= second.at;
  });
  bool free = lost && second.rerun_lost;
  for (const KeyEnd& end : witness_.key_ends()) {
    const bool between =
        first.at <= end.at && end.at <= second.at;  // a forgotten fence comes again
    if (end.key != first.key || end.fence != first.fence || !between) continue;
    free = !end.done || end.expires <= second.store_time;
    break;  // repeating it changes nothing
  }
  if (!free) fail("I2", fmt::format("key {}: granted again", first.key));
}

}  // namespace cronce::sim
