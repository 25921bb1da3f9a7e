// Evidence, by what is looked up in it.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "test/chaos/evidence.h"

namespace cronce::chaos {

/// The clocks of nodes, store and kernel are this near to one another.
inline constexpr Millis kClocks = kSecond;
/// A node that lives so long after a claim has told its disk of it, with a beat.
inline constexpr Millis kBeats = 3 * kSecond;
/// To call the server, hear that it has forgotten, and tell it: a lease and a little more.
inline constexpr Millis kTells = 6 * kSecond;
/// Of a fence: the epoch is above.
inline constexpr unsigned kCountBits = 40;

struct JudgeIndex {
  explicit JudgeIndex(const Evidence& all) : evidence(&all) {
    for (const JobSpec& job : all.jobs) jobs[job.name] = &job;
    for (const Record& record : all.records) {
      slots[record.slot_ref()].push_back(&record);
      records[record.ref()] = &record;
    }
    for (const WitnessLine& line : all.witness) {
      if (line.what != "end") began.emplace(line.ref(), &line);
      if (line.what == "end") ended[line.ref()] = line.exit_code;
    }
    for (auto& [slot, attempts] : slots) {
      std::sort(attempts.begin(), attempts.end(),
                [](const Record* a, const Record* b) { return a->attempt < b->attempt; });
    }
  }

  const Record* find(const RunRef& run) const {
    const auto found = records.find(run);
    return found == records.end() ? nullptr : found->second;
  }

  bool is_forgotten(Millis from, Millis to) const {
    const auto& forgotten = evidence->forgotten;
    return std::any_of(forgotten.begin(), forgotten.end(), [&](const Forgotten& one) {
      return one.from - kClocks <= to && from <= one.to + kClocks;
    });
  }
  /// What was granted then may be gone, and came to nothing.
  bool is_forgotten(const Act& act) const { return is_forgotten(act.began, act.ended); }
  /// It began in a time that the store forgot: what is recorded of it a node has put back, who does
  /// not know how it came about, nor what came before it.
  bool was_put_back(const RunRef& run) const {
    const auto found = began.find(run);
    return found != began.end() && is_forgotten(found->second->at, found->second->at);
  }

  /// Whether a process of this node was there, well and within reach, in the last moments before
  /// then: long enough to tell what it remembers.
  bool could_tell(const std::string& node, Millis before) const {
    const auto is_there = [&](const Span& life) {
      return life.node == node && life.from <= before - kTells && before <= life.to;
    };
    const auto touches = [&](const Span& time) {
      return time.node == node && time.from <= before && before - kTells <= time.to;
    };
    return std::any_of(evidence->lives.begin(), evidence->lives.end(), is_there) &&
           std::none_of(evidence->hard_times.begin(), evidence->hard_times.end(), touches);
  }

  /// Of what the store forgot nobody told it before the next epoch: its node could not, or it died
  /// before that, and there was no time for a beat until it died or the store forgot.
  bool was_not_told(const WitnessLine& line) const {
    if (!is_forgotten(line.at, line.at)) return false;
    Millis next_epoch = evidence->to;
    for (const auto& [run, later] : began) {
      const bool is_of_next = later->fence >> kCountBits > line.fence >> kCountBits;
      if (is_of_next) next_epoch = std::min(next_epoch, later->at);
    }
    Millis end = std::numeric_limits<Millis>::max();
    for (const Forgotten& one : evidence->forgotten) {
      if (line.at <= one.to + kClocks) end = std::min(end, one.to);
    }
    return !could_tell(line.node, next_epoch) ||
           std::any_of(evidence->lives.begin(), evidence->lives.end(), [&](const Span& life) {
             return life.node == line.node && line.at <= life.to && life.to <= next_epoch &&
                    std::min(life.to, end) - line.at <= kBeats;
           });
  }

  std::map<std::string, const JobSpec*> jobs;
  std::map<SlotRef, std::vector<const Record*>> slots;  // attempts, the first one first
  std::map<RunRef, const Record*> records;
  std::map<RunRef, const WitnessLine*> began;  // first
  std::map<RunRef, int> ended;                 // with this exit code
  const Evidence* evidence;
};

inline bool is_about(const Act& act, const std::string& job) {
  return std::find(act.jobs.begin(), act.jobs.end(), job) != act.jobs.end();
}

/// Whether a person wanted this slot to run once more, before then.
inline bool asked_for_backfill(const Evidence& evidence, const SlotRef& slot, Millis before) {
  return std::any_of(evidence.acts.begin(), evidence.acts.end(), [&](const Act& act) {
    return act.what == What::backfill && is_about(act, slot.job) && act.from <= slot.slot &&
           slot.slot <= act.to && act.began <= before;
  });
}

inline bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

inline bool is_end(const std::string& state) {
  return one_of(state, {"succeeded", "failed", "timed_out", "cancelled", "skipped", "lost"});
}

inline std::string print(const Record& record) {
  return print(record.ref()) + " (" + record.state + (record.reason.empty() ? "" : ": ") +
         record.reason + ")";
}

}  // namespace cronce::chaos
