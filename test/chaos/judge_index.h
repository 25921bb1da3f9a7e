// Evidence, by what is looked up in it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "test/chaos/evidence.h"

namespace cronce::chaos {

/// The clocks of nodes, store and kernel are this near to one another.
inline constexpr Millis kClocks = kSecond;

struct JudgeIndex {
  explicit JudgeIndex(const Evidence& evidence) {
    for (const JobSpec& job : evidence.jobs) jobs[job.name] = &job;
    for (const Record& record : evidence.records) {
      slots[record.slot_ref()].push_back(&record);
      records[record.ref()] = &record;
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

  std::map<std::string, const JobSpec*> jobs;
  std::map<SlotRef, std::vector<const Record*>> slots;  // attempts, the first one first
  std::map<RunRef, const Record*> records;
};

inline bool is_about(const Act& act, const std::string& job) {
  return std::find(act.jobs.begin(), act.jobs.end(), job) != act.jobs.end();
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
