// Rare states: a run that never reached one of them has not tested it.
//
// Each is counted where the world can see it: at the store's door, at the keeper, at a host. The
// standard run fails if one of them stayed at zero.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cronce::sim {

enum class Rare : std::uint8_t {
  claim_answer_lost,
  claim_returned,
  claim_learned_late,
  unknown_not_applied,
  stale_sequence,
  write_twice,
  beat_twice,
  beat_overtaken,
  beat_late,
  decide_moved,
  decide_same_moment,
  decide_future,
  decide_too_old,
  decide_retired,
  decide_ended,
  take_busy,
  take_full,
  take_gone,
  take_paused,
  slot_enqueued,
  slot_deferred,
  deferred_ran,
  deferred_skipped,
  skipped_overlap,
  queue_full,
  replaced,
  lapse_expired,
  range_missed,
  range_paused,
  caught_up_all,
  swept_with_runs,
  swept_without_runs,
  sweep_too_late,
  left_by_itself,
  swept_came_back,
  reborn_with_runs,
  late_finish,
  late_superseded,
  finish_repeated,
  finish_stale,
  spooled_end,
  retry_made,
  rerun_made,
  held_made,
  stopped_for_replace,
  cancelled_live,
  cancelled_waiting,
  timed_out,
  killed_at_deadline,
  carried_on,
  spawn_refused,
  digest_superseded,
  rolled_back,
  register_owing,
  register_early,
  renamed,
  job_retired,
  job_came_back,
  past_at,
  after_rearmed,
  purged,
  clock_back,
  clock_forward,
  frozen_with_answer,
  guest_paused_with_runs,
  failed_over,
  restored,
  store_restarted,
  remembered_claims,
  remembered_nothing,
  ended_again,
  epoch_opened,
  slot_regressed,
  run_regressed,
  clock_doubted,
  clock_in_2098,
  clock_accepted,
  receded,
  retired_by_person,
  pause_ran_out,
  repointed,
  member_joined,
  member_ended,
  node_absent,
  register_conflict,
  register_numbered,
  two_sources,
  exec_granted,
  exec_settled,
  exec_overlap,
  exec_met_by_decide,
  exec_learned_late,
  exec_clock,
  exec_died,
  key_granted,
  key_busy,
  key_replayed,
  key_lost,
  civil_repeated,
  how_many,
};

inline constexpr std::size_t kRareStates = static_cast<std::size_t>(Rare::how_many);

/// `claim granted, answer lost`
std::string_view name_of(Rare state);

class RareCounts {
 public:
  void saw(Rare state, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(state)] += times;
  }
  std::uint64_t of(Rare state) const { return counts_[static_cast<std::size_t>(state)]; }
  void add(const RareCounts& other);

 private:
  std::array<std::uint64_t, kRareStates> counts_{};
};

}  // namespace cronce::sim
