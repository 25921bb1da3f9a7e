// What happened: everything that reaches the engine.
#pragma once

#include <string>
#include <variant>

#include "model/operation.h"

namespace cronce {

/// The times of a step: cluster time picks slots, boot time measures trust.
struct Now {
  Time cluster{};
  Duration boot{};
  bool doubted = false;  // the store's clock stepped forward, and cluster time did not follow
  std::optional<Time> wall = std::nullopt;  // told to the others, used for nothing here
  bool timeless = false;                    // no time is believed yet: nothing is decided
};

/// Time has passed.
struct Ticked {};

/// The jobs of one of this node's own files, with the digest under which it offers them. The last
/// one of a source counts.
struct Offered {
  JobSet set;
  std::string digest;
};

/// `asked` is the boot time at which the beat was sent: trust counts from there.
struct BeatAnswered {
  Duration asked{};
  BeatAnswer answer;
};
struct BeatUnanswered {};

/// The answer of the write that is under way.
struct WriteAnswered {
  std::uint64_t sequence = 0;
  Outcome outcome;
  Before before;
  Time store_time{};
};
/// It failed or timed out: whether it was applied is not known.
struct WriteUnanswered {
  std::uint64_t sequence = 0;
};

struct RunStarted {
  RunId run;
  Time started_at{};
};
struct RunProgressed {
  RunId run;
  std::string text;
};
/// From the keeper, exactly once for each run that it was given.
struct RunEnded {
  FinishEntry end;
};

/// The store has news; acting on them soon is a courtesy, never a matter of safety.
struct Hinted {};

/// Stop deciding, let the runs end, leave.
struct LeaveAsked {};

using Event =
    std::variant<Ticked, Offered, BeatAnswered, BeatUnanswered, WriteAnswered, WriteUnanswered,
                 RunStarted, RunProgressed, RunEnded, Hinted, LeaveAsked>;

}  // namespace cronce
