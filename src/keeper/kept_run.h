// One run in the keeper's hands: its order, its process tree as far as it is known, its output, and
// what is to happen to it when.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "keeper/message.h"
#include "keeper/output.h"
#include "keeper/poller.h"

namespace cronce {

/// A run that is told to end, and how it will have ended.
struct Stopping {
  RunState state = RunState::cancelled;
  Reason reason = Reason::none;
  Duration kill_at{};  // TERM was sent; KILL is due then
  std::string remark;  // a last line of its output, or nothing
};

struct KeptRun {
  explicit KeptRun(Start order);

  enum class Phase : std::uint8_t { waiting, starting, alive };

  Start start;
  Phase phase = Phase::waiting;
  std::optional<Duration> started;  // on the steady clock
  std::optional<int> status;        // of the command, as waitpid() has it
  std::optional<Stopping> stopping;
  int kills = 0;
  std::optional<Duration> due;  // when act_on() must be asked again

  Watched output;
  Tail tail;
  std::uint64_t not_logged_bytes = 0;
  Watched progress_pipe;
  ProgressLines progress;

  // When it has ended is not in these: whoever asks has the clock.

  /// How it has ended, now that nothing of it runs.
  FinishEntry end(std::optional<Time> started_at) const;
  /// How it has ended without ever having started.
  FinishEntry refusal(const std::string& sentence, std::optional<std::int64_t> exit_code) const;

 private:
  FinishEntry entry() const;
};

}  // namespace cronce
