#include "model/moves.h"

#include <array>

namespace cronce {
namespace {

using S = RunState;
constexpr std::optional<RunState> kNone;

constexpr std::array kMoves{
    Move{kNone, S::running, Mover::decide, +1},
    Move{kNone, S::running, Mover::exec, +1},
    Move{kNone, S::pending, Mover::decide, 0},   // enqueue
    Move{kNone, S::pending, Mover::control, 0},  // trigger, backfill
    Move{kNone, S::pending, Mover::finish, 0},   // retry, return
    Move{kNone, S::pending, Mover::sweep, 0},    // rerun
    Move{kNone, S::skipped, Mover::decide, 0},
    Move{kNone, S::skipped, Mover::exec, 0},     // it waits for nobody
    Move{kNone, S::skipped, Mover::enroll, 0},   // an `at` that was over at its first registration
    Move{kNone, S::skipped, Mover::control, 0},  // what a pause covered
    Move{kNone, S::held, Mover::sweep, 0},
    Move{kNone, S::held, Mover::finish, 0},  // the node itself reports `lost`
    Move{S::pending, S::running, Mover::take, +1},
    Move{S::pending, S::skipped, Mover::take,
         0},  // superseded: the slot is known to have succeeded
    Move{S::pending, S::skipped, Mover::decide, 0},
    Move{S::pending, S::skipped, Mover::sweep, 0},
    Move{S::pending, S::skipped, Mover::enroll, 0},
    Move{S::pending, S::skipped, Mover::control, 0},  // retire
    Move{S::pending, S::skipped, Mover::finish, 0},   // superseded by a late success
    Move{S::pending, S::cancelled, Mover::control, 0},
    Move{S::held, S::cancelled, Mover::control, 0},
    Move{S::held, S::pending, Mover::control, 0},
    Move{S::running, S::succeeded, Mover::finish, -1},
    Move{S::running, S::failed, Mover::finish, -1},
    Move{S::running, S::timed_out, Mover::finish, -1},
    Move{S::running, S::cancelled, Mover::finish, -1},
    Move{S::running, S::skipped, Mover::finish, -1},   // a guard was not to be had
    Move{S::running, S::returned, Mover::finish, -1},  // never handed to the keeper
    Move{S::running, S::lost, Mover::finish, -1},      // the node itself: its keeper died
    Move{S::running, S::lost, Mover::sweep, -1},
    Move{S::lost, S::succeeded, Mover::finish, 0},  // late, once
    Move{S::lost, S::failed, Mover::finish, 0},
    Move{S::lost, S::timed_out, Mover::finish, 0},
    Move{S::lost, S::cancelled, Mover::finish, 0},
    Move{kNone, S::running, Mover::remember, +1},
    Move{S::pending, S::running, Mover::remember, +1},
    Move{S::held, S::running, Mover::remember, +1},  // released and taken, and both forgotten
    Move{S::pending, S::lost, Mover::remember, 0},
    Move{S::held, S::lost, Mover::remember, 0},      // so, and ended since
    Move{S::running, S::lost, Mover::remember, -1},  // nobody says that it runs; adopt
    Move{kNone, S::lost, Mover::remember, 0},
    Move{S::succeeded, kNone, Mover::purge, 0},
    Move{S::failed, kNone, Mover::purge, 0},
    Move{S::timed_out, kNone, Mover::purge, 0},
    Move{S::cancelled, kNone, Mover::purge, 0},
    Move{S::skipped, kNone, Mover::purge, 0},
    Move{S::lost, kNone, Mover::purge, 0},
    Move{S::returned, kNone, Mover::purge, 0},
};

}  // namespace

std::span<const Move> legal_moves() { return kMoves; }

std::optional<Move> find_move(std::optional<RunState> from, std::optional<RunState> to, Mover by) {
  for (const Move& move : kMoves) {
    if (move.from == from && move.to == to && move.by == by) return move;
  }
  return std::nullopt;
}

}  // namespace cronce
