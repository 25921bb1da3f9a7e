// What happens in a node, as lines of its log.
//
// A line about a slot carries the slot's printed name, so that searching the log for it tells the
// slot's life: claimed, started, ended, tried again, or skipped and why. What every step sees and
// orders is there too, at the level `debug`, in the words of the engine's traces.
//
// It only watches: nothing of a node depends on it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/log.h"
#include "engine/engine.h"

namespace cronce {

class Story {
 public:
  /// The log and the engine outlive it. `budget`: how far a wall clock may be from the cluster's
  /// time.
  Story(const Log& log, const Engine& engine, Duration budget)
      : log_(log), engine_(engine), budget_(budget) {}

  /// Before the engine sees it.
  void tell(const Event& event, const Now& now);
  /// Before it is carried out.
  void tell(const Action& action);

  void started(const RunId& run, std::int64_t pid, Time at);
  void progressed(const RunId& run, const std::string& text);

  /// `billing@2026-03-29T01:30:00Z`, `billing@manual/r-17`.
  std::string name_of(const RunId& run) const;

 private:
  /// What is worth telling of a write when its answer comes; the write itself is long gone then.
  struct Asked {
    std::vector<DecideEntry> entries;
    std::vector<Lapse> lapses;
    std::vector<RunId> takes;
    std::vector<SweepEntry> sweeps;
    std::string source;
    std::string digest;
    std::size_t jobs = 0;
  };
  struct Known {
    Claim claim;
    std::string name;
    std::optional<Time> started_at;
  };

  void tell_beat(const BeatAnswered& event, const Now& now);
  void tell_members(const BeatAnswer& answer);
  void tell_clock(const BeatAnswer& answer, const Now& now);
  void tell_mistrusted(const std::vector<JobRow>& jobs);
  void tell_answer(std::uint64_t sequence, const Outcome& outcome);
  void tell_decided(const Asked& asked, const DecideAnswers& answers);
  void tell_decided(const DecideEntry& entry, const DecideAnswer& answer);
  void tell_skipped(const RunId& run, Reason reason);
  void tell_registered(const Asked& asked, const RegisterAnswer& answer);
  void tell_swept(const Asked& asked, const std::vector<SweepAnswer>& answers);
  void tell_end(const FinishEntry& end);
  void note(const SendWrite& write);
  void store_answers();
  void store_is_silent();
  std::string job_name(JobUid job) const;
  std::string node_name(const Incarnation& incarnation) const;

  const Log& log_;
  const Engine& engine_;
  std::map<std::uint64_t, Asked> asked_;
  std::map<RunId, Known> known_;
  std::map<Incarnation, std::string> nodes_;
  std::map<std::string, Registered> registered_;  // what was told last of a source
  std::set<RunId> strangers_;                     // ends of others that were told
  std::map<JobUid, std::uint64_t> mistrusted_;    // the revision of which it was told
  bool silent_ = false;                           // the store
  bool disputed_ = false;
  Duration budget_;
  bool doubted_ = false;
  bool is_off_ = false;  // this machine's clock
  bool closed_ = false;
};

/// How many runs each of some former nodes took with it.
void log_swept(const Log& log, const std::vector<std::int64_t>& lost);

}  // namespace cronce
