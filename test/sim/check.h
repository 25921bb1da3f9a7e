// The checkers: judge a finished world by the invariants I1 to I10.
//
// They read the witness, the calendar of the definitions, and the store's last rows. Nothing of the
// engine or of a store is linked into them.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/plan.h"
#include "test/sim/witness.h"

namespace cronce::sim {

struct Evidence {
  const Witness& witness;
  std::vector<JobRow> jobs;
  std::vector<Run> rows;
  std::vector<std::string> nodes;  // the names of all nodes
  Duration lease{};
  Duration end{};                  // true time
  Time store_end{};                // the store's clock then
  bool limited = false;            // some nodes run only so many at once
  bool walls_right = false;        // most wall clocks are right, at all times
  bool new_zones = false;          // some node has the newer zone data
  std::optional<Time> calm_since;  // store time from which on nothing went wrong any more
};

struct Violation {
  std::string invariant;
  std::string what;
};

/// What the protocol says that nobody can prevent: second starts of what the store forgot, a clock
/// that is wrong when the first node comes, and files that contradict each other.
struct Excused {
  std::uint64_t conflict = 0;   // calm jobs of a file that no node could register
  std::uint64_t undoubted = 0;  // rows of newcomers that believed a clock that nobody doubted
  std::uint64_t dead_node = 0;  // the claim was of a node now dead, after every living one's last
                                // answer
  std::uint64_t request = 0;    // a person's, that was forgotten with its claim, and asked again
  std::uint64_t unnoticed = 0;  // the store was put back in place, and the first to come knew less
  std::uint64_t stood_still = 0;  // clocks that stopped with their guest, and a store that forgot
};

struct Verdict {
  std::vector<Violation> violations;
  Excused excused;
};

Verdict check(const Evidence& evidence);

/// One group of invariants each.
class Checker {
 public:
  explicit Checker(const Evidence& evidence);

  void check_starts();    // I1, I2, I5, I7
  void check_overlap();   // I3, groups, leases
  void check_fences();    // I6, pauses
  void check_epochs();    // what a store that forgets may grant, and when
  void check_calendar();  // I4, I9
  void check_rows();      // I10, what is left over
  void check_keys();      // `once`
  void check_calm();      // I8

  Verdict verdict;

 private:
  void fail(std::string invariant, const RunId& run, const std::string& what);
  void fail(std::string invariant, std::string what);
  std::string name_of(JobUid job) const;
  bool always(JobUid job, bool (*holds)(const Job&)) const;
  const JobRow* row_of(JobUid job) const;
  const Grant* grant_of(const Start& start) const;

  // What the store forgot (check_epochs.cc).
  bool is_of(const Grant& grant, const Forgetting& forgetting) const;
  Duration end_of(const Forgetting& forgetting) const;
  const Forgetting* forgot(const Start& start) const;
  bool was_granted_in_vain(const Start& start) const;
  bool slept_through(const Start& start) const;
  bool was_unheard(const Grant& grant, const Forgetting& forgetting) const;
  bool is_excused(const Grant& grant) const;
  bool is_excused(const Start& start) const;
  bool is_unnoticed(const Start& start) const;
  bool follows_unnoticed(const Start& first, const Start& second) const;
  bool is_unnoticed(Duration at) const;
  bool was_undone(const Ending& ending, const Start& before) const;
  bool was_forgotten(const Forgetting& forgetting, Duration at) const;
  void check_epoch(const Forgetting& forgetting);

  void check_start(const Start& start);
  bool is_other(const Start& first, const Start& second) const;
  static bool knew(const Start& first, const Start& second);
  void check_again(const Start& first, const Start& second, const char* invariant,
                   const char* what);
  bool is_first(const Start& start) const;
  Time decided_at(const Grant& grant) const;
  void check_apart(std::vector<const Start*> starts);
  void check_group(const std::string& group);
  void check_slots(const JobRow& job);
  void check_times();
  bool was_unnoticed_grant(const Run& row) const;
  const Start* started_before(const Run& row) const;
  void check_row(const Run& row, const JobRow& job, const std::vector<const Start*>& starts);
  void check_unended(const Run& row, const JobRow& job, const std::vector<const Start*>& starts);
  void check_started(const Start& start, const Run* row);
  void check_punctual(const JobRow& job);
  void check_zone(const JobRow& job);
  void check_waiting(const JobRow& job);
  void check_members(const JobRow& whole);
  bool was_busy(JobUid job) const;
  bool is_free(const JobRow& job, const Run& row) const;
  Duration granted_at(const Start& start) const;
  bool forgot_between(Duration first, Duration second) const;
  void check_key_grants(const KeyGrant& first, const KeyGrant& second);
  void check_key_starts(const Start& first, const Start& second);

  const Evidence& evidence_;
  const Witness& witness_;
  std::map<std::tuple<RunId, Fence, Incarnation>, std::vector<const Grant*>> grants_;
  std::map<JobUid, const JobRow*> jobs_;
};

}  // namespace cronce::sim
