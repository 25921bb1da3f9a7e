#include "test/sim/rare.h"

namespace cronce::sim {
namespace {

constexpr std::array<std::string_view, kRareStates> kNames{
    "claim granted, answer lost",
    "claim returned for lack of trust",
    "claim learned by settling an unknown write",
    "unknown write was never applied",
    "write refused: sequence was overtaken",
    "write arrived twice",
    "beat arrived twice",
    "beat overtaken by a later one",
    "beat arrived after its asker had given up",
    "decide refused: moved",
    "two nodes decided in the same round trip",
    "decide refused: in the future",
    "decide refused: too old",
    "decide refused: retired",
    "decide refused: incarnation was ended",
    "take refused: busy",
    "take refused: group is full",
    "take refused: gone",
    "take refused: paused",
    "slot enqueued",
    "slot deferred for a suspicion",
    "deferred slot ran",
    "deferred slot skipped",
    "slot skipped: overlap",
    "slot skipped: queue is full",
    "waiting slot replaced",
    "waiting slot expired",
    "missed slots settled as a range",
    "paused slots settled as a range",
    "owed slots enqueued under `all`",
    "node swept with runs",
    "node swept without runs",
    "sweep refused: it had beaten",
    "node left by itself",
    "swept node came back",
    "node reborn while its children lived",
    "late finish after sweep",
    "late success closed a waiting attempt",
    "finish repeated",
    "finish refused: stale",
    "end waited in the spool for the next process",
    "retry made",
    "rerun made",
    "attempt held",
    "live run stopped for its successor",
    "live run cancelled",
    "waiting run cancelled",
    "run timed out",
    "children killed at the end of trust",
    "keeper refused to spawn after the deadline",
    "superseded digest refused",
    "roll-back granted",
    "register refused: owing",
    "register refused: early",
    "job renamed",
    "job retired",
    "retired job came back",
    "`at` was over when it was registered",
    "`after` counted on from an end",
    "rows purged",
    "store clock stepped back",
    "store clock stepped forward",
    "answer waited for a frozen node",
    "guest paused with children",
};

}  // namespace

std::string_view name_of(Rare state) { return kNames[static_cast<std::size_t>(state)]; }

void RareCounts::add(const RareCounts& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

}  // namespace cronce::sim
