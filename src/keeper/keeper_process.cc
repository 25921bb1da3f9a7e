#include "keeper/keeper_process.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "keeper/signals.h"

namespace cronce {
namespace {

constexpr Duration kTidyAgain{10};
constexpr Duration kLookAtDiskAgain{250};
constexpr int kLastWordsMs = 1'000;

}  // namespace

void run_keeper(KeeperBirth birth, const KeeperSettings& settings) {
  prctl(PR_SET_NAME, "cronce-keeper");
  close_all_but({birth.node.get(), birth.scribe.get(), birth.group ? birth.group->life.get() : -1});
  occupy_low_descriptors();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  KeeperProcess(std::move(birth), settings).run();
  _exit(0);
}

KeeperProcess::KeeperProcess(KeeperBirth birth, const KeeperSettings& settings)
    : settings_(settings),
      group_(std::move(birth.group)),
      cgroup_(group_ ? std::optional(group_->path) : std::nullopt),
      node_(std::move(birth.node)),
      scribe_(std::move(birth.scribe), poller_),
      ends_(scribe_, settings.spool_after),
      trees_(cgroup_, settings, poller_, *this),
      signals_(watch_signals({SIGCHLD})),
      timer_(timerfd_create(clock_id(settings.clock), TFD_CLOEXEC | TFD_NONBLOCK)) {
  CHECK(timer_.open());
  trust_.zero = system_clock().wall() - now();
  poller_.add(node_.fd(), EPOLLIN, Poller::Kind::node);
  poller_.add(signals_.get(), EPOLLIN, Poller::Kind::signals);
  poller_.add(timer_.get(), EPOLLIN, Poller::Kind::timer);
}

// ---- the loop ----------------------------------------------------------------------------------

/// One start in each round: between two of them everything else is looked at.
void KeeperProcess::run() {
  while (!finished()) {
    arm_timer();
    const bool busy = can_start() || trees_.wants_reserve();
    for (const Poller::Event& event : poller_.wait(busy)) handle(event);
    act_on_due();
    if (can_start()) {
      start_next();
    } else if (trees_.wants_reserve()) {
      trees_.make_reserve();
    }
    flush();
  }
  leave();
}

bool KeeperProcess::finished() const {
  return (leaving_ || node_gone_) && runs_.empty() && (ends_.all_safe() || scribe_.gone());
}

void KeeperProcess::handle(const Poller::Event& event) {
  const auto run = runs_.find(event.number);
  switch (event.kind) {
    case Poller::Kind::node:
      return hear_node();
    case Poller::Kind::scribe:
      return hear_scribe();
    case Poller::Kind::signals:
      return reap();
    case Poller::Kind::tree:
      return trees_.look(event.number);
    case Poller::Kind::timer: {
      std::uint64_t times = 0;
      [[maybe_unused]] const auto size = read(timer_.get(), &times, sizeof times);
      armed_.reset();
      return;
    }
    case Poller::Kind::output:
      if (run != runs_.end()) read_output(run->first, run->second);
      return;
    case Poller::Kind::progress:
      if (run != runs_.end()) read_progress(run->first, run->second);
      return;
  }
}

void KeeperProcess::hear_node() {
  bool sound = node_.fill();
  while (auto message = node_.next()) {
    auto order = decode_order(*message);
    sound = sound && order.ok();
    if (order) std::visit([this](auto& value) { obey(value); }, *order);
  }
  if (!sound && !node_gone_) node_is_gone();
}

/// What runs goes on until the trust ends. What waits is not begun: it would only be cut off.
void KeeperProcess::node_is_gone() {
  node_gone_ = true;
  poller_.remove(node_.fd());
  refuse_waiting("the node died before the start");
  ends_.hurry(now());
}

void KeeperProcess::reap() {
  drain_signals(signals_.get());
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid <= 0) return;
    trees_.reaped(pid);
  }
}

void KeeperProcess::arm_timer() {
  std::optional<Duration> next = ends_.due();
  const auto also = [&](Duration when) { next = next ? std::min(*next, when) : when; };
  if (!due_.empty()) also(due_.begin()->first);
  if (!trust_is_over_) also(trust_.steady);
  if (const auto trim = trees_.trim_due()) also(*trim);
  if (const auto pass = trees_.pass_due(); pass && !waiting_.empty()) also(*pass);
  if (trees_.untidy()) also(now() + kTidyAgain);
  if (!paused_.empty()) also(now() + kLookAtDiskAgain);
  if (next == armed_) return;
  armed_ = next;
  itimerspec when{};
  if (next) {
    const Duration at = std::max(*next, Duration{1});  // 0 would mean never
    when.it_value.tv_sec = at.count() / 1'000;
    when.it_value.tv_nsec = at.count() % 1'000 * 1'000'000;
  }
  CHECK(timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0);
}

