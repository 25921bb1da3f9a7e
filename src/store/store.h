// The seam to where nodes agree.
//
// Ten operations, of which one, to look, is four reads; what nodes ask all the time is asked in
// batches. Each call is one atomic step, judged by the store's clock. Calls block and are made from
// one thread per lane. An error other than `invalid` means that the outcome is unknown: the call
// may have been applied, or may still be. The next write of the same lane settles that
// (model/operation.h).
//
// What every store must do is written in docs/store-contract.md, rule by rule, and one suite runs
// every rule on every store. A store never starts anything, never computes a schedule and never
// asks a node's clock.
#pragma once

#include <span>
#include <vector>

#include "model/operation.h"

namespace cronce {

struct Opened {
  StoreId id;
  Epoch epoch;
  Time store_time{};
  std::vector<std::string> remarks;  // what a person should know of where the store is
};

/// Which rows of the ledger, newest first: what is asked of a million rows must not read them all.
struct RunFilter {
  std::optional<JobUid> job;
  Time from = kMinTime;  // by slot, or by due time where there is none; both included
  Time to = kMaxTime;
  std::size_t limit = 1'000;
  std::vector<RunState> states = {};  // none: all
  bool last_attempts = false;         // of each slot, request or boot only the last
  bool output = true;                 // with the tails of output, which are long
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<Opened> open() = 0;

  /// Not sequenced: a beat is its own number, and only a greater one counts. A node that asks again
  /// asks with a new number: trust must never rest on a number that others have watched standing
  /// still.
  virtual Result<BeatAnswer> beat(const BeatAsk& ask) = 0;

  virtual Result<Written<RegisterAnswer>> enroll(const WriteId& id, const RegisterAsk& ask) = 0;
  virtual Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) = 0;
  virtual Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                        std::span<const RunId> runs) = 0;
  virtual Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                            std::span<const FinishEntry> ends) = 0;
  virtual Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                          std::span<const SweepEntry> nodes) = 0;
  virtual Result<Written<ControlAnswer>> control(const WriteId& id, const ControlAsk& ask) = 0;
  virtual Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) = 0;

  // The reads of `query`. They settle nothing.
  virtual Result<std::vector<JobRow>> jobs() = 0;
  virtual Result<std::vector<Run>> runs(const RunFilter& filter) = 0;
  virtual Result<std::vector<Node>> nodes() = 0;
  /// A node's share has definitions of its own, and what people did is the whole job's; of JobUid{}
  /// it is what they did to the store itself.
  virtual Result<JobPast> past(JobUid job) = 0;
};

}  // namespace cronce
