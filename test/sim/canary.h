// Planted bugs: each must be caught, or the checkers are blind.
//
// They live in wrappers of the store, of the simulated keeper and of what the engine is told; the
// product has no hook for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cronce::sim {

enum class Canary : std::uint8_t {
  none,
  decide_grants_twice,
  take_grants_twice,
  take_ignores_live,
  take_ignores_pause,
  decide_in_the_future,
  plan_without_definition,
  fence_at_enqueue,
  fence_stands_still,
  sweep_ignores_beat,
  sweep_keeps_rows,
  beat_after_end,
  stale_finish_counts,
  late_finish_retries,
  repeated_finish_retries,
  sequence_unchecked,
  purge_reopens,
  both_schedules,
  pause_caught_up,
  policy_lost,
  group_lost,
  lost_reruns,
  unknown_is_lost,
  unknown_is_granted,
  trust_from_arrival,
  keeper_ignores_deadline,
  keeper_forgets_end,
  keeper_starts_twice,
  slots_lost,
  epoch_stays_open,
  remembered_runs_again,
  claims_not_put_back,
  older_repoints,
  share_run_by_others,
  exec_row_ignored,
  until_never_ends,
  until_caught_up,
  doubt_ignored,
  owing_dropped,
  take_after_success,
  offer_at_next_beat,
  settle_not_carried,
  backfill_of_what_ran,
  key_granted_twice,
  pause_enqueues,
  ended_live_again,
  exec_clock_ignored,
  leap_told,
  slot_put_off,
  share_not_joined,
  zone_data_ignored,
  how_many,
};

inline constexpr std::size_t kCanaries = static_cast<std::size_t>(Canary::how_many) - 1;

std::string_view name_of(Canary canary);

/// Whether it shows only when faults stop and everything must come right.
bool needs_liveness(Canary canary);

/// The invariant that must catch it; if it is empty, whichever does.
std::string_view must_break(Canary canary);

}  // namespace cronce::sim
