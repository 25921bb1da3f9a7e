// The runs of one request: a row, or one on each node, and how they end.
#pragma once

#include <string>
#include <vector>

#include "cli/steer.h"
#include "cli/stop_signals.h"

namespace cronce {

struct RequestedRun {
  const JobRow* job;
  Run run;  // its last attempt
};

/// The last attempt of each run that a request has made, with its output; none if there was no such
/// request. `jobs` is a job and its shares; nothing of it was due before `since`.
Result<std::vector<RequestedRun>, Refusal> read_request(const ReadStore& read,
                                                        const std::vector<const JobRow*>& jobs,
                                                        const std::string& request, Time since);

/// For whoever waits: a store that does not answer is asked again, and that is said once. Whoever
/// does not wait gets the first answer.
class Patience {
 public:
  Patience(bool waits, const Console& console) : waits_(waits), console_(console) {}

  /// `pause` says whether to go on.
  template <class Ask, class Pause>
  auto ask(const Ask& ask, const Pause& pause) {
    for (;;) {
      auto answer = ask();
      if (answer || !waits_ || !is_away(answer.error())) return answer;
      tell(answer.error());
      if (!pause()) return answer;
    }
  }
  void tell(const Refusal& refusal);

 private:
  /// What was refused for good stays so.
  static bool is_away(const Refusal& refusal) {
    return refusal.exit_code == kExitUnavailable || refusal.exit_code == kExitTryLater;
  }

  bool waits_;
  bool told_ = false;
  const Console& console_;
};
inline constexpr Duration kLookAgain{250};  // how often the store is asked; nothing tells of an end

/// Until all of them have ended, retries included, or a signal comes: then it is named, and the
/// runs go on. While the store is away it is asked again.
struct Waited {
  std::vector<RequestedRun> runs;
  int signal = 0;
};
Waited wait_for_end(const ReadStore& read, std::vector<RequestedRun> runs,
                    const StopSignals& signals, const Console& console);

/// Whether nothing more will come of it.
bool is_over(const Run& run);

/// As that of the command: its own, 124 timed out, 75 if it did not start, otherwise 1.
int exit_code_of(const Run& run);

}  // namespace cronce
