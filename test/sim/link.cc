#include "test/sim/link.h"

namespace cronce::sim {
namespace {

/// A way that is slow is slower than most askers wait.
Duration way(Stage& stage, unsigned slow_percent) {
  if (stage.rng.chance(slow_percent))
    return stage.random(10, 3 * stage.lease.answer_timeout.count());
  return stage.random(1, 20);
}

}  // namespace

Fate Link::draw(Stage& stage) const {
  Fate fate;
  if (cut || stage.store_away) return fate;
  if (!stage.rng.chance(drop_percent)) fate.request = way(stage, slow_percent);
  if (!stage.rng.chance(drop_percent)) fate.answer = way(stage, slow_percent) + lag;
  if (fate.request && stage.rng.chance(twice_percent)) {
    fate.again = way(stage, 50);
    fate.second_answer = way(stage, slow_percent);
  }
  return fate;
}

}  // namespace cronce::sim
