#include "node/loop.h"

#include <poll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "keeper/signals.h"
#include "model/codec.h"

namespace cronce {
namespace {

constexpr int kExitInternal = 70;
constexpr int kExitRefused = 77;

bool leaves_work_to_others(const Outcome& outcome) {
  const auto* answers = std::get_if<DecideAnswers>(&outcome);
  if (answers == nullptr) return false;
  for (const DecideAnswer& answer : answers->entries) {
    for (const SlotOutcome& run : answer.runs) {
      if (run.state == RunState::pending) return true;
    }
  }
  return false;
}

}  // namespace

Loop::Loop(const Parts& parts)
    : parts_(parts),
      settings_(parts.settings),
      log_(parts.log),
      engine_(parts.engine),
      keeper_(parts.hands.keeper),
      cluster_(parts.settings.lease, parts.settings.skew_budget),
      hands_(parts.hands),
      story_(parts.log, parts.engine),
      timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)),
      answered_at_(parts.clock.boot()) {
  CHECK(timer_.open());
  if (parts.supervisor.interval()) alive_at_ = parts.clock.boot();
}

int Loop::run(LoadedJobs jobs) {
  hear_keeper();
  take(std::move(jobs));
  feed(Ticked{});
  while (!over_) {
    look_at_clock();
    if (!over_) wait();
    for (News& news : parts_.inbox.take_all()) {
      std::visit([&](auto& one) { hear(std::move(one)); }, news);
    }
    hear_keeper();
    hear_signals();
    hear_hint();
    parts_.watch.read(parts_.clock.boot());
  }
  return exit_code_;
}

// ---- the engine

Now Loop::now() const {
  const Duration boot = parts_.clock.boot();
  const Time wall = parts_.clock.wall();
  const auto time = cluster_.at(boot);
  return {time.value_or(wall), boot, cluster_.doubts_store(), wall, !time};
}

void Loop::feed(Event event) {
  const Now step = now();
  story_.tell(event, step);
  obey(engine_.step(step, event), step);
  tick_at_ = engine_.next_wakeup(step);
  for (Event& arisen : hands_.arisen()) feed(std::move(arisen));
}

void Loop::obey(std::vector<Action> actions, const Now& now) {
  for (Action& action : actions) {
    story_.tell(action);
    if (const auto* stored = std::get_if<EndStored>(&action)) {
      told_.erase({stored->run, stored->fence});
    }
    hands_.perform(std::move(action), now, engine_.incarnation());
  }
  if (hands_.left() && !leaving_keeper_) leave_keeper();
}

// ---- what the store answers

void Loop::hear(BeatReply&& reply) {
  const bool awaited = hands_.beat && hands_.beat->id == reply.beat;
  if (!awaited || reply.incarnation != engine_.incarnation()) return;
  hands_.beat.reset();
  if (!reply.answer) return store_failed(reply.answer.error(), BeatUnanswered{});
  answered_at_ = reply.arrived;
  cluster_.saw(reply.asked, reply.arrived, *reply.answer);
  const bool granted = reply.answer->refused == Refused::none;
  feed(BeatAnswered{reply.asked, *std::move(reply.answer)});
  if (!granted) return;
  if (!std::exchange(is_ready_, true)) {
    parts_.supervisor.say("READY=1");
    log_.info("ready", {{"node", settings_.node}, {"store", settings_.places.store}});
  }
  if (leaves() && !std::exchange(told_leaving_, true)) parts_.hint.tell();
  look_at_disk(reply.arrived);
}

void Loop::hear(WriteReply&& reply) {
  if (!hands_.write || hands_.write->id != reply.sequence) return;
  hands_.write.reset();
  if (!reply.answer) return store_failed(reply.answer.error(), WriteUnanswered{reply.sequence});
  answered_at_ = parts_.clock.boot();
  failure_.clear();
  const bool hint = leaves_work_to_others(reply.answer->outcome);
  feed(*std::move(reply.answer));
  if (hint) parts_.hint.tell();
}

