// A process that runs one slot itself, as `cronce exec` does: it makes node, job and row in one
// step, beats while its child lives, and reports the end.
#pragma once

#include <memory>
#include <string>

#include "test/scenario/door.h"
#include "test/scenario/keeper.h"
#include "test/scenario/stage.h"

namespace cronce::scenario {

class ExecProcess {
 public:
  ExecProcess(Stage& stage, Door& door, std::string name, Incarnation incarnation);

  /// The child lives for `lasts`, if the slot is granted.
  void run(const std::string& job, Time slot, Duration lasts);

 private:
  void beat();
  void report(const FinishEntry& end);
  WriteId next_id() { return {node_.incarnation, 0, ++sequence_}; }

  Stage& stage_;
  Door& door_;
  Node node_;
  MachineClock clock_;
  std::unique_ptr<Keeper> keeper_;
  std::uint64_t sequence_ = 0;
  bool over_ = false;
};

}  // namespace cronce::scenario
