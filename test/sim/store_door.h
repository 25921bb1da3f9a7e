// The store's door: requests enter, answers leave, and the witness notes both.
//
// Notes are made as the store answers, whether or not the answer arrives anywhere. The store behind
// it may be one with a planted bug.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/action.h"
#include "engine/event.h"
#include "store/store.h"
#include "test/sim/stage.h"

namespace cronce::sim {

/// Does something with every claim in an outcome.
template <class Do>
void for_each_claim(const Outcome& outcome, Do what) {
  const auto claims_of = [&](const std::vector<DecideAnswer>& entries) {
    for (const DecideAnswer& entry : entries) {
      for (const SlotOutcome& run : entry.runs) {
        if (run.claim) what(*run.claim);
      }
    }
  };
  if (const auto* decided = std::get_if<DecideAnswers>(&outcome)) claims_of(decided->entries);
  if (const auto* enrolled = std::get_if<RegisterAnswer>(&outcome)) claims_of(enrolled->settled);
  if (const auto* took = std::get_if<std::vector<TakeAnswer>>(&outcome)) {
    for (const TakeAnswer& answer : *took) {
      if (answer.claim) what(*answer.claim);
    }
  }
}

class StoreDoor {
 public:
  StoreDoor(Stage& stage, Store& store) : stage_(stage), store_(store) {}

  BeatAnswer beat(const BeatAsk& ask);
  /// None: refused, because a later write of the lane came first.
  std::optional<WriteAnswered> write(const WriteId& id, const WriteAsk& ask);
  ControlAnswer control(const ControlAsk& ask);
  /// From nobody's lane: a finish with a fence that is not the run's.
  void finish_by_stranger(const FinishEntry& end);
  /// An empty sweep: it purges.
  void purge();

  std::vector<JobRow> jobs() { return store_.jobs().value(); }
  std::vector<Run> runs();
  std::optional<Run> row(const RunId& id);

  /// Called when the store has news that nodes would be told of.
  std::function<void()> hint = [] {};

 private:
  std::optional<WriteAnswered> ask(const WriteId& id, const DecideAsk& ask);
  std::optional<WriteAnswered> ask(const WriteId& id, const std::vector<RunId>& runs);
  std::optional<WriteAnswered> ask(const WriteId& id, const std::vector<FinishEntry>& ends);
  std::optional<WriteAnswered> ask(const WriteId& id, const std::vector<SweepEntry>& entries);
  std::optional<WriteAnswered> ask(const WriteId& id, const RegisterAsk& ask);
  std::optional<WriteAnswered> ask(const WriteId& id, const ControlAsk& ask);
  template <class T>
  std::optional<WriteAnswered> pass(const WriteId& id, Result<Written<T>> written);

  void note(const WriteId& id, const DecideEntry& entry, const DecideAnswer& answer);
  void note(const TakeAnswer& answer, const RunId& run);
  void note(const FinishEntry& end, const FinishAnswer& answer);
  void note_set(const RegisterAsk& ask);
  void note_digest(const RegisterAsk& ask, const RegisterAnswer& answer);
  void shows() { stage_.witness.store_shows(stage_.clock.wall()); }
  WriteId own_id();

  struct Decided {
    Time from{};
    Duration at{};
    Incarnation by;
  };

  Stage& stage_;
  Store& store_;
  Incarnation console_{{1, 1}};
  std::uint64_t console_sequence_ = 0;
  std::map<JobUid, Decided> decided_;
  std::set<RunId> deferred_, finished_;
  std::vector<std::string> digests_;
  std::set<JobUid> active_, once_active_;
};

}  // namespace cronce::sim
