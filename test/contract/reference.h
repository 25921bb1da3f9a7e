// A tiny store to explain answers by: decide, take, finish, sweep and beat, one after another.
//
// Written from the protocol and from nothing else; it includes no store. It knows jobs whose slots
// run every ten seconds without catch-up, pauses, groups or limits. It does not answer: it is told
// a call with its answer and says whether the answer could have been given now, and if so moves on.
// Where several refusals hold, any of them explains; numbers that a store may choose (turn, fence)
// are taken from the answer if they are great enough.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/operation.h"

namespace cronce::contract {

using CallAsk = std::variant<DecideEntry, RunId, FinishEntry, SweepEntry, Beat>;
using CallAnswer = std::variant<DecideAnswer, TakeAnswer, FinishAnswer, SweepAnswer, Refused>;

/// One call as its client saw it: asked at `invoked`, answered at `returned`, and in between handed
/// to the store at that store time.
struct Call {
  std::size_t client = 0;
  Incarnation by;
  CallAsk ask;
  CallAnswer answer;
  Time store_time{};
  std::uint64_t invoked = 0;
  std::uint64_t returned = 0;
};

/// `take 10#1: gone`
std::string describe_call(const Call& call);

class Reference {
 public:
  /// The job's policies and its plan at the beginning.
  void add_job(const JobRow& row);

  /// Whether this answer is right now; if so, what it changed has changed.
  bool explains(const Call& call);

  /// Everything that is known, as one text: equal texts behave equally.
  std::string digest() const;

 private:
  using Key = std::pair<Time, std::uint64_t>;  // slot and attempt
  struct Row {
    RunState state = RunState::pending;
    Time due{};
    Fence fence;
    Incarnation owner;
  };
  struct Plan {
    Overlap overlap = Overlap::skip;
    OnLost on_lost = OnLost::skip;
    std::int64_t retries = 0;
    Duration backoff{};
    Turn turn;
    std::optional<Time> next;
    Fence fence;  // the greatest drawn
    std::map<Key, Row> rows;
  };
  struct Member {
    Beat beat;
    bool ended = false;
  };

  bool on(const Call& call, const DecideEntry& ask, const DecideAnswer& answer);
  bool on(const Call& call, const RunId& ask, const TakeAnswer& answer);
  bool on(const Call& call, const FinishEntry& ask, const FinishAnswer& answer);
  bool on(const Call& call, const SweepEntry& ask, const SweepAnswer& answer);
  bool on(const Call& call, const Beat& ask, const Refused& answer);

  bool settles(Plan& job, const Call& call, const SlotToRun& slot, const SlotOutcome& outcome);
  bool starts(Plan& job, Row& row, const Call& call, const std::optional<Claim>& claim);
  void end(Plan& job, const Key& key, RunState state, Time now);
  bool lives(const Incarnation& incarnation) const;
  static bool is_busy(const Plan& job);
  static bool has_line(const Plan& job);
  static bool is_first(const Plan& job, Key key);
  static std::int64_t tried(const Plan& job, const Key& key);

  std::map<JobUid, Plan> jobs_;
  std::map<Incarnation, Member> members_;
};

}  // namespace cronce::contract
