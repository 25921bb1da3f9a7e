// What is done to a cluster, and when: drawn from a seed before anything runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cronce::chaos {

enum class Kind {
  kill_node,
  kill_keeper,
  kill_both,        // node and keeper, at one moment
  kill_all,         // all our processes of a node, at one moment
  kill_sub_keeper,  // the one that keeps a run
  kill_job,
  stop_node,  // frozen for a while, perhaps longer than the lease
  stop_keeper,
  stop_both,
  term_node,
  wrong_clock,
  hold_store,  // nobody can write
  failpoint,
};
inline constexpr int kKinds = 13;
std::string name_of(Kind kind);

struct Fault {
  int at_ms = 0;
  Kind kind{};
  int node = 0;
  int amount_ms = 0;           // how long it lasts, or until the restart
  std::int64_t offset_ms = 0;  // of a clock
};
std::string describe(const Fault& fault);

struct Scope {
  std::uint64_t seed = 1;
  int seconds = 60;
  int faults = 60;
  int nodes = 5;
  bool keepers = true;  // of nodes that have some
  std::string only;     // this kind; empty: all
};
std::vector<Fault> draw_faults(const Scope& scope);

/// Every moment of seams.cc.
std::vector<std::string> all_failpoints();
/// Within a second or two, and not once in a life.
bool comes_often(const std::string& failpoint);

}  // namespace cronce::chaos
