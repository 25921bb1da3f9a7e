#include "node/loop.h"

#include <poll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace cronce {

namespace {

/// How long a node that has nothing else to do goes on telling people.
constexpr Duration kTelling{60'000};

}  // namespace

Loop::Loop(const Parts& parts)
    : parts_(parts),
      settings_(parts.settings),
      log_(parts.log),
      engine_(parts.engine),
      keeper_(parts.hands.keeper),
      cluster_(parts.settings.lease, parts.settings.skew_budget),
      hands_(parts.hands),
      story_(parts.log, parts.engine, parts.settings.skew_budget),
      timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)),
      answered_at_(parts.clock.boot()) {
  CHECK(timer_.open());
  if (parts.supervisor.interval()) alive_at_ = parts.clock.boot();
}

NodeEnd Loop::run(LoadedJobs jobs, const std::vector<Incarnation>& gone) {
  gone_.insert(gone.begin(), gone.end());
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
  return end_;
}

// ---- the engine

Now Loop::now() const {
  const Duration boot = parts_.clock.boot();
  const Time wall = parts_.clock.wall();
  const auto time = cluster_.at(boot);
  return {time.value_or(wall), boot, cluster_.doubts_store(), wall, !time};
}

void Loop::feed(const Event& event) {
  const Now step = now();
  story_.tell(event, step);
  obey(engine_.step(step, event), step);
  tick_at_ = engine_.next_wakeup(step);
  for (const Event& arisen : hands_.arisen()) feed(arisen);
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

// ---- leaving

void Loop::begin_to_leave(const char* why) {
  if (leaves()) return;
  const Duration boot = parts_.clock.boot();
  leave_asked_ = boot;
  drained_at_ = boot + settings_.drain;
  parts_.supervisor.say("STOPPING=1");
  const std::size_t live = hands_.live();
  const std::string rest = live == 0
                               ? "nothing runs"
                               : fmt::format("what runs may go on for {}; another signal stops it",
                                             print(settings_.drain));
  log_.info(fmt::format("leaving, {}: {}", why, rest), {{"running", fmt::format("{}", live)}});
  feed(LeaveAsked{});
}

void Loop::stop_runs() {
  drained_at_ = Duration::max();
  if (hands_.live() == 0) return;
  log_.info("stopping what still runs", {{"running", fmt::format("{}", hands_.live())}});
  hands_.stop_all(Reason::drain);
  for (const Event& arisen : hands_.arisen()) feed(arisen);
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
  if (settings_.once_until_idle && is_ready_) leave_if_idle();
}

/// Whoever waits for a word of what ran gets it before there is nobody left to say it.
void Loop::leave_if_idle() {
  if (leaves()) return;
  if (!engine_.is_idle(now())) {
    asked_to_tell_ = told_all_ = false;
    return;
  }
  const Duration boot = parts_.clock.boot();
  if (!std::exchange(asked_to_tell_, true)) {
    parts_.hands.notifier.send(LookAtAll{});
    tell_until_ = boot + kTelling;
  }
  if (told_all_ || boot >= tell_until_) begin_to_leave("as nothing is due");
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
