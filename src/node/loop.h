// The loop: waits for whatever happens, tells the engine, and has its orders carried out.
//
// Here and nowhere else the engine meets the outside. Each round waits on one set of descriptors:
// what the other threads tell, the keeper, signals, job files, hints of other nodes, and a timer.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/cluster_clock.h"
#include "node/hint.h"
#include "node/job_files.h"
#include "node/job_watch.h"
#include "node/node.h"
#include "node/perform.h"
#include "node/story.h"
#include "node/supervisor.h"

namespace cronce {

class Loop {
 public:
  struct Parts {
    const NodeSettings& settings;
    const Clock& clock;
    const Log& log;
    const Supervisor& supervisor;
    Performer::Parts hands;
    Engine& engine;
    Inbox<News>& inbox;
    JobWatch& watch;
    Hint& hint;
    int signals;  // a signalfd
  };
  explicit Loop(const Parts& parts);

  /// Until the node has left. `gone` are incarnations of this machine of which nothing runs any
  /// more, and that the store has not ended yet.
  NodeEnd run(LoadedJobs jobs, const std::vector<Incarnation>& gone);

 private:
  // One thing that happened.
  void feed(const Event& event);
  void obey(std::vector<Action> actions, const Now& now);
  void hear(BeatReply&& reply);
  void hear(WriteReply&& reply);
  void hear(DiskSeen&& seen);
  void hear(const GoneSwept& swept);
  void hear(UserFound&& found);
  void hear(JobsRead&& read);
  void hear(const NoticeTold& told);
  void hear(const AllLookedAt&) { told_all_ = true; }
  void hear(const ThreadEnded&) {}
  void hear(const Started& event);
  void hear(const Ended& event);
  void hear(const Progress& event);
  void hear(const Remark& event);
  void hear(const KeeperReplaced& event);
  void hear(const KeeperGone& event);
  void end_gone(const std::vector<FinishEntry>& ends);
  void hear_keeper();
  void hear_signals();
  void hear_hint();
  void tell_failure(const Error& error, std::string& last);
  void forget_failure(std::string& last);
  void store_failed(const Error& error, const Event& event);

  // Time.
  void wait();
  Duration next_look() const;
  void look_at_clock();
  void leave_if_idle();
  void give_up_calls(Duration boot);
  void look_at_files(Duration boot);
  void look_at_disk(Duration boot);
  Now now() const;

  // Files.
  bool take(LoadedJobs&& loaded);

  // Leaving.
  void begin_to_leave(const char* why);
  void stop_runs();
  Duration leave_alone_at() const;
  void leave_keeper();
  bool leaves() const { return leave_asked_.has_value(); }

  Parts parts_;
  const NodeSettings& settings_;
  const Log& log_;
  Engine& engine_;
  Keeper& keeper_;
  ClusterClock cluster_;
  Performer hands_;
  Story story_;
  Descriptor timer_;

  /// A source as it was offered last.
  struct Known {
    std::string digest;
    std::optional<Generation> generation;
  };
  std::map<std::string, Known> offered_;
  std::set<std::pair<RunId, Fence>> told_;  // ends that the engine has and the store may not
  std::set<std::string> told_troubles_;
  std::set<std::string> told_failures_;
  std::set<Incarnation> gone_;  // of this machine, until the store has ended them
  bool sweeps_ = false;
  std::string beat_failure_;   // of the store, as it was told last
  std::string write_failure_;  // likewise
  bool reads_files_ = false;
  bool is_ready_ = false;
  Duration tick_at_{};                   // when the engine wants to look again
  Duration answered_at_{};               // the store, last
  Duration disk_at_{};                   // when to look at it again
  Duration alive_at_ = Duration::max();  // when to tell the supervisor

  int signals_ = 0;
  std::optional<Duration> leave_asked_;
  Duration drained_at_ = Duration::max();
  bool asked_to_tell_ = false;
  bool told_all_ = false;
  Duration tell_until_{};
  bool told_leaving_ = false;
  bool leaving_keeper_ = false;
  bool keeper_gone_ = false;
  bool over_ = false;
  NodeEnd end_;
};

}  // namespace cronce
