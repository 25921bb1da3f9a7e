// The legal moves of a run, in one table. No other move exists.
//
// A store makes a run's row come into being, move and vanish only by asking here first; the
// contract holds every store to the same table.
#pragma once

#include <optional>
#include <span>

#include "model/run.h"

namespace cronce {

/// Who moves it.
enum class Mover : std::uint8_t {
  decide,
  exec,
  take,
  finish,
  sweep,
  enroll,
  control,
  remember,
  purge
};

struct Move {
  std::optional<RunState> from;  // none: the row comes into being
  std::optional<RunState> to;    // none: the row vanishes
  Mover by;
  int live;  // what it adds to the job's live runs
};

std::span<const Move> legal_moves();

/// The row of the table, if there is one.
std::optional<Move> find_move(std::optional<RunState> from, std::optional<RunState> to, Mover by);

}  // namespace cronce