void KeeperProcess::act_on_due() {
  const Duration time = now();
  if (!trust_is_over_ && trust_.steady <= time) end_of_trust();
  while (!due_.empty() && due_.begin()->first <= time) {
    const RunTag tag = due_.begin()->second;
    act_on(tag, runs_.at(tag));
  }
  trees_.trim(time);
  trees_.pass_slow(time);
  if (trees_.untidy()) trees_.tidy();
  if (!paused_.empty()) resume_outputs();
  ends_.act(time);
}

void KeeperProcess::flush() {
  scribe_.flush();
  if (node_gone_) return;
  bool done = node_.flush();
  if (done && !news_.empty()) {  // a node that does not listen gets no heap of old news
    for (const RunTag tag : std::exchange(news_, {})) {
      const KeptRun& run = runs_.at(tag);
      report(Progress{run.start.key.run, run.progress.newest()});
    }
    done = node_.flush();
  }
  if (done == !node_writing_) return;
  node_writing_ = !done;
  poller_.change(node_.fd(), done ? EPOLLIN : EPOLLIN | EPOLLOUT, Poller::Kind::node);
}

/// Nothing runs any more, so from here on waiting harms nobody. The lock of a node that died stays
/// where others find it free: then they need not wait for its lease.
void KeeperProcess::leave() {
  if (!ends_.all_safe()) ends_.write_directly(settings_.spool_folder());
  if (leaving_) {
    for (auto& [incarnation, lock] : locks_) lock.remove();
  }
  scribe_.flush_for(kLastWordsMs);
  if (!node_gone_) node_.flush_for(kLastWordsMs);
}

void KeeperProcess::report(const Report& report) {
  if (!node_gone_) node_.send(encode(report));
}

// ---- orders ------------------------------------------------------------------------------------

void KeeperProcess::obey(Start& order) {
  if (ends_.holds(order.key) || !tags_.emplace(order.key.run, last_tag_ + 1).second) {
    return remark(order.label + " is in the keeper's hands already, and was not started again");
  }
  const RunTag tag = ++last_tag_;
  runs_.try_emplace(tag, std::move(order));
  waiting_.push_back(tag);
}

void KeeperProcess::obey(const Stop& order) {
  const auto tag = tags_.find(order.run);
  if (tag == tags_.end()) return;
  KeptRun& run = runs_.at(tag->second);
  stop(tag->second, run, {RunState::cancelled, order.reason, now() + run.start.kill_after, ""});
}

void KeeperProcess::obey(const TrustOrder& order) {
  const bool is_new = order.incarnation != trust_.incarnation;
  if (order.steady > trust_.steady || is_new) {
    trust_ = order;
    trust_is_over_ = false;
    if (is_new) kill_without_trust();
    tell_trees_of_trust();
  }
  if (!locks_.contains(order.incarnation)) {
    auto lock = IncarnationLock::take(settings_.lock_folder(), order.incarnation, cgroup_);
    if (lock) {
      locks_.emplace(order.incarnation, std::move(*lock));
    } else {
      remark(lock.error().message);
    }
  }
  release_locks();
}

void KeeperProcess::tell_trees_of_trust() {
  for (const auto& [tag, run] : runs_) {
    const auto when = overdue(run);
    if (when && run.phase != KeptRun::Phase::waiting) trees_.kill_at(tag, *when);
  }
}

void KeeperProcess::obey(const KillAllOrder&) {
  trust_.steady = Duration{};
  trust_is_over_ = true;
  refuse_waiting("the incarnation was ended before the start");
  kill_without_trust();
}

/// A run that shall go on when the lease is lost goes on: that it is lost is all this says.
void KeeperProcess::kill_without_trust() {
  std::vector<RunTag> doomed;
  for (const auto& [tag, run] : runs_) {
    const bool trusted = !trust_is_over_ && run.start.incarnation == trust_.incarnation;
    const bool waits = run.phase == KeptRun::Phase::waiting;  // refused when its turn comes
    if (!trusted && !waits && run.start.on_lease_loss == OnLeaseLoss::kill) doomed.push_back(tag);
  }
  for (const RunTag tag : doomed) {
    stop(tag, runs_.at(tag),
         {RunState::failed, Reason::signal, Duration{}, "cronce: killed: the lease was lost"});
  }
}

void KeeperProcess::obey(const Leave&) {
  leaving_ = true;
  ends_.hurry(now());
}

IncarnationLock* KeeperProcess::lock_of(const Incarnation& incarnation) {
  const auto lock = locks_.find(incarnation);
  return lock == locks_.end() ? nullptr : &lock->second;
}

/// Those of former incarnations of which nothing runs any more.
void KeeperProcess::release_locks() {
  for (auto lock = locks_.begin(); lock != locks_.end();) {
    const bool needed = lock->first == trust_.incarnation ||
                        std::any_of(runs_.begin(), runs_.end(), [&](const auto& row) {
                          return row.second.start.incarnation == lock->first;
                        });
    if (needed) {
      ++lock;
    } else {
      lock->second.remove();
      lock = locks_.erase(lock);
    }
  }
}

}  // namespace cronce
