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
  /// As it was last printed.
  const std::string& last_history() const { return last_history_; }
  std::vector<JobLine> jobs();
  std::string why(const SlotRef& slot);
  std::vector<Finding> verify();

  const std::vector<std::string>& troubles() const { return troubles_; }
  /// While there is no store yet there is nothing to read.
  void forget_troubles() { troubles_.clear(); }

 private:
  std::string ask(const std::vector<std::string>& words);

  std::string program_;
  std::string store_;
  std::string last_history_;
  std::vector<std::string> troubles_;
};

}  // namespace cronce::chaos
