// The checkers of a store that forgets: what it may still grant, and what nobody could prevent.
#include <algorithm>

#include <fmt/format.h>

#include "test/sim/check.h"

namespace cronce::sim {

/// It was made in the time that was forgotten then.
bool Checker::is_of(const Grant& grant, const Forgetting& forgetting) const {
  const auto number = static_cast<std::size_t>(&grant - witness_.grants().data());
  return number >= forgetting.grant && grant.at <= forgetting.to;
}

/// Until then it could be told what it had forgotten.
Duration Checker::end_of(const Forgetting& forgetting) const {
  return forgetting.opened.value_or(forgetting.over.value_or(evidence_.end));
}

/// The forgetting in which a start's claim went, if nobody put it back. A living node can, also
/// when it comes late and closes the epoch once more; but not what others have settled meanwhile.
const Forgetting* Checker::forgot(const Start& start) const {
  const Grant* grant = grant_of(start);
  if (grant == nullptr) return nullptr;
  std::optional<Duration> put_back;
  const Forgetting* gone = nullptr;
  for (const Forgetting& forgetting : witness_.forgettings()) {
    const bool forgets = put_back ? forgetting.from < *put_back && *put_back <= forgetting.to
                                  : is_of(*grant, forgetting);
    if (forgets) gone = &forgetting;
    const auto told = forgetting.told(start.incarnation, start.run, start.fence);
    if (gone == nullptr || !told) continue;
    const bool in_vain = forgetting.not_put_back.contains({start.run, start.incarnation});
    if (in_vain && (!forgetting.elsewhere || gone != &forgetting)) continue;
    gone = nullptr;
    put_back = told;  // and perhaps forgotten once more
  }
  return gone;
}

/// In a time that the store forgot later.
bool Checker::was_granted_in_vain(const Start& start) const {
  const Grant* grant = grant_of(start);
  const auto& all = witness_.forgettings();
  return grant != nullptr && std::any_of(all.begin(), all.end(), [&](const Forgetting& forgetting) {
           return is_of(*grant, forgetting);
         });
}

/// A guest whose clocks stopped trusts a lease that is over, and starts what was forgotten since.
/// It may have stopped before the claim, after the beat that it trusts.
bool Checker::slept_through(const Start& start) const {
  const Grant* grant = grant_of(start);
  return grant != nullptr && was_granted_in_vain(start) &&
         witness_.had_stood_still(start.incarnation, grant->at - evidence_.lease, start.at);
}

/// Each of those who told what they knew had its last answer before the claim was made. The time
/// that they told may be later: that of a store which had forgotten it by then.
bool Checker::was_unheard(const Grant& grant, const Forgetting& forgetting) const {
  const auto& tellers = forgetting.rememberers;
  return !tellers.empty() && std::all_of(tellers.begin(), tellers.end(), [&](const auto& teller) {
    const auto last = forgetting.answered.find(teller.first);
    return last != forgetting.answered.end() && last->second < grant.at;
  });
}

/// The protocol's own words: once fails only for a claim made by a node now dead, after the last
/// answer that any living node had. It may have lived when the claim was forgotten for the first
/// time, and have died before it could tell again what is forgotten once more.
bool Checker::is_excused(const Grant& grant) const {
  const Claim& claim = grant.claim;
  std::optional<Duration> put_back;
  for (const Forgetting& forgetting : witness_.forgettings()) {
    const bool again = put_back && forgetting.from < *put_back && *put_back <= forgetting.to &&
                       witness_.was_dead(claim.incarnation, end_of(forgetting));
    const auto told = forgetting.told(claim.incarnation, claim.run, claim.fence);
    const bool unknown = claim.claimed_at > forgetting.remembered || was_unheard(grant, forgetting);
    if (!told && (again || is_of(grant, forgetting)) && unknown) return true;
    if (told) put_back = told;
  }
  return false;
}

bool Checker::is_excused(const Start& start) const {
  const Grant* grant = grant_of(start);
  return grant != nullptr && is_excused(*grant);
}

/// A store that was put back in its place looks the same to a node that had no answer since; it is
/// closed by the first that knows more (docs/decisions/0008).
bool Checker::is_unnoticed(Duration at) const { return witness_.is_unnoticed(at); }

bool Checker::is_unnoticed(const Start& start) const {
  const Grant* grant = grant_of(start);
  return grant != nullptr && is_unnoticed(grant->at);
}

/// The attempt before the second was started again in such a restore, and this one came of that: an
/// attempt that was forgotten with the first comes again.
bool Checker::follows_unnoticed(const Start& first, const Start& second) const {
  const auto& all = witness_.starts();
  return was_granted_in_vain(first) &&
         std::any_of(all.begin(), all.end(), [&](const Start& before) {
           return before.run.job == second.run.job && before.run.space == second.run.space &&
                  before.run.slot == second.run.slot && before.run.request == second.run.request &&
                  before.run.attempt < second.run.attempt && before.at > first.at &&
                  is_unnoticed(before);
         });
}

/// The store forgot that it had ended the node, before that start.
bool Checker::was_undone(const Ending& ending, const Start& before) const {
  const auto& all = witness_.forgettings();
  return std::any_of(all.begin(), all.end(), [&](const Forgetting& forgetting) {
    return ending.at <= forgetting.to && !forgetting.ended.contains(ending.incarnation) &&
           before.at >= forgetting.to;
  });
}

/// Before that time the store was put back to one in which this epoch had not been opened: what it
/// remembered then is gone, too.
bool Checker::was_forgotten(const Forgetting& forgetting, Duration at) const {
  const auto& all = witness_.forgettings();
  return std::any_of(all.begin(), all.end(), [&](const Forgetting& later) {
    return later.from < *forgetting.opened && *forgetting.opened <= later.to && later.to < at;
  });
}

void Checker::check_epochs() {
  for (const Forgetting& forgetting : witness_.forgettings()) check_epoch(forgetting);
}

void Checker::check_epoch(const Forgetting& forgetting) {
  if (forgetting.again) fail("I6", "an epoch was closed, and nothing had been forgotten");
  const Duration shut =
      forgetting.elsewhere ? forgetting.to : forgetting.closed.value_or(evidence_.end);
  const Duration open = end_of(forgetting);
  for (const Grant& grant : witness_.grants()) {
    if (grant.at > shut && grant.at < open) {
      fail("I6", grant.claim.run, "granted in an epoch that had to be closed");
    }
    const bool first =
        grant.claim.run.space == Space::slot && grant.claim.run.attempt == Attempt{1};
    if (first && forgetting.opened && grant.at >= *forgetting.opened &&
        grant.claim.run.slot <= forgetting.remembered && !was_forgotten(forgetting, grant.at)) {
      fail("I2", grant.claim.run, "granted, although it may have run before the store forgot");
    }
  }
  // The opener's clock may be fast by a tenth.
  const bool unseen = !forgetting.elsewhere && forgetting.was_closed;
  const bool early = !unseen && forgetting.waiting && forgetting.opened &&
                     *forgetting.opened - *forgetting.waiting < evidence_.lease * 10 / 11;
  if (early) fail("I6", "an epoch was opened before every living node could remember");
  const bool lasts = !forgetting.opened && !forgetting.over;
  if (evidence_.calm_since && lasts && (forgetting.elsewhere || forgetting.closed)) {
    fail("I4", "an epoch stayed closed although nothing was wrong any more");
  }
}

}  // namespace cronce::sim
