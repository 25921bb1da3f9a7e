// The witness: what really happened, in the order in which it happened.
//
// It shares no code with the engine or the store. Starts and ends of children are told by the
// simulated keeper; grants, beats, ends of incarnations, definitions, pauses and keys are noted
// where requests enter the store, as they are answered. The checkers (test/sim/check.h) read this
// and nothing of the engine.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/operation.h"

namespace cronce::sim {

/// One child.
struct Start {
  Duration at{};      // true time
  Time store_most{};  // the greatest time by which the store had judged anything by then
  RunId run;
  Fence fence;
  Incarnation incarnation;
  std::string node;                     // its name
  const void* process = nullptr;        // whose child it is
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

/// What the store knew at a moment, and may forget.
struct Known {
  std::vector<Chapter> chapters;
  std::vector<PausedTime> pauses;
  std::map<Incarnation, Beat> beats;
  std::set<Incarnation> ended;
  std::size_t grants = 0;      // how many there had been
  bool closed = false;         // its epoch was
  Time remembered = kMinTime;  // the latest that was told
};

/// The store was put back to what it had been.
struct Forgetting {
  Duration from{};              // true time: what came after it is forgotten
  std::size_t grant = 0;        // the first that is
  Duration to{};                // true time: from then on
  std::set<Incarnation> ended;  // who had been by then
  bool elsewhere = false;       // a fail-over; otherwise a restore in its place
  bool again = false;           // it was closed, and nothing had been forgotten
  bool was_closed = false;      // then: to who has not heard of the next epoch nothing is missing
  std::optional<Duration> closed;
  std::optional<Duration> waiting;  // since when it is, also if it was put back meanwhile
  std::optional<Duration> opened;
  std::optional<Duration> over;                 // forgotten once more before it was opened
  Time remembered = kMinTime;                   // the latest store time that a living node told
  std::map<Incarnation, Duration> rememberers;  // who told all its claims, and when
  std::map<Incarnation, Duration> answered;     // who had an answer before it, the last one given
  std::map<std::pair<RunId, Fence>, Duration> claims;    // told by who came after their node
  std::set<std::pair<RunId, Incarnation>> not_put_back;  // what they told in vain

  /// When that claim of the node was told.
  std::optional<Duration> told(const Incarnation& node, const RunId& run, Fence fence) const;
};

/// Somebody may do what a key stands for.
struct KeyGrant {
  Duration at{};
  std::string key;
  Fence fence;
  Incarnation incarnation;
  bool rerun_lost = false;
  Time store_time{};
};

/// What became of it, as the store took it.
struct KeyEnd {
  Duration at{};
  std::string key;
  Fence fence;
  bool done = false;  // or failed
  std::string result;
  Time expires{};
};

/// A key that was told to be done, with what.
struct KeyReplay {
  Duration at{};
  std::string key;
  std::string result;
};

class Witness {
 public:
  /// A time by which the store judges what it is asked.
  void store_judges(Time time) { most_ = time > most_ ? time : most_; }
  Time store_most() const { return most_; }
  /// A person said that the store's clock is right.
  void accepted_clock() { clock_accepted_ = true; }
  bool clock_accepted() const { return clock_accepted_; }
  /// Somebody settled what is far ahead, and no living node had doubted the store's clock.
  void nobody_doubted(JobUid job) { undoubted_.insert(job); }
  bool was_undoubted(JobUid job) const { return undoubted_.contains(job); }

  // Children. One of no job does what a key stands for: the request of its run.
  Start& started(Duration at, const Claim& claim, const std::string& node);
  /// The keeper did not start it, and will say so.
  void refused(const RunId& run) { refused_.insert(run); }
  /// Its clocks stood still with its guest: it may trust a lease that is over.
  void stood_still(const Incarnation& incarnation, Duration from, Duration to) {
    stood_still_[incarnation].emplace_back(from, to);
  }
  void died(Duration at, const Incarnation& incarnation) { deaths_.try_emplace(incarnation, at); }

  // What the store answered.
  void granted(Duration at, const Claim& claim);
  void learned(const Claim& claim) { learned_.insert({claim.run, claim.fence}); }
  void beaten(const Incarnation& incarnation, Beat beat);
  void ended(Duration at, const Incarnation& incarnation, Beat asked);
  /// The node has an answer that was given then.
  void answered(Duration at, const Incarnation& node);
  void self_lost(const RunId& run) { self_lost_.push_back(run); }
  /// A person had the slot backfilled as one that never ran.
  void backfilled_after(const Start& start) { backfilled_after_.push_back(&start); }
  /// A source's file is not the one that is registered, because of another source.
  void registered(const std::string& source, bool conflict);
  void named_by_exec(const RunId& run) { named_by_exec_.insert(run); }
  /// A decision let it wait.
  void enqueued(const RunId& run);
  /// By a person.
  void backfilled(JobUid job, Time slot) { backfilled_.insert({job, slot}); }
  /// What would be wrong, but for a restore that nobody has noticed.
  void excused_unnoticed() { ++unnoticed_; }
  /// What the door saw, and no rule allows.
  void wrong(const char* invariant, std::string what) {
    wrongs_.emplace_back(invariant, std::move(what));
  }

