// The keeper's own process: it owns every command, and outlives its node by as much as it takes.
//
// One thread, and nothing that waits: it reads no file of others, asks no name service, writes to
// no disk (scribe.h; but for the lock of a new incarnation, before anything of it runs). It acts on
// orders while the node lives, and on its deadlines whether or not it does: when the trust ends,
// TERM; lease_stop later, KILL; an end is kept until it is stored or on the disk. Without a node it
// leaves when nothing runs and everything is safe.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "keeper/cgroup.h"
#include "keeper/channel.h"
#include "keeper/ends.h"
#include "keeper/kept_run.h"
#include "keeper/leftovers.h"
#include "keeper/log_gate.h"
#include "keeper/scribe.h"
#include "keeper/settings.h"
#include "keeper/trees.h"

namespace cronce {

/// What a keeper is born with.
struct KeeperBirth {
  Descriptor node;
  Descriptor scribe;
  std::optional<KeeperCgroup> group;  // below which runs get theirs
};

/// The life of a keeper, in a process just forked. Never returns.
[[noreturn]] void run_keeper(KeeperBirth birth, const KeeperSettings& settings);

class KeeperProcess final : public TreeListener {
 public:
  KeeperProcess(KeeperBirth birth, const KeeperSettings& settings);

  /// Until there is nothing left to keep.
  void run();

 private:
  using Runs = std::map<RunTag, KeptRun>;

  // The loop.
  bool finished() const;
  void handle(const Poller::Event& event);
  void hear_node();
  void node_is_gone();
  void reap();
  void arm_timer();
  void act_on_due();
  void flush();
  void leave();

  // Orders.
  void obey(Start& order);
  void obey(const Stop& order);
  void obey(const TrustOrder& order);
  void obey(const KillAllOrder& order);
  void obey(const EndStoredOrder& order) { ends_.stored(order.key); }
  void obey(const Leave& order);
  void kill_without_trust();
  void tell_trees_of_trust();

  // Starting.
  bool can_start() const { return !waiting_.empty() && trees_.ready(); }
  void start_next();
  std::optional<std::string> reason_not_to_start(const Start& start) const;
  Status plant(RunTag tag, KeptRun& run);
  std::optional<Duration> overdue(const KeptRun& run) const;
  void refuse_waiting(const std::string& sentence);

  // Stopping.
  void stop(RunTag tag, KeptRun& run, const Stopping& stopping);
  void kill(RunTag tag, KeptRun& run);
  void end_of_trust();
  void act_on(RunTag tag, KeptRun& run);
  void set_due(RunTag tag, KeptRun& run, std::optional<Duration> due);

  // What trees tell.
  void started(RunTag tag, pid_t pid) override;
  void refused(RunTag tag, const SpawnFailure& failure) override;
  void exited(RunTag tag, int status) override;
  void emptied(RunTag tag) override;
  void vanished(RunTag tag) override;

  // Output.
  bool read_output(RunTag tag, KeptRun& run);
  bool read_progress(RunTag tag, KeptRun& run);
  void drain(RunTag tag, KeptRun& run);
  void log(RunTag tag, KeptRun& run, std::string_view bytes);
  void log_what_is_missing(RunTag tag, KeptRun& run);
  void pause_output(RunTag tag, KeptRun& run);
  void resume_outputs();
  void hear_scribe();

  // Ending.
  void over(RunTag tag);
  void conclude(RunTag tag, FinishEntry end);
  void release_locks();

  void report(const Report& report);
  void remark(const std::string& text) { report(Remark{text}); }
  Duration now() const { return read_steady(settings_.clock); }
  Time cluster_time(Duration steady) const { return trust_.zero + steady; }
  IncarnationLock* lock_of(const Incarnation& incarnation);

  const KeeperSettings& settings_;
  std::optional<KeeperCgroup> group_;
  std::optional<std::string> cgroup_;  // its path
  Poller poller_;
  Channel node_;
  Scribe scribe_;
  Ends ends_;
  Trees trees_;
  Descriptor signals_;
  Descriptor timer_;
  std::optional<Duration> armed_;  // what the timer is set to
  LogGate log_gate_;

  Runs runs_;
  std::map<RunId, RunTag> tags_;
  RunTag last_tag_ = 0;
  std::deque<RunTag> waiting_;                 // to be started, in this order
  std::set<std::pair<Duration, RunTag>> due_;  // when to look at which run
  std::map<Incarnation, IncarnationLock> locks_;
  std::set<RunTag> news_;       // progress that the node does not know
  std::vector<RunTag> paused_;  // outputs that wait for the disk

  TrustOrder trust_;
  bool trust_is_over_ = false;
  bool node_gone_ = false;
  bool node_writing_ = false;
  bool leaving_ = false;
};

}  // namespace cronce
