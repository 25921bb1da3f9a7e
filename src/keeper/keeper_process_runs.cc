// The life of a run in the keeper: started, stopped, heard, ended.
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "keeper/keeper_process.h"

namespace cronce {
namespace {

constexpr Duration kKillAgain{200};
constexpr Duration kStandstill{300};  // of the second in which a killed tree has to be gone
constexpr int kKillsBeforeHarder = 5;
constexpr int kKillsBeforeRemark = 15;
constexpr std::size_t kRead = 64 * 1024;
constexpr std::size_t kMostDrained = 1 << 20;

/// What the command reads: the text, or nothing at once.
Result<Descriptor> make_input(const std::string& text) {
  if (text.empty()) {
    Descriptor none(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (none.open()) return none;
    return system_error("open", "/dev/null");
  }
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  if (!file.open() ||
      pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return system_error("keep the input");
  }
  return file;
}

struct Read {
  std::string_view bytes;
  bool ended = false;
};

/// Into a room that the next call uses again.
Read read_some(int descriptor) {
  static std::array<char, kRead> room;
  const auto size = retry([&] { return read(descriptor, room.data(), room.size()); });
  if (size < 0) return {{}, errno != EAGAIN};
  return {{room.data(), static_cast<std::size_t>(size)}, size == 0};
}

}  // namespace

// ---- starting ----------------------------------------------------------------------------------

std::optional<std::string> KeeperProcess::reason_not_to_start(const Start& start) const {
  if (!start.refusal.empty()) return start.refusal;
  if (node_gone_) return "the node died before the start";
  if (leaving_) return "the node was leaving before the start";
  if (start.incarnation != trust_.incarnation || trust_.steady <= now()) {
    return std::string(kLeaseEnded);
  }
  return std::nullopt;
}

void KeeperProcess::start_next() {
  const RunTag tag = waiting_.front();
  waiting_.pop_front();
  const auto found = runs_.find(tag);
  if (found == runs_.end()) return;  // stopped while it waited
  KeptRun& run = found->second;
  if (const auto reason = reason_not_to_start(run.start)) {
    return conclude(tag, run.refusal(*reason, std::nullopt));
  }
  run.phase = KeptRun::Phase::starting;
  if (const Status planted = plant(tag, run); !planted) {
    conclude(tag, run.refusal(planted.error().message, std::nullopt));
  }
}

Status KeeperProcess::plant(RunTag tag, KeptRun& run) {
  auto input = make_input(run.start.input);
  if (!input) return input.error();
  auto output = make_pipe();
  if (!output) return output.error();
  auto progress = make_pipe();
  if (!progress) return progress.error();
  for (const auto* pipe : {&*output, &*progress}) {
    fcntl((*pipe)[0].get(), F_SETFL, O_NONBLOCK);
  }
  run.output = Watched(poller_, std::move((*output)[0]), EPOLLIN, Poller::Kind::output, tag);
  run.progress_pipe =
      Watched(poller_, std::move((*progress)[0]), EPOLLIN, Poller::Kind::progress, tag);
  if (!run.start.log_path.empty()) scribe_.open_log(tag, run.start.log_path);
  const IncarnationLock* lock = lock_of(run.start.incarnation);
  trees_.plant(tag, {run.start, trust_.steady, overdue(run)},
               {std::move(*input), std::move((*output)[1]), std::move((*progress)[1]),
                lock != nullptr ? lock->descriptor() : -1});
  return Done{};
}

/// When a sub-keeper must take it that this process has stopped.
std::optional<Duration> KeeperProcess::overdue(const KeptRun& run) const {
  if (run.start.on_lease_loss != OnLeaseLoss::kill) return std::nullopt;
  return trust_.steady + settings_.lease_stop + kStandstill;
}

void KeeperProcess::refuse_waiting(const std::string& sentence) {
  for (const RunTag tag : std::exchange(waiting_, {})) {
    if (const auto run = runs_.find(tag); run != runs_.end()) {
      conclude(tag, run->second.refusal(sentence, std::nullopt));
    }
  }
}

void KeeperProcess::refused(RunTag tag, const SpawnFailure& failure) {
  const KeptRun& run = runs_.at(tag);
  conclude(tag, run.refusal(failure.sentence, failure.exit_code));
}

void KeeperProcess::started(RunTag tag, pid_t pid) {
  KeptRun& run = runs_.at(tag);
  run.phase = KeptRun::Phase::alive;
  run.started = now();
  report(Started{run.start.key.run, pid, cluster_time(*run.started)});
  if (const auto asked = std::exchange(run.stopping, std::nullopt)) {
    stop(tag, run, *asked);
  } else if (run.start.timeout) {
    set_due(tag, run, *run.started + *run.start.timeout);
  }
}

// ---- stopping ----------------------------------------------------------------------------------

/// The first cause is the one that is told; the earliest KILL is the one that counts.
void KeeperProcess::stop(RunTag tag, KeptRun& run, const Stopping& stopping) {
  const bool first = !run.stopping;
  if (first) run.stopping = stopping;
  run.stopping->kill_at = std::min(run.stopping->kill_at, stopping.kill_at);
  if (run.phase == KeptRun::Phase::waiting) return conclude(tag, run.refusal("", std::nullopt));
  if (run.kills > 0) return;
  if (run.stopping->kill_at <= now()) return kill(tag, run);
  // One that is just starting gets TERM when it has started.
  if (first && run.phase == KeptRun::Phase::alive) trees_.terminate(tag);
  set_due(tag, run, run.stopping->kill_at);
}

void KeeperProcess::kill(RunTag tag, KeptRun& run) {
  set_due(tag, run, now() + kKillAgain);
  if (++run.kills == kKillsBeforeRemark) {
    remark(run.start.label + " does not die: the run stays open until it does");
  }
  trees_.kill(tag);
  if (run.kills > kKillsBeforeHarder) trees_.kill_harder(tag);
}

void KeeperProcess::act_on(RunTag tag, KeptRun& run) {
  if (run.stopping) return kill(tag, run);
  stop(tag, run, {RunState::timed_out, Reason::none, now() + run.start.kill_after, ""});
}

void KeeperProcess::end_of_trust() {
  trust_is_over_ = true;
  std::vector<RunTag> doomed;
  for (const auto& [tag, run] : runs_) {
    const bool waits = run.phase == KeptRun::Phase::waiting;  // refused when its turn comes
    if (!waits && run.start.on_lease_loss == OnLeaseLoss::kill) doomed.push_back(tag);
  }
  for (const RunTag tag : doomed) {
    stop(tag, runs_.at(tag),
         {RunState::failed, Reason::signal, trust_.steady + settings_.lease_stop,
          "cronce: stopped: the lease was lost"});
  }
}

void KeeperProcess::set_due(RunTag tag, KeptRun& run, std::optional<Duration> due) {
  if (run.due) due_.erase({*run.due, tag});
  run.due = due;
  if (due) due_.emplace(*due, tag);
}

// ---- output ------------------------------------------------------------------------------------

/// False when nothing more can be read now.
bool KeeperProcess::read_output(RunTag tag, KeptRun& run) {
  if (!run.output.open()) return false;
  const bool logged = !run.start.log_path.empty();
  if (logged && log_gate_.judge(scribe_.backlog(), now()) == LogGate::Verdict::wait) {
    pause_output(tag, run);
    return false;
  }
  const Read got = read_some(run.output.get());
  if (got.ended) run.output.close();
  run.tail.append(got.bytes);
  if (logged) log(tag, run, got.bytes);
  return !got.bytes.empty();
}

bool KeeperProcess::read_progress(RunTag tag, KeptRun& run) {
  if (!run.progress_pipe.open()) return false;
  const Read got = read_some(run.progress_pipe.get());
  if (got.ended) run.progress_pipe.close();
  if (run.progress.append(got.bytes)) news_.insert(tag);
  return !got.bytes.empty();
}

void KeeperProcess::log(RunTag tag, KeptRun& run, std::string_view bytes) {
  if (bytes.empty()) return;
  if (log_gate_.judge(scribe_.backlog(), now()) == LogGate::Verdict::drop) {
    run.not_logged_bytes += bytes.size();
    return;
  }
  log_what_is_missing(tag, run);
  scribe_.append_log(tag, bytes);
}

void KeeperProcess::log_what_is_missing(RunTag tag, KeptRun& run) {
  const auto missing = std::exchange(run.not_logged_bytes, 0);
  if (missing == 0) return;
  scribe_.append_log(tag, fmt::format("\n[{} bytes left out: the disk was stuck]\n", missing));
}

void KeeperProcess::pause_output(RunTag tag, KeptRun& run) {
  run.output.pause();
  paused_.push_back(tag);
}

void KeeperProcess::resume_outputs() {
  if (log_gate_.judge(scribe_.backlog(), now()) == LogGate::Verdict::wait) return;
  for (const RunTag tag : std::exchange(paused_, {})) {
    if (const auto run = runs_.find(tag); run != runs_.end()) run->second.output.resume();
  }
}

void KeeperProcess::hear_scribe() {
  for (const ScribeNote& note : scribe_.read()) {
    if (!note.trouble.empty()) remark(note.trouble);
    ends_.noted(note, now());
  }
  if (scribe_.gone()) remark("the process that writes logs and spool is gone");
}

// ---- ending ------------------------------------------------------------------------------------

void KeeperProcess::exited(RunTag tag, int status) { runs_.at(tag).status = status; }

void KeeperProcess::emptied(RunTag tag) { over(tag); }

void KeeperProcess::vanished(RunTag tag) {
  const KeptRun& run = runs_.at(tag);
  if (!run.stopping && !run.status) remark(run.start.label + " is lost: its sub-keeper was killed");
  over(tag);
}

/// What was written before the end is still in the pipes. Somebody outside the tree may hold the
/// other end and go on writing: that does not count.
void KeeperProcess::drain(RunTag tag, KeptRun& run) {
  for (std::size_t read = 0; read < kMostDrained && run.output.open(); read += kRead) {
    const Read got = read_some(run.output.get());
    run.tail.append(got.bytes);
    if (!run.start.log_path.empty()) log(tag, run, got.bytes);
    if (got.bytes.empty()) break;
  }
  for (std::size_t read = 0; read < kMostDrained && read_progress(tag, run); read += kRead) {
  }
}

void KeeperProcess::over(RunTag tag) {
  KeptRun& run = runs_.at(tag);
  drain(tag, run);
  log_what_is_missing(tag, run);
  std::optional<Time> started_at;
  if (run.started) started_at = cluster_time(*run.started);
  conclude(tag, run.end(started_at));
}

void KeeperProcess::conclude(RunTag tag, FinishEntry end) {
  KeptRun& run = runs_.at(tag);
  end.finished_at = cluster_time(now());
  report(Ended{end});
  ends_.hold(run.start.key, end, now());
  if (node_gone_ || leaving_) ends_.hurry(now());
  if (!run.start.log_path.empty()) scribe_.close_log(tag);
  set_due(tag, run, std::nullopt);
  news_.erase(tag);
  tags_.erase(run.start.key.run);
  const Incarnation incarnation = run.start.incarnation;
  runs_.erase(tag);
  if (incarnation != trust_.incarnation) release_locks();
}

}  // namespace cronce
