// The checkers: judge a finished world by the invariants I1 to I10.
//
// They read the witness, the calendar of the definitions, and the store's last rows. Nothing of the
// engine or of a store is linked into them.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"
#include "test/sim/witness.h"

namespace cronce::sim {

struct Evidence {
  const Witness& witness;
  std::vector<JobRow> jobs;
  std::vector<Run> rows;
  Duration end{};                  // true time
  Time store_end{};                // the store's clock then
  bool limited = false;            // some nodes run only so many at once
  std::optional<Time> calm_since;  // store time from which on nothing went wrong any more
};

struct Violation {
  std::string invariant;
  std::string what;
};

std::vector<Violation> check(const Evidence& evidence);

/// One group of invariants each.
class Checker {
 public:
  explicit Checker(const Evidence& evidence) : evidence_(evidence), witness_(evidence.witness) {}

  void check_starts();    // I1, I2, I5, I7
  void check_overlap();   // I3, groups, leases
  void check_fences();    // I6, pauses
  void check_calendar();  // I4, I9
  void check_rows();      // I10, what is left over
  void check_calm();      // I8

  std::vector<Violation> found;

 private:
  void fail(std::string invariant, const RunId& run, const std::string& what);
  std::string name_of(JobUid job) const;
  bool always(JobUid job, bool (*holds)(const Job&)) const;
  void check_apart(std::vector<const Start*> starts);
  void check_group(const std::string& group);
  void check_slots(const JobRow& job);
  void check_row(const Run& row, const JobRow& job, const std::vector<const Start*>& starts);
  void check_unended(const Run& row, const JobRow& job, const std::vector<const Start*>& starts);
  void check_punctual(const JobRow& job);
  const JobRow* row_of(JobUid job) const;

  const Evidence& evidence_;
  const Witness& witness_;
};

}  // namespace cronce::sim