void Loop::store_failed(const Error& error, Event event) {
  if (std::exchange(failure_, error.message) != error.message) {
    log_.warning("the store failed: " + error.message);
  }
  feed(std::move(event));
  if (error.code != Code::corrupt || leaving_keeper_) return;
  log_.error("this store cannot be used any more: the node ends, and so does what it runs");
  exit_code_ = kExitRefused;
  keeper_.kill_all();
  leave_keeper();
}

// ---- what former nodes left

void Loop::look_at_disk(Duration boot) {
  if (boot < disk_at_) return;
  disk_at_ = boot + settings_.lease.beat;
  parts_.hands.worker.send(LookAtDisk{parts_.hands.store, settings_.name_space});
}

void Loop::hear(DiskSeen&& seen) {
  for (const std::string& trouble : seen.troubles) {
    if (told_troubles_.insert(trouble).second) log_.warning(trouble);
  }
  for (FinishEntry& end : seen.ends) {
    if (told_.insert({end.run, end.fence}).second) feed(RunEnded{std::move(end)});
  }
}

void Loop::hear(UserFound&& found) {
  hands_.user_found(found, now());
  for (Event& arisen : hands_.arisen()) feed(std::move(arisen));
}

// ---- the keeper

void Loop::hear_keeper() {
  for (const KeeperEvent& event : keeper_.read()) {
    std::visit([&](const auto& one) { hear(one); }, event);
  }
}

void Loop::hear(const Started& event) {
  story_.started(event.run, event.pid, event.at);
  feed(RunStarted{event.run, event.at});
}

void Loop::hear(const Ended& event) {
  hands_.ended(event.end);
  told_.insert({event.end.run, event.end.fence});
  feed(RunEnded{event.end});
}

void Loop::hear(const Progress& event) { story_.progressed(event.run, event.text); }

void Loop::hear(const Remark& event) { log_.warning(event.text); }

void Loop::hear(const KeeperReplaced&) {
  log_.warning("the keeper died, and with it all that it kept; a new one serves");
}

void Loop::hear(const KeeperGone& event) {
  keeper_gone_ = true;
  if (leaving_keeper_) {
    over_ = true;
    return;
  }
  log_.error("no command can be started any more: the node leaves", {{"why", event.reason}});
  exit_code_ = kExitInternal;
  begin_to_leave("it has no keeper");
}

// ---- files

void Loop::look_at_files(Duration boot) {
  const auto due = parts_.watch.due();
  if (!due || boot < *due || reads_files_ || settings_.files.paths.empty()) return;
  parts_.watch.done();
  reads_files_ = true;
  parts_.hands.worker.send(ReadJobs{settings_.files});
}

void Loop::hear(JobsRead&& read) {
  reads_files_ = false;
  for (const Diagnostic& one : read.jobs.diagnostics) {
    if (refuses(one.severity)) log_.error(describe(one));
  }
  if (!read.jobs.usable) {
    log_.error("the job files are not right: the old definitions stay");
    return;
  }
  take(std::move(read.jobs));
}

/// A source whose last file is gone has no jobs any more.
void Loop::take(LoadedJobs&& loaded) {
  std::map<std::string, std::string> offered;
  bool changed = false;
  for (Offered& offer : loaded.offers) {
    const auto known = offered_.find(offer.set.source);
    const bool same = known != offered_.end() && known->second == offer.digest;
    offered[offer.set.source] = offer.digest;
    changed = changed || !same;
    if (!same) feed(std::move(offer));
  }
  for (const auto& [source, digest] : offered_) {
    if (offered.contains(source)) continue;
    changed = true;
    const JobSet none{source, std::nullopt, {}};
    feed(Offered{none, cronce::digest(none).hex()});
  }
  if (!changed && is_ready_) log_.info("the job files were read again: nothing has changed");
  offered_ = std::move(offered);
}

// ---- signals and hints

void Loop::hear_signals() {
  for (const auto& signal : drain_signals(parts_.signals)) {
    if (signal.ssi_signo == SIGHUP) {
      parts_.watch.changed_now(parts_.clock.boot());
      continue;
    }
    switch (++signals_) {
      case 1:
        begin_to_leave("asked to");
        break;
      case 2:
        stop_runs();
        break;
      default:
        log_.warning("killing what runs, and leaving at once");
        keeper_.kill_all();
        leave_keeper();
    }
  }
}

