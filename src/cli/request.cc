#include "cli/request.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cronce {
namespace {

constexpr int kHighestCode = 255;

std::vector<const JobRow*> jobs_of(const std::vector<RequestedRun>& runs) {
  std::vector<const JobRow*> jobs;
  for (const RequestedRun& one : runs) jobs.push_back(one.job);
  return jobs;
}

Time earliest(const std::vector<RequestedRun>& runs) {
  Time since = kMaxTime;
  for (const RequestedRun& one : runs) since = std::min(since, one.run.due);
  return since;
}

/// What was purged meanwhile has ended, and nobody knows how: it stays as it was seen last, as
/// lost.
void take_news(std::vector<RequestedRun>& runs, std::vector<RequestedRun> news) {
  for (RequestedRun& one : runs) {
    const auto found = std::find_if(
        news.begin(), news.end(), [&](const RequestedRun& other) { return other.job == one.job; });
    if (found != news.end()) {
      one = std::move(*found);
    } else if (!is_over(one.run)) {
      one.run.state = RunState::lost;
    }
  }
}

}  // namespace

Result<std::vector<RequestedRun>, Refusal> read_request(const ReadStore& read,
                                                        const std::vector<const JobRow*>& jobs,
                                                        const std::string& request, Time since) {
  std::vector<RequestedRun> found;
  for (const JobRow* job : jobs) {
    auto attempts = read_request_attempts(read, *job, request, since, Output::with);
    if (!attempts) return attempts.error();
    if (attempts->empty() || attempts->back().id.space != Space::manual) continue;
    found.push_back({job, std::move(attempts->back())});
  }
  return found;
}

Waited wait_for_end(const ReadStore& read, std::vector<RequestedRun> runs,
                    const StopSignals& signals, const Console& console) {
  const auto jobs = jobs_of(runs);
  const std::string request = runs.front().run.id.request;
  const Time since = earliest(runs);
  Patience patience(true, console);
  for (;;) {
    auto now = read_request(read, jobs, request, since);
    if (!now) patience.tell(now.error());
    if (now) take_news(runs, *std::move(now));
    const bool over = std::all_of(runs.begin(), runs.end(),
                                  [](const RequestedRun& one) { return is_over(one.run); });
    if (over) return {std::move(runs), 0};
    if (const int signal = signals.wait(kLookAgain)) return {std::move(runs), signal};
  }
}

void Patience::tell(const Refusal& refusal) {
  if (std::exchange(told_, true)) return;
  put(console_.err,
      fmt::format("cronce: the store does not answer, and is asked again: {}\n", refusal.message));
  std::fflush(console_.err);
}

bool is_over(const Run& run) {
  return is_ended(run.state) && run.state != RunState::returned;  // another attempt follows it
}

int exit_code_of(const Run& run) {
  switch (run.state) {
    case RunState::succeeded:
      return kExitDone;
    case RunState::timed_out:
      return kExitTimedOut;
    case RunState::skipped:
      return kExitTryLater;
    case RunState::failed:
      break;
    default:
      return kExitFound;
  }
  const std::int64_t code = run.exit_code.value_or(0);
  return code > 0 && code <= kHighestCode ? static_cast<int>(code) : kExitFound;
}

}  // namespace cronce
