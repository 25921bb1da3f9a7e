// Five nodes that are killed, frozen, misled, and started again.
//
// One thread: whoever runs it calls tick() every few milliseconds. The processes of nodes that died
// become children of this one, so nothing is left when it ends.
#pragma once

#include <sys/types.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "test/chaos/evidence.h"
#include "test/chaos/faults.h"
#include "test/chaos/processes.h"
#include "test/chaos/servers.h"

namespace cronce::chaos {

/// Where things are.
struct Site {
  std::string folder;   // on a disk: store, state, logs
  std::string witness;  // on another file system
  std::string program;
  std::string failing_program;  // with failpoints; empty: none
  std::string actor;
  std::string clock_shim;
  /// Of servers, one for each node and one for people; none: all are on one host with one file.
  std::vector<std::string> addresses = {};

  bool has_servers() const { return !addresses.empty(); }
  std::string file() const { return folder + "/store/cronce.db"; }
  std::string jobs() const { return folder + "/jobs.yaml"; }
  // Of a host:
  std::string store(std::size_t host) const {
    return has_servers() ? addresses.at(host) : "sqlite:" + file();
  }
  std::string state(std::size_t host) const { return home(host) + "/state"; }
  std::string guests(std::size_t host) const { return home(host) + "/guests.yaml"; }
  std::size_t hosts() const { return has_servers() ? addresses.size() - 1 : 1; }
  /// For people, who have a line of their own.
  std::string store() const { return store(hosts()); }

 private:
  std::string home(std::size_t host) const {
    return has_servers() ? folder + "/host-" + std::to_string(host) : folder;
  }
};

int now_ms();
/// By the kernel's wall clock.
Millis wall_ms();

class Cluster {
 public:
  /// Without servers the store is a file.
  Cluster(Site site, Servers* servers, int nodes, std::uint64_t seed);
  /// Kills whatever is left.
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Whatever else ends is told here: this is the process that hears of all of them.
  void on_end_of_others(std::function<void(pid_t, int status)> told) { told_ = std::move(told); }

  /// What a deploy does to a host before its node starts again.
  void on_deploy(std::function<void(std::size_t host)> deploy) { deploy_ = std::move(deploy); }

  void start_all();
  /// What is due: the dead start again, the frozen go on, clocks are put right.
  void tick();
  /// False: not at this moment. Try again.
  bool apply(const Fault& fault);

  /// Every node is up, well, and without failpoints; takes a few ticks.
  void calm();
  bool is_calm() const;
  /// TERM for all, and no restart. True when all are gone.
  void leave();
  bool has_left() const;

  const std::array<int, kKinds>& counts() const { return counts_; }
  const std::set<std::string>& visited() const { return visited_; }
  std::vector<std::string> unvisited() const;
  /// Lets a few nodes die of what nobody came to yet.
  void visit_more();
  /// What nobody did to a node and happened all the same.
  const std::vector<std::string>& troubles() const { return troubles_; }
  const std::vector<Span>& lives() const { return lives_; }
  const std::vector<Span>& hard_times() const { return hard_times_; }

 private:
  struct Node {
    int number = 0;
    pid_t pid = 0;        // 0: it is not there
    bool killed = false;  // by us
    bool asked = false;   // to leave
    bool fell = false;    // it, or one of its keeper's processes, by a failpoint
    Millis started_at = 0;
    int restart_after = 0;
    int start_at = 0;
    std::vector<pid_t> frozen;
    int thaw_at = 0;
    std::int64_t* clock = nullptr;  // its error in nanoseconds
    int clock_right_at = 0;
    std::string failpoint;  // what it is to die of
    int visit = 0;          // how often it comes there until it does
    std::string fired;      // the file that says that it has
    int provoke_at = 0;
    int line_right_at = 0;  // 0: it is
    int flap_at = 0;        // 0: it does not
    bool flaps_up = false;
  };

  void start(Node& node);
  void reap();
  void ended(Node& node, int status);
  void look_at_failpoint(Node& node);
  void provoke(Node& node);
  bool arm(Node& node);
  void thaw(Node& node);
  bool kill_one(const std::vector<pid_t>& pids);
  bool kill_with(Node& node, std::vector<pid_t> pids, int restart_after);
  bool freeze(Node& node, const std::vector<pid_t>& pids, int milliseconds);
  bool hold_store(int milliseconds);
  bool set_clock(Node& node, const Fault& fault);
  bool cut_line(Node& node, const std::string& state, int milliseconds);
  bool cut_all(int milliseconds);
  bool lose_batch(Node& node, const Fault& fault);
  void flap(Node& node);
  void note_hard_time(const Node& node, int milliseconds);
  bool begin_at_servers(const Fault& fault);
  bool step_servers_clock(const Fault& fault);
  bool begin_deploy();
  void go_on_with_deploy();
  bool apply_to(Node& node, const Fault& fault);
  bool act_on_line(Node& node, const Fault& fault);
  bool act(Node& node, const Fault& fault);
  std::vector<pid_t> processes(const Node& node, const std::string& name) const;
  Node* pick(int number);
  void count(Kind kind) { ++counts_.at(static_cast<std::size_t>(kind)); }

  Site site_;
  Servers* servers_;
  std::vector<Node> nodes_;
  std::mt19937_64 random_;
  std::deque<std::string> failpoints_;  // in the order in which they are tried
  std::set<std::string> visited_;
  int armed_ = 0;
  std::array<int, kKinds> counts_{};
  std::vector<std::string> troubles_;
  std::vector<Span> lives_;
  std::vector<Span> hard_times_;  // of nodes that were frozen, or had a bad line
  int lock_ = -1;                 // of the store, while we hold it
  int lock_until_ = 0;
  int servers_clock_right_at_ = 0;  // 0: it is
  int servers_rest_until_ = 0;
  int deployed_ = -1;  // hosts so far; -1: no deploy is under way
  bool leaving_ = false;
  std::function<void(pid_t, int)> told_ = [](pid_t, int) {};
  std::function<void(std::size_t)> deploy_ = [](std::size_t) {};
};

}  // namespace cronce::chaos