  // Jobs and pauses.
  void defined(JobUid job, const Job& definition, Time store_time);
  /// No slots are expected of it: it runs everywhere and its members have them, or only `exec`
  /// runs it.
  void named(JobUid job, const Job& definition) { definitions_[job].push_back(definition); }
  void retired(JobUid job, Time store_time);
  /// What it may run begins earlier than it did.
  void receded(JobUid job, Time store_time);
  void paused(JobUid job, Time store_time);
  void resumed(JobUid job, Time store_time);

  // Keys.
  void key_granted(KeyGrant grant) { key_grants_.push_back(std::move(grant)); }
  void key_ended(KeyEnd end) { key_ends_.push_back(std::move(end)); }
  void key_replayed(KeyReplay replay) { key_replays_.push_back(std::move(replay)); }

  // A store that forgets.
  bool is_closed() const;
  /// The store had been put back in its place, and nobody had found out yet.
  bool is_unnoticed(Duration at) const;
  bool forgot_an_epoch() const;
  const Known& known() const { return known_; }
  void forgot(Duration from, Duration now, bool elsewhere, Known image);
  void closed(Duration now);
  void opened(Duration now);
  void remembered(Duration now, const Incarnation& incarnation, Time time);
  /// Somebody remembers that it was. True if the store had forgotten that.
  bool ended_again(const Incarnation& incarnation);
  void told(Duration now, const Claim& claim);
  /// Its claim could not be put back.
  void not_put_back(Duration now, const Claim& claim);

  const std::deque<Start>& starts() const { return starts_; }
  const std::deque<Start>& key_starts() const { return key_starts_; }
  const std::vector<Grant>& grants() const { return grants_; }
  const std::vector<Ending>& endings() const { return endings_; }
  const std::vector<Chapter>& chapters() const { return known_.chapters; }
  const std::vector<Chapter>& forgotten_chapters() const { return forgotten_; }
  const std::vector<PausedTime>& pauses() const { return known_.pauses; }
  const std::map<JobUid, std::vector<Job>>& definitions() const { return definitions_; }
  const std::vector<RunId>& self_lost() const { return self_lost_; }
  const std::vector<const Start*>& backfilled_after() const { return backfilled_after_; }
  const std::vector<Incarnation>& beats_after_end() const { return beats_after_end_; }
  const std::vector<Forgetting>& forgettings() const { return forgettings_; }
  const std::vector<KeyGrant>& key_grants() const { return key_grants_; }
  const std::vector<KeyEnd>& key_ends() const { return key_ends_; }
  const std::vector<KeyReplay>& key_replays() const { return key_replays_; }
  const std::vector<std::pair<std::string, std::string>>& wrongs() const { return wrongs_; }
  bool was_refused(const RunId& run) const { return refused_.contains(run); }
  bool had_stood_still(const Incarnation& node) const { return stood_still_.contains(node); }
  bool had_stood_still(const Incarnation& node, Duration from, Duration to) const;
  bool was_dead(const Incarnation& node, Duration at) const {
    const auto death = deaths_.find(node);
    return death != deaths_.end() && death->second <= at;
  }
  bool was_learned(const RunId& run, Fence fence) const { return learned_.contains({run, fence}); }
  /// A file that a person has to change defines it.
  bool is_in_conflict(const JobRow& job) const;
  /// An attempt of a slot that `exec` named.
  bool was_named_by_exec(const RunId& run) const;
  bool was_enqueued(const RunId& run) const { return enqueued_.contains(run); }
  bool was_backfilled(const RunId& run) const { return backfilled_.contains({run.job, run.slot}); }
  std::uint64_t unnoticed() const { return unnoticed_; }

 private:
  Chapter* open_chapter(JobUid job);
  PausedTime* open_pause(JobUid job);

  Time most_ = kMinTime;
  bool clock_accepted_ = false;
  std::set<JobUid> undoubted_;
  Known known_;
  std::deque<Start> starts_, key_starts_;  // keepers hold on to theirs
  std::vector<Grant> grants_;
  std::vector<Ending> endings_;
  std::vector<Chapter> forgotten_;
  std::map<JobUid, std::vector<Job>> definitions_;  // every one that it had
  std::map<Incarnation, std::vector<std::pair<Duration, Duration>>> stood_still_;
  std::map<Incarnation, Duration> deaths_;
  std::map<Incarnation, Duration> answers_;  // the last of each
  std::set<std::pair<RunId, Fence>> learned_;
  std::set<RunId> refused_;
  std::vector<const Start*> backfilled_after_;
  std::vector<RunId> self_lost_;
  std::vector<Incarnation> beats_after_end_;
  std::set<RunId> named_by_exec_;
  std::set<RunId> enqueued_;
  std::set<std::pair<JobUid, Time>> backfilled_;
  std::set<std::string> conflicts_;
  std::vector<Forgetting> forgettings_;
  std::vector<KeyGrant> key_grants_;
  std::vector<KeyEnd> key_ends_;
  std::vector<KeyReplay> key_replays_;
  std::vector<std::pair<std::string, std::string>> wrongs_;
  std::uint64_t unnoticed_ = 0;
};

}  // namespace cronce::sim
