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
  // Of a store on servers:
  cut,           // a node from the server, in both directions: what was sent arrives when it ends
  cut_requests,  // in one direction
  cut_answers,
  cut_all,    // all nodes
  half_open,  // connections that pass nothing any more, and nobody hears of it
  slow,       // answers, by half a lease to two leases
  reset,
  flap,
  lose_batch,  // of a node or of a person: lost, late, twice, or its answer lost or cut
  restart_server,
  crash_server,
  fail_over_stopped,  // to the standby
  fail_over_cut,
  restore,  // of a base backup
  server_clock,
  deploy,  // host by host
};
inline constexpr int kKinds = 29;
std::string name_of(Kind kind);

/// With its number and the seed of the run: an episode.
struct Fault {
  int at_ms = 0;
  Kind kind{};
  int node = 0;
  int amount_ms = 0;           // how long it lasts, or until the restart
  std::int64_t offset_ms = 0;  // of a clock
  unsigned variant = 0;        // which of several ways
  int number = 0;              // of the run; 0: of none, it only helps
};
std::string describe(const Fault& fault);
/// By how much answers are late.
int slowness(const Fault& fault);
/// By how much the clock of the servers is wrong: less than the judge allows to clocks.
int server_step(const Fault& fault);
/// As chaos_servers calls it.
std::string server_action(const Fault& fault);

struct Scope {
  std::uint64_t seed = 1;
  int seconds = 60;
  int faults = 60;
  int nodes = 5;
  bool keepers = true;  // of nodes that have some
  bool servers = false;
  int episode = 0;   // only this one; 0: all
  std::string only;  // this kind; empty: all
};
std::vector<Fault> draw_faults(const Scope& scope);

/// Every moment of seams.cc.
std::vector<std::string> all_failpoints();
/// Within a second or two, and not once in a life.
bool comes_often(const std::string& failpoint);

}  // namespace cronce::chaos
