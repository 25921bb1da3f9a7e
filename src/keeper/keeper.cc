#include "keeper/keeper.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "keeper/ancestor.h"
#include "keeper/folder.h"
#include "keeper/kept_run.h"
#include "keeper/signals.h"

namespace cronce {
namespace {

constexpr int kBirthMs = 10'000;
constexpr Duration kClearPatience{3'000};
constexpr int kLookAgainMs = 10;

Status make_folders(const KeeperSettings& settings) {
  for (const std::string& folder :
       {settings.state, settings.spool_folder(), settings.lock_folder()}) {
    if (const Status made = make_folder(folder); !made) return made;
  }
  return Done{};
}

struct AncestorBirth {
  pid_t pid = 0;
  Descriptor channel;
};

/// Returns in the process that is the node.
Result<AncestorBirth> fork_ancestor(const KeeperSettings& settings) {
  auto ends = make_socket_pair();
  if (!ends) return ends.error();
  const SignalsBlocked until_both_are_ready;
  const bool is_init = getpid() == 1;
  const pid_t pid = fork();
  if (pid < 0) return system_error("fork");
  const bool is_child = pid == 0;
  if (is_child != is_init) run_ancestor(std::move((*ends)[1]), is_init ? pid : 0, settings);
  return AncestorBirth{pid, std::move((*ends)[0])};
}

/// Trees of processes are found in /proc, and nothing else can be trusted to find them.
Status check_proc() {
  std::array<char, 32> number{};
  if (readlink("/proc/self", number.data(), number.size() - 1) > 0 &&
      std::atoi(number.data()) == getpid()) {
    return Done{};
  }
  return Error{Code::unavailable,
               "/proc is not mounted, or not for this pid namespace: processes could not be found"};
}

}  // namespace

Result<Keeper> Keeper::start_process(const KeeperSettings& settings) {
  if (const Status usable = check_proc(); !usable) return usable.error();
  if (const Status made = make_folders(settings); !made) return made.error();
  auto ancestor = fork_ancestor(settings);
  if (!ancestor) return ancestor.error();
  Descriptor poll(epoll_create1(EPOLL_CLOEXEC));
  if (!poll.open()) return system_error("make an epoll");
  Keeper keeper(settings, ancestor->pid, Channel(std::move(ancestor->channel)), std::move(poll));
  keeper.ask_for_keeper();
  keeper.ancestor_.flush_for(kBirthMs);
  keeper.ancestor_.fill_for(kBirthMs);
  keeper.hear_ancestor(keeper.early_);
  if (keeper.pid_ == 0) return Error{Code::unavailable, "the keeper did not come to life"};
  return keeper;
}

Keeper::Keeper(KeeperSettings settings, pid_t ancestor_pid, Channel ancestor, Descriptor poll)
    : settings_(std::move(settings)),
      ancestor_pid_(ancestor_pid),
      ancestor_(std::move(ancestor)),
      poll_(std::move(poll)) {
  listen(ancestor_.fd(), true);
}

void Keeper::listen(int descriptor, bool begin) {
  epoll_event request{};
  request.events = EPOLLIN;
  CHECK(epoll_ctl(poll_.get(), begin ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, descriptor, &request) == 0);
}

/// Its channel takes orders at once, before it lives.
void Keeper::ask_for_keeper() {
  auto ends = make_socket_pair();
  CHECK(ends);
  keeper_.emplace(std::move((*ends)[0]));
  keeper_writing_ = false;
  listen(keeper_->fd(), true);
  std::vector<Descriptor> other;
  other.push_back(std::move((*ends)[1]));
  ancestor_.send(kBearKeeper, std::move(other));
  if (trust_) send(*trust_);
  for (const Order& order : std::exchange(unsent_, {})) send(order);
  ancestor_.flush();
}

// ---- orders ------------------------------------------------------------------------------------

void Keeper::send(const Order& order) {
  if (!keeper_) return unsent_.push_back(order);
  if (const auto* start = std::get_if<Start>(&order)) {
    live_[start->key.run] = {start->key.fence, start->incarnation};
  }
  keeper_->send(encode(order));
  poll_for(*keeper_, keeper_writing_);
}

void Keeper::poll_for(Channel& channel, bool& writing) {
  const bool done = channel.flush();
  if (done == !writing) return;
  writing = !done;
  epoll_event request{};
  request.events = done ? EPOLLIN : EPOLLIN | EPOLLOUT;
  CHECK(epoll_ctl(poll_.get(), EPOLL_CTL_MOD, channel.fd(), &request) == 0);
}

void Keeper::start(const Start& order) {
  if (gone_) return refuse(order, early_);
  send(order);
}

void Keeper::stop(const RunId& run, Reason reason) { send(Stop{run, reason}); }

void Keeper::trust_until(const TrustOrder& order) {
  hold_lock(order.incarnation);
  trust_ = order;
  send(order);
}

void Keeper::hold_lock(const Incarnation& incarnation) {
  if (locked_ == incarnation) return;
  lock_.reset();
  locked_.reset();
  const auto group = cgroup_.empty() ? std::nullopt : std::optional(cgroup_);
  auto lock = IncarnationLock::take(settings_.lock_folder(), incarnation, group);
  if (!lock) {
    early_.emplace_back(Remark{lock.error().message});
    return;
  }
  lock_.emplace(std::move(*lock));
  locked_ = incarnation;
}

void Keeper::kill_all() {
  trust_.reset();
  send(KillAllOrder{});
}

void Keeper::end_stored(const EndKey& key) { send(EndStoredOrder{key}); }

void Keeper::leave() {
  leaving_ = true;
  send(Leave{});
}

std::optional<Time> Keeper::cluster_time() const {
  if (!trust_) return std::nullopt;
  return trust_->zero + read_steady(settings_.clock);
}

// ---- reports -----------------------------------------------------------------------------------

std::vector<KeeperEvent> Keeper::read() {
  std::vector<KeeperEvent> events = std::exchange(early_, {});
  if (gone_) return events;
  if (keeper_) hear_keeper(events);
  if (!ancestor_.closed()) hear_ancestor(events);
  return events;
}

void Keeper::hear_keeper(std::vector<KeeperEvent>& events) {
  poll_for(*keeper_, keeper_writing_);
  const bool alive = keeper_->fill();
  bool sound = true;
  while (auto message = keeper_->next()) {
    auto report = decode_report(*message);
    sound = sound && report.ok();
    if (!report) continue;
    if (const auto* ended = std::get_if<Ended>(&*report)) live_.erase(ended->end.run);
    std::visit([&](auto& value) { events.emplace_back(std::move(value)); }, *report);
  }
  if (alive && sound) return;
  if (!sound) ancestor_.send(kKillKeeper);  // nothing that it says can be trusted any more
  ancestor_.flush();
  listen(keeper_->fd(), false);
  keeper_.reset();  // and wait until the ancestor has cleared what it kept
  if (ancestor_.closed()) ancestor_is_gone(events);
}

void Keeper::hear_ancestor(std::vector<KeeperEvent>& events) {
  ancestor_.flush();
  const bool alive = ancestor_.fill();
  while (auto message = ancestor_.next()) {
    const auto report = decode_ancestor_report(*message);
    if (!report) continue;
    if (const auto* born = std::get_if<KeeperBorn>(&*report)) {
      pid_ = static_cast<pid_t>(born->pid);
      cgroup_ = born->cgroup;
      if (!born->remark.empty()) events.emplace_back(Remark{"no control groups: " + born->remark});
    } else {
      keeper_is_dead(events);
    }
  }
  if (alive || gone_) return;
  dismiss_ancestor();
  events.emplace_back(Remark{"the process above the keeper is gone: it cannot be replaced"});
  if (!keeper_) ancestor_is_gone(events);
}

/// Its last words are in the channel still.
void Keeper::keeper_is_dead(std::vector<KeeperEvent>& events) {
  while (keeper_) hear_keeper(events);
  pid_ = 0;
  end_as_lost(events);
  if (leaving_) {
    dismiss_ancestor();
    return end_for_good("", events);
  }
  ask_for_keeper();
  events.emplace_back(KeeperReplaced{});
}

/// It has nothing left to do, or is dead already.
void Keeper::dismiss_ancestor() {
  listen(ancestor_.fd(), false);
  ancestor_.close();
  if (ancestor_pid_ != 0) retry([this] { return waitpid(ancestor_pid_, nullptr, 0); });
}

/// They kill what they keep when the keeper dies, and hold the locks until it is gone.
void Keeper::wait_for_sub_keepers() const {
  std::set<Incarnation> incarnations;
  for (const auto& [run, live] : live_) incarnations.insert(live.incarnation);
  const Duration until = read_steady(Steady::monotonic) + kClearPatience;
  for (const Incarnation& incarnation : incarnations) {
    while (keeper_life(settings_.lock_folder(), incarnation) == KeeperLife::alive &&
           read_steady(Steady::monotonic) < until) {
      poll(nullptr, 0, kLookAgainMs);
    }
  }
}

/// Both are dead: what they left is killed as that of any dead incarnation.
void Keeper::ancestor_is_gone(std::vector<KeeperEvent>& events) {
  lock_.reset();
  wait_for_sub_keepers();
  Cleared cleared = clear_leftovers(settings_.lock_folder(), kClearPatience);
  for (const std::string& trouble : cleared.troubles) events.emplace_back(Remark{trouble});
  pid_ = 0;
  end_as_lost(events);
  end_for_good(leaving_ ? "" : "the keeper and the process above it were killed", events,
               std::move(cleared.gone));
}

/// What no keeper was told any more has not run, and that is known.
void Keeper::refuse(const Start& order, std::vector<KeeperEvent>& events) const {
  FinishEntry end = KeptRun(order).refusal("there is no keeper", std::nullopt);
  end.finished_at = cluster_time();
  events.emplace_back(Ended{std::move(end)});
}

void Keeper::end_for_good(const std::string& reason, std::vector<KeeperEvent>& events,
                          std::vector<Incarnation> cleared) {
  for (const Order& order : std::exchange(unsent_, {})) {
    if (const auto* start = std::get_if<Start>(&order)) refuse(*start, events);
  }
  gone_ = true;
  events.emplace_back(KeeperGone{reason, std::move(cleared)});
}

void Keeper::end_as_lost(std::vector<KeeperEvent>& events) {
  for (const auto& [run, live] : std::exchange(live_, {})) {
    FinishEntry end;
    end.run = run;
    end.fence = live.fence;
    end.incarnation = live.incarnation;
    end.finished_at = cluster_time();
    end.state = RunState::lost;
    end.reason = Reason::keeper;
    events.emplace_back(Ended{end});
  }
}

}  // namespace cronce
