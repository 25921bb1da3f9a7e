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
};

}  // namespace

std::string_view name_of(Canary canary) { return kNames[static_cast<std::size_t>(canary)]; }

bool needs_liveness(Canary canary) {
  return canary == Canary::sweep_keeps_rows || canary == Canary::keeper_forgets_end;
}

}  // namespace cronce::sim
