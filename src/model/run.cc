#include "model/run.h"

namespace cronce {

bool is_ended(RunState state) {
  return state != RunState::pending && state != RunState::held && state != RunState::running;
}

}  // namespace cronce
