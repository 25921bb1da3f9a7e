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
#include "store/memory/memory_store.h"
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
  if (const auto* control = std::get_if<ControlAnswer>(&outcome)) {
    if (control->claim) what(*control->claim);
  }
  if (const auto* took = std::get_if<std::vector<TakeAnswer>>(&outcome)) {
    for (const TakeAnswer& answer : *took) {
      if (answer.claim) what(*answer.claim);
    }
  }
}

class StoreDoor {
 public:
  /// `store` may bend what `memory` does.
  StoreDoor(Stage& stage, Store& store, MemoryStore& memory)
      : stage_(stage), store_(store), memory_(memory) {}

  StoreId id() { return store_.open().value().id; }
  BeatAnswer beat(const BeatAsk& ask);
  /// None: refused, because a later write of the lane came first.
  std::optional<WriteAnswered> write(const WriteId& id, const WriteAsk& ask);
  std::optional<WriteAnswered> write(const WriteId& id, const ControlAsk& ask);
  std::optional<WriteAnswered> write(const WriteId& id, const OnceAsk& ask);
  /// A person's word.
  ControlAnswer control(const ControlAsk& ask);
  /// The answer to a beat that was here then has arrived.
  void heard(const Incarnation& node, Duration at) {
    Asker& asker = askers_[node];
    if (asker.heard == Duration{}) asker.first = at;
    asker.heard = std::max(asker.heard, at);
  }
  /// What it is by the time that the nodes go by.
  Time time_for_people();
  /// From nobody's lane: a finish with a fence that is not the run's.
  void finish_by_stranger(const FinishEntry& end);
  /// An empty sweep: it purges.
  void purge();

  std::vector<JobRow> jobs() { return store_.jobs().value(); }
  std::vector<Run> runs();
  std::optional<Run> row(const RunId& id);

  /// A copy of all that the store holds; it is put back later, as a fail-over or a restore does.
  void keep_image();
  bool has_image() const { return image_.has_value(); }
  void put_back(bool elsewhere);

  /// Called when the store has news that nodes would be told of.
  std::function<void()> hint = [] {};

 private:
  std::optional<WriteAnswered> ask(const WriteId& id, const DecideAsk& ask);
  std::optional<WriteAnswered> ask(const WriteId& id, const std::vector<RunId>& runs);
  std::optional<WriteAnswered> ask(const WriteId& id, const std::vector<FinishEntry>& ends);
  std::optional<WriteAnswered> ask(const WriteId& id, const std::vector<SweepEntry>& entries);
  std::optional<WriteAnswered> ask(const WriteId& id, const RegisterAsk& ask);
  std::optional<WriteAnswered> ask(const WriteId& id, const Remember& ask);
  std::optional<WriteAnswered> ask(const WriteId& id, const OpenEpoch& ask);
  template <class T>
  std::optional<WriteAnswered> pass(const WriteId& id, Result<Written<T>> written);
  std::optional<WriteAnswered> passed(std::optional<WriteAnswered> answered);

  void note(const WriteId& id, const DecideEntry& entry, const DecideAnswer& answer);
  void note_beat(const BeatAsk& ask, bool counts);
  void note_time(const WriteId& id, const DecideEntry& entry);
  void note(const TakeAnswer& answer, const RunId& run);
  bool closed_next(RunId run);
  void note(const FinishEntry& end, const FinishAnswer& answer);

  // Definitions and what changes plans (store_door_notes.cc).
  void note_set(const WriteId& id, const RegisterAsk& ask);
  void note_row(const WriteId& id, const JobRow& row, const RegisterAsk& ask);
  void note_registered(const WriteId& id, const RegisterAsk& ask, const RegisterAnswer& answer);
  void note(const WriteId& id, const PlanChange& change, Refused refused);
  void note_change(const WriteId& id, const ResumeJob& resume);
  void note_change(const WriteId& id, const Repoint& repoint);
  void note_change(const WriteId& id, const JoinMember& join);
  void note_change(const WriteId& id, const EndMember& end);
  static void note_change(const WriteId&, const StartAtBoot&) {}
  bool is_retired(JobUid job);
  void note_person(const WriteId& id, const ControlAsk& ask);
  void note_told_time(const WriteId& id, const Remember& ask);
  void note_exec(const WriteId& id, const ExecSlot& ask, const ControlAnswer& answer);
  void note_key(const WriteId& id, const OnceAsk& ask, const OnceAnswer& answer);

  Time judged_by(const WriteId& id) const;
  void judges(const WriteId& id) { stage_.witness.store_judges(judged_by(id)); }
  std::vector<JobUid> with_members(JobUid job);
  const Knowledge& knowledge(const Incarnation& asker) { return askers_[asker].knows; }
  WriteId own_id();

  struct Asker {
    std::string name;
    Knowledge knows;
    Duration first{};         // when its first beat was here that it had an answer to
    Duration off{};           // how far the store's clock was ahead when it came
    Duration last{};          // when it beat
    bool knows_time = false;  // it doubts, and goes by what is right
    Duration knows_since{};   // and with which beat it said so
    Duration heard{};         // when its last beat was here that it had an answer to
  };
  struct Decided {
    Time from{};
    Duration at{};
    Incarnation by;
  };
  struct Kept {
    decltype(std::declval<const MemoryStore&>().image()) image;
    Known known;
    std::map<JobUid, Time> until;
    std::set<JobUid> active;
    Duration at{};
  };

  Stage& stage_;
  Store& store_;
  MemoryStore& memory_;
  Incarnation console_{{1, 1}};
  std::uint64_t console_sequence_ = 0;
  std::optional<Kept> image_;
  std::map<JobUid, Decided> decided_;
  std::set<RunId> deferred_, finished_;
  std::map<std::string, std::vector<std::string>> digests_;
  std::set<JobUid> active_, once_active_;
  std::map<Incarnation, Asker> askers_;
  std::map<Incarnation, std::map<std::string, std::string>> offered_;  // what each said it offers
  std::map<JobUid, Knowledge> pointed_by_;
  std::map<JobUid, Time> until_;  // when a person's pause ends by itself
};

}  // namespace cronce::sim
