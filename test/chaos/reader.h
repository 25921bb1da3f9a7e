// What a stranger reads of a store: the commands of the program, in processes of their own.
#pragma once

#include <string>
#include <vector>

#include "test/chaos/evidence.h"

namespace cronce::chaos {

class Reader {
 public:
  Reader(std::string program, std::string store)
      : program_(std::move(program)), store_(std::move(store)) {}

  /// What a command failed with is added to troubles().
  std::vector<Record> history();
  std::vector<JobLine> jobs();
  std::string why(const SlotRef& slot);
  /// What `verify` finds that cannot be for the lack of time: slots missing, twice, or of nobody.
  /// Of overlaps the witness knows more than the clocks of the nodes.
  std::vector<std::string> verify() const;

  const std::vector<std::string>& troubles() const { return troubles_; }
  /// While there is no store yet there is nothing to read.
  void forget_troubles() { troubles_.clear(); }

 private:
  std::string ask(const std::vector<std::string>& words);

  std::string program_;
  std::string store_;
  std::vector<std::string> troubles_;
};

}  // namespace cronce::chaos
