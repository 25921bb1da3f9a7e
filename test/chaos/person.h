// Somebody who steers the jobs while their nodes die: all that the commands allow, at random.
//
// What is done and when is drawn from the seed before anything runs; each command is a process of
// its own, and several are at work at the same time. Some are killed before they can say what they
// did.
#pragma once

#include <sys/types.h>

#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "test/chaos/cluster.h"
#include "test/chaos/evidence.h"

namespace cronce::chaos {

class Person {
 public:
  /// Does so many things in so many seconds.
  Person(Site site, std::vector<JobSpec> jobs, std::uint64_t seed, int seconds, int commands);

  /// The file with the guests, all of them in it.
  void write_guests();
  /// The next version of that file, the same guests in it, which no host has yet.
  void begin_deploy();
  void deploy_to(std::size_t host) const;
  /// Starts what is due; `now` counts from the first fault.
  void tick(int now_ms);
  /// A process has ended: perhaps one of ours.
  void ended(pid_t pid, int status);

  /// Nothing more begins, and what was begun is awaited.
  void stop() { plan_.clear(); }
  bool is_idle() const { return busy_.empty(); }
  /// Puts all back: nothing is paused, and the file has its guests.
  void make_good();
  /// What is held waits for nobody else; told again and again, as runs are lost later.
  void release(const std::vector<Record>& records);

  const std::vector<Act>& acts() const { return acts_; }
  void print_counts() const;

 private:
  struct Planned {
    int at_ms = 0;
    What what{};
    bool ends = false;  // a drop
    std::vector<std::string> jobs;
    std::vector<std::string> words;
    std::vector<std::string> requests;  // of a trigger: one command each
    int from_ms = 0;                    // of a backfill: so long ago
    int to_ms = 0;
    bool again = false;
    int until_ms = 0;
    int kill_after_ms = -1;
  };
  struct Command {
    std::size_t act;
    std::string output;
    int kill_at = -1;
  };

  void draw(int seconds, int commands);
  void draw_trigger(Planned one);
  void draw_pause(Planned one);
  void draw_backfill(Planned one);
  void draw_drop(Planned one);
  int between(int least, int most);
  bool chance(int percent) { return between(1, 100) <= percent; }
  const std::string& any_job();
  void perform(const Planned& planned);
  void start(Act act, std::vector<std::string> words, int kill_after_ms);
  void drop(const Planned& planned);
  void write_file_of(const std::vector<JobSpec>& guests);

  Site site_;
  std::vector<JobSpec> jobs_;
  std::mt19937_64 random_;
  std::deque<Planned> plan_;
  std::map<pid_t, Command> busy_;
  std::vector<Act> acts_;
  int generation_ = 0;
  std::vector<JobSpec> guests_;
  std::string newest_;  // text of the file
  int requests_ = 0;
};

}  // namespace cronce::chaos
