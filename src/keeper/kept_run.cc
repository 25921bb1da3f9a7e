#include "keeper/kept_run.h"

#include <algorithm>

#include "keeper/signals.h"

namespace cronce {
namespace {

void append_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += line + '\n';
}

}  // namespace

KeptRun::KeptRun(Start order)
    : start(std::move(order)),
      tail(static_cast<std::size_t>(std::max<std::int64_t>(start.keep_bytes, 0))) {}

FinishEntry KeptRun::entry() const {
  FinishEntry entry;
  entry.run = start.key.run;
  entry.fence = start.key.fence;
  entry.incarnation = start.incarnation;
  return entry;
}

FinishEntry KeptRun::refusal(const std::string& sentence, std::optional<std::int64_t> code) const {
  FinishEntry end = entry();
  const bool cancelled = stopping && stopping->state == RunState::cancelled;
  end.state = cancelled ? RunState::cancelled : RunState::failed;
  end.reason = cancelled ? stopping->reason : Reason::spawn;
  end.exit_code = code;
  append_line(end.output_tail, sentence.empty() ? "" : "cronce: " + sentence);
  return end;
}

FinishEntry KeptRun::end(std::optional<Time> started_at) const {
  FinishEntry end = entry();
  end.started_at = started_at;
  end.output_tail = tail.text();
  end.progress = progress.newest();
  if (status && !(start.is_call && WIFEXITED(*status))) end.exit_code = exit_code_of(*status);
  if (stopping) {
    end.state = stopping->state;
    end.reason = stopping->reason;
    append_line(end.output_tail, stopping->remark);
  } else if (!status) {
    end.state = RunState::lost;
    end.reason = Reason::keeper;
  } else if (*status != 0) {
    end.state = RunState::failed;
    const Reason exit = start.is_call ? Reason::http : Reason::exit;
    end.reason = WIFSIGNALED(*status) ? Reason::signal : exit;
  }
  return end;
}

}  // namespace cronce
