// The cluster of a scenario: machines, network, store, and what a person at the console can do.
//
// Deterministic: no thread, no clock, no chance but a fixed seed. Of the first few jobs the node
// that was started first is the home, the next one stands in, and so on.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jobfile/jobfile.h"
#include "store/memory/memory_store.h"
#include "test/scenario/door.h"
#include "test/scenario/exec.h"
#include "test/scenario/machine.h"
#include "test/scenario/naive_store.h"
#include "test/scenario/network.h"
#include "test/scenario/script.h"

namespace cronce::scenario {

class World {
 public:
  World();

  /// The lines that the commands of a block say, the judge's last.
  std::vector<std::string> run(const Block& block);

  /// What a command could not be understood as, with its line.
  const std::vector<std::string>& mistakes() const { return mistakes_; }

  // For commands.
  void run_until(Duration since_begin);
  Machine& machine(const std::string& name);
  /// As a node of that name reads the file: what it offers. Mistakes of the file are told.
  Offered read(const std::string& file, const std::string& node);
  Rng next_rank();

  Stage stage;
  Rng rng{1};
  MemoryStore memory{stage.clock, rng};
  NaiveStore store{memory};
  Door door{stage, store};
  Network network{stage};
  std::map<std::string, std::unique_ptr<Machine>> machines;
  std::vector<std::unique_ptr<ExecProcess>> execs;
  std::map<std::string, std::string> files;
  std::map<std::string, MemoryStore::Image> images;

 private:
  void perform(const Command& command);
  void say_judgement(std::size_t starts_before, std::size_t objections_before);
  void tell_judge(const JobSet& set);

  std::vector<Incarnation> born_;
  std::uint64_t seed_ = 0;
  std::vector<std::string> mistakes_;
};

}  // namespace cronce::scenario