void Loop::hear_hint() {
  if (parts_.hint.fd() >= 0 && parts_.hint.heard()) feed(Hinted{});
}

// ---- leaving

void Loop::begin_to_leave(const char* why) {
  if (leaves()) return;
  const Duration boot = parts_.clock.boot();
  leave_asked_ = boot;
  drained_at_ = boot + settings_.drain;
  parts_.supervisor.say("STOPPING=1");
  log_.info(fmt::format(
      "leaving, {}: {}", why,
      hands_.live() == 0 ? "nothing runs here"
                         : fmt::format("{} still run{} here and may take {} to end", hands_.live(),
                                       hands_.live() == 1 ? "s" : "", print(settings_.drain))));
  feed(LeaveAsked{});
}

void Loop::stop_runs() {
  drained_at_ = Duration::max();
  if (hands_.live() == 0) return;
  log_.info(
      fmt::format("stopping {} that still run{}", hands_.live(), hands_.live() == 1 ? "s" : ""));
  hands_.stop_all(Reason::drain);
  for (Event& arisen : hands_.arisen()) feed(std::move(arisen));
}

/// A store that is away need not be told: the lease ends by itself, and ends are in the spool.
Duration Loop::leave_alone_at() const {
  if (!leaves() || leaving_keeper_ || hands_.live() != 0) return Duration::max();
  return std::max(answered_at_, *leave_asked_) + 3 * settings_.lease.answer_timeout;
}

void Loop::leave_keeper() {
  leaving_keeper_ = true;
  over_ = keeper_gone_;
  if (!keeper_gone_) keeper_.leave();
}

// ---- time

Duration Loop::next_look() const {
  Duration next = std::min({tick_at_, drained_at_, alive_at_, leave_alone_at()});
  if (hands_.beat) next = std::min(next, hands_.beat->give_up);
  if (hands_.write) next = std::min(next, hands_.write->give_up);
  const auto files = reads_files_ ? std::nullopt : parts_.watch.due();
  return files ? std::min(next, *files) : next;
}

void Loop::wait() {
  const Duration next = next_look();
  itimerspec when{};
  if (next != Duration::max()) {
    const Duration positive = std::max(next, Duration{1});
    when.it_value.tv_sec = positive.count() / 1'000;
    when.it_value.tv_nsec = positive.count() % 1'000 * 1'000'000;
  }
  CHECK(timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0);
  std::array<pollfd, 6> ready{{{parts_.inbox.fd(), POLLIN, 0},
                               {keeper_.fd(), POLLIN, 0},
                               {parts_.signals, POLLIN, 0},
                               {parts_.watch.fd(), POLLIN, 0},
                               {parts_.hint.fd(), POLLIN, 0},
                               {timer_.get(), POLLIN, 0}}};
  retry([&] { return poll(ready.data(), ready.size(), -1); });
}

void Loop::look_at_clock() {
  const Duration boot = parts_.clock.boot();
  give_up_calls(boot);
  look_at_files(boot);
  if (boot >= alive_at_) {
    alive_at_ = boot + *parts_.supervisor.interval();
    parts_.supervisor.alive();
  }
  if (boot >= drained_at_) stop_runs();
  if (boot >= leave_alone_at()) {
    log_.warning("the store does not answer: leaving without it; what ended is kept in the spool");
    return leave_keeper();
  }
  if (boot >= tick_at_) feed(Ticked{});
  if (settings_.once_until_idle && is_ready_ && engine_.is_idle(now())) {
    begin_to_leave("nothing is due");
  }
}

void Loop::give_up_calls(Duration boot) {
  if (hands_.beat && boot >= hands_.beat->give_up) {
    hands_.beat.reset();
    parts_.hands.heartbeat.forget_waiting();
    feed(BeatUnanswered{});
  }
  if (hands_.write && boot >= hands_.write->give_up) {
    const std::uint64_t sequence = hands_.write->id;
    hands_.write.reset();
    parts_.hands.worker.forget(sequence);
    feed(WriteUnanswered{sequence});
  }
}

}  // namespace cronce
