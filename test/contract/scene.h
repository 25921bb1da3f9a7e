// One situation in which two clients ask at once, and all that they may ask in it.
//
// Operations are atomic, so of two there are two orders and no more. Both are asked by what was
// known before either: as clients do that act at the same time.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "test/contract/world.h"

namespace cronce::contract {

enum class Situation : std::uint8_t {
  busy,    // 30 is live
  idle,    // 30 has ended
  quiet,   // the same five seconds earlier: nothing is owed
  closed,  // as idle, but the store has forgotten that `c` took 40
};

/// It is 50, and of job `j` (queue, hold, a window of 9 s, a retry, no history of success): 10 was
/// lost and its second attempt is held, 20 was missed, 30 is live on `c`, which leaves, or has
/// succeeded, 40 and the request `r` are pending, 50 is due. Job `p` is paused until 40, `w` runs
/// everywhere and nobody has a share of it, `v` runs at boot and `c` has a share of it, and `c` has
/// begun a key.
struct Scene {
  Scene(const StoreRow& store, Situation situation);

  /// Everybody has settled what it asked: `c` says what it knows, if it has not.
  void end();
  /// What the tables say: a text for each row, for each part of the plan, and for each node.
  std::set<std::string> facts();

  Situation situation;
  World world;
  Actor& a;
  Actor& b;
  Actor& c;
  JobUid job;
  JobUid paused;
  JobUid whole;
  JobUid share;       // of `c`
  Claim claim;        // of 30
  DecideEntry entry;  // settles 50
  Turn paused_turn;
  Turn share_turn;
  Fence key;
  Beat beat;  // of `c`, as the others have seen it
  bool remembered = false;
};

/// The job `j`.
Job patient_job();

struct Operation {
  std::string_view name;
  /// The number of claims that it was granted.
  std::size_t (*ask)(Scene& scene, Actor& by);
  std::optional<Situation> only = std::nullopt;  // elsewhere it changes nothing
};

std::vector<Operation> operations_in(Situation situation);

}  // namespace cronce::contract
