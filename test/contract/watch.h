// What must hold of a store's tables after every step, whoever asked for what.
//
// It reads through the seam only (jobs, runs, nodes) and remembers what it saw last: live equals
// the running rows, pending the pending ones; fences grow by claim order; no attempt is recorded
// twice, a range counting as attempt 1 of its slots that had no row; rows come into being and move
// by legal moves; a cursor goes back only by recede; settled slots form a chain without gaps.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/store.h"

namespace cronce::contract {

/// What the step was that may do what no other may.
enum class Excuse : std::uint8_t {
  none,
  receding,     // a cursor goes back
  remembering,  // a run is live again that the store had forgotten, with its old fence
};

class Watch {
 public:
  /// What is wrong now, a sentence each; empty if nothing is.
  std::vector<std::string> look(Store& store, Excuse excuse = Excuse::none);

 private:
  using Ledger = std::map<RunId, Run>;

  void check_job(const JobRow& job, Excuse excuse);
  void check_ledger(const std::vector<Run>& runs);
  void check_births(const std::vector<Run>& runs);
  void check_moves(const Ledger& ledger);
  void check_fences(const JobRow& job, const Ledger& ledger, Excuse excuse);
  void check_plan(const JobRow& job, const std::vector<Run>& runs, Excuse excuse);
  void check_chain(const JobRow& before, const JobRow& job, const std::vector<Run>& runs);
  void wrong(const JobRow& job, const std::string& what);

  std::vector<std::string> found_;
  bool began_ = false;
  std::map<JobUid, JobRow> jobs_;
  Ledger ledger_;
  std::map<JobUid, Fence> fences_;  // the greatest seen
};

}  // namespace cronce::contract
