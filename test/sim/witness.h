// The witness: what really happened, in the order in which it happened.
//
// It shares no code with the engine or the store. Starts and ends of children are told by the
// simulated keeper; grants, beats, ends of incarnations, definitions and pauses are noted where
// requests enter the store, as they are answered. The checkers (test/sim/check.h) read this and
// nothing of the engine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/operation.h"

namespace cronce::sim {

/// One child.
struct Start {
  Duration at{};      // true time
  Time store_most{};  // the greatest that the store's clock had shown by then
  RunId run;
  Fence fence;
  Incarnation incarnation;
  std::size_t host = 0;
  std::optional<Duration> gone;         // true time
  RunState result = RunState::running;  // as the keeper will report it; lost: nobody can tell
  Reason reason = Reason::none;
  bool outside = false;  // its guest was paused: outside the inequality of the leases
};

/// A claim as the store gave it.
struct Grant {
  Duration at{};
  Claim claim;
  bool paused = false;  // the job was
};

/// An incarnation that was ended.
struct Ending {
  Duration at{};
  Incarnation incarnation;
  Beat asked;  // the beat that the sweeper had seen
  Beat last;   // the beat that it really had
};

/// A time in which a job had one schedule.
struct Chapter {
  JobUid job;
  Job definition;
  Time from{};     // store time: slots after it belong to it
  Time certain{};  // slots up to here may have been settled before: the store's clock had shown it
                   // once
  std::optional<Time> to;
  Time possible{};  // once closed: the greatest that the store's clock had shown by then
};

struct PausedTime {
  JobUid job;
  Time from{};
  std::optional<Time> to;
};

class Witness {
 public:
  void store_shows(Time time) { most_ = time > most_ ? time : most_; }
  Time store_most() const { return most_; }

  std::size_t started(Duration at, const Claim& claim, std::size_t host);
  void gone(std::size_t start, Duration at, RunState result, Reason reason);
  /// The keeper did not start it, and will say so.
  void refused(const RunId& run) { refused_.insert(run); }
  void paused_guest(std::size_t start) { starts_[start].outside = true; }

  /// Its clocks stood still with its guest: it may trust a lease that is over.
  void stood_still(const Incarnation& incarnation) { stood_still_.insert(incarnation); }

  void granted(Duration at, const Claim& claim);
  void learned(const Claim& claim) { learned_.insert({claim.run, claim.fence}); }
  void beaten(const Incarnation& incarnation, Beat beat, Duration at);
  void ended(Duration at, const Incarnation& incarnation, Beat asked);
  void self_lost(const RunId& run) { self_lost_.push_back(run); }
  void defined(JobUid job, const Job& definition, Time store_time);
  void retired(JobUid job, Time store_time);
  void paused(JobUid job, Time store_time);
  void resumed(JobUid job, Time store_time);

  const std::vector<Start>& starts() const { return starts_; }
  const std::vector<Grant>& grants() const { return grants_; }
  const std::vector<Ending>& endings() const { return endings_; }
  const std::vector<Chapter>& chapters() const { return chapters_; }
  const std::vector<PausedTime>& pauses() const { return pauses_; }
  const std::map<JobUid, std::vector<Job>>& definitions() const { return definitions_; }
  const std::vector<RunId>& self_lost() const { return self_lost_; }
  const std::vector<Incarnation>& beats_after_end() const { return beats_after_end_; }
  bool was_refused(const RunId& run) const { return refused_.contains(run); }
  bool had_stood_still(const Incarnation& node) const { return stood_still_.contains(node); }
  bool was_learned(const RunId& run, Fence fence) const { return learned_.contains({run, fence}); }

 private:
  Chapter* open_chapter(JobUid job);
  PausedTime* open_pause(JobUid job);

  Time most_ = kMinTime;
  std::vector<Start> starts_;
  std::vector<Grant> grants_;
  std::vector<Ending> endings_;
  std::vector<Chapter> chapters_;
  std::vector<PausedTime> pauses_;
  std::map<JobUid, std::vector<Job>> definitions_;  // every one that it had
  std::map<Incarnation, Beat> beats_;
  std::set<Incarnation> ended_, stood_still_;
  std::set<std::pair<RunId, Fence>> learned_;
  std::set<RunId> refused_;
  std::vector<RunId> self_lost_;
  std::vector<Incarnation> beats_after_end_;
};

}  // namespace cronce::sim
