#include "test/sim/canary.h"

#include <array>

namespace cronce::sim {
namespace {

constexpr std::array<std::string_view, kCanaries + 1> kNames{
    "none",
    "decide grants a slot that is settled",
    "take grants a run that is taken",
    "take ignores live runs",
    "take ignores a pause",
    "decide accepts the future",
    "plan told with an old definition",
    "fence drawn at enqueue",
    "fence does not grow",
    "sweep ignores the beat number",
    "sweep leaves the rows running",
    "beat of an ended incarnation accepted",
    "finish with a stale fence accepted",
    "late finish creates a retry",
    "repeated finish creates a retry",
    "sequence of writes not checked",
    "purge re-opens slots",
    "register keeps both schedules",
    "pause caught up after resume",
    "overlap policy lost at registration",
    "group limit lost at registration",
    "lost runs start again by default",
    "unknown write taken for not applied",
    "unknown write taken for granted",
    "trust counted from the arrival",
    "keeper ignores the deadline",
    "keeper forgets an end",
    "keeper starts twice",
    "decide forgets what it skipped",
    "store that failed over is not closed",
    "remembered time not kept",
    "claims not put back",
    "older node repoints",
    "share of another node run",
    "slot that exec ran granted again",
    "pause with `until` never ends",
    "pause with `until` caught up",
    "doubted clock followed",
    "owed slots of a dropped job forgotten",
    "take after a late success",
    "digest offered with the next beat only",
    "settling write does not carry on",
    "backfill of a slot that ran",
    "key granted to two",
    "slot of a pause waits for its end",
    "node that was ended lives again",
    "exec claims although the clocks disagree",
    "exec tells the time of a clock that leapt",
    "slot put off although nothing is wrong",
    "share of a node never joined",
    "newer zone data never counts",
};

}  // namespace

std::string_view name_of(Canary canary) { return kNames[static_cast<std::size_t>(canary)]; }

bool needs_liveness(Canary canary) {
  return canary == Canary::sweep_keeps_rows || canary == Canary::keeper_forgets_end ||
         canary == Canary::until_never_ends || must_break(canary) == "I8";
}

/// What comes late or never breaks nothing else.
std::string_view must_break(Canary canary) {
  const bool only_late = canary == Canary::slot_put_off || canary == Canary::share_not_joined ||
                         canary == Canary::zone_data_ignored;
  return only_late ? "I8" : "";
}

}  // namespace cronce::sim
