#include "keeper/trees.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "keeper/cgroup.h"
#include "keeper/descendants.h"

namespace cronce {
namespace {

constexpr std::size_t kKeptFree = 16;
constexpr Duration kSlowStart{1'000};

}  // namespace

/// A start occupies a processor. More of them at once would each take longer, and none of their
/// sub-keepers be free to be used again.
Trees::Trees(std::optional<std::string> cgroup, const KeeperSettings& settings, Poller& poller,
             TreeListener& listener)
    : cgroup_(std::move(cgroup)),
      open_files_(raise_open_files()),
      clock_(settings.clock),
      keep_free_(settings.keep_free),
      poller_(poller),
      listener_(listener),
      at_once_(std::thread::hardware_concurrency() + 1) {}

// ---- sub-keepers -------------------------------------------------------------------------------

Result<Trees::Subs::iterator> Trees::take_sub() {
  if (free_.empty()) return fork_sub();
  const auto sub = subs_.find(free_.back().sub);
  free_.pop_back();
  return sub;
}

Result<Trees::Subs::iterator> Trees::fork_sub() {
  auto ends = make_socket_pair();
  if (!ends) return ends.error();
  const std::uint64_t number = ++made_;
  std::string group = cgroup_ ? fmt::format("{}/{}", *cgroup_, number) : "";
  if (!group.empty() && !add_cgroup(group)) group.clear();  // no more of them may be made
  const pid_t keeper = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const Error failed = system_error("fork");
    if (!group.empty()) remove_cgroup(group);
    return failed;
  }
  if (pid == 0) {
    // If it cannot, it keeps the tree as one does without groups.
    if (!group.empty()) [[maybe_unused]]
      const Status entered = enter_cgroup(group);
    run_sub_keeper({std::move((*ends)[1]), keeper, open_files_, clock_});
  }
  Sub sub{pid, Channel(std::move((*ends)[0])), group};
  poller_.add(sub.channel.fd(), EPOLLIN, Poller::Kind::tree, number);
  return subs_.emplace(number, std::move(sub)).first;
}

Trees::Sub* Trees::find(RunTag run) {
  const auto number = keeping_.find(run);
  return number == keeping_.end() ? nullptr : &subs_.at(number->second);
}

void Trees::write(std::uint64_t number, Sub& sub) {
  const bool done = sub.channel.flush();
  if (done == !sub.writing) return;
  sub.writing = !done;
  poller_.change(sub.channel.fd(), done ? EPOLLIN : EPOLLIN | EPOLLOUT, Poller::Kind::tree, number);
}

void Trees::forget(Subs::iterator sub) {
  poller_.remove(sub->second.channel.fd());
  subs_.erase(sub);
}

void Trees::set_free(Subs::iterator sub) {
  keeping_.erase(sub->second.run);
  sub->second.run = 0;
  short_of_processes_ = false;
  if (free_.size() < kKeptFree) return free_.push_back({sub->first, read_steady(clock_)});
  retire(sub);
}

/// It ends when its channel does.
void Trees::retire(Subs::iterator sub) {
  retired_[sub->second.pid] = sub->second.group;
  forget(sub);
}

void Trees::make_reserve() {
  const auto sub = fork_sub();
  short_of_processes_ = !sub;
  if (sub) free_.push_back({(*sub)->first, read_steady(clock_)});
}

std::optional<Duration> Trees::trim_due() const {
  if (free_.size() <= at_once_) return std::nullopt;
  return free_.front().since + keep_free_;
}

void Trees::trim(Duration now) {
  while (const auto due = trim_due()) {
    if (*due > now) return;
    retire(subs_.find(free_.front().sub));
    free_.erase(free_.begin());
  }
}

std::optional<Duration> Trees::pass_due() const {
  if (starting_.empty()) return std::nullopt;
  return starting_.front().since + kSlowStart;
}

void Trees::pass_slow(Duration now) {
  std::erase_if(starting_, [&](const Since& row) { return row.since + kSlowStart <= now; });
}

// ---- orders ------------------------------------------------------------------------------------

void Trees::plant(RunTag run, const StartTree& order, Seed seed) {
  // Without a lock anything will do: four are expected.
  Descriptor held(fcntl(seed.lock >= 0 ? seed.lock : seed.input.get(), F_DUPFD_CLOEXEC, 0));
  const auto taken = held.open() ? take_sub() : system_error("hold the lock");
  if (!taken) return listener_.refused(run, {taken.error().message, std::nullopt});
  auto& [number, sub] = **taken;
  keeping_[run] = number;
  sub.run = run;
  starting_.push_back({number, read_steady(clock_)});
  std::vector<Descriptor> descriptors;
  for (Descriptor* one : {&seed.input, &seed.output, &seed.progress, &held}) {
    descriptors.push_back(std::move(*one));
  }
  sub.channel.send(encode(SubOrder{order}), std::move(descriptors));
  write(number, sub);
}

void Trees::order(RunTag run, const SubOrder& order) {
  Sub* sub = find(run);
  if (sub == nullptr) return;
  sub->channel.send(encode(order));
  write(keeping_.at(run), *sub);
}

void Trees::kill_at(RunTag run, Duration steady) { order(run, KillTreeAt{steady}); }
void Trees::terminate(RunTag run) { order(run, TerminateTree{}); }
void Trees::kill(RunTag run) { order(run, KillTree{}); }

void Trees::kill_harder(RunTag run) {
  const Sub* sub = find(run);
  if (sub == nullptr) return;
  if (!sub->group.empty()) kill_cgroup(sub->group);
  if (sub->pid != 0) ::kill(sub->pid, SIGKILL);
}

// ---- what sub-keepers tell ---------------------------------------------------------------------

void Trees::look(std::uint64_t number) {
  const auto sub = subs_.find(number);
  if (sub == subs_.end()) return;
  write(number, sub->second);
  const bool alive = sub->second.channel.fill();
  bool sound = true;
  while (auto message = sub->second.channel.next()) {
    const auto report = decode_sub_report(*message);
    sound = sound && report.ok();
    if (report) hear(sub, *report);
    if (!subs_.contains(number)) return;  // it was one too many
  }
  if (!alive || !sound) bury(sub);
}

void Trees::hear(Subs::iterator sub, const SubReport& report) {
  const RunTag run = sub->second.run;
  std::erase_if(starting_, [&](const Since& row) { return row.sub == sub->first; });
  if (const auto* started = std::get_if<TreeStarted>(&report)) {
    listener_.started(run, static_cast<pid_t>(started->pid));
  } else if (const auto* exited = std::get_if<CommandExited>(&report)) {
    listener_.exited(run, static_cast<int>(exited->status));
  } else if (const auto* failure = std::get_if<SpawnFailure>(&report)) {
    set_free(sub);
    listener_.refused(run, *failure);
  } else {
    set_free(sub);
    listener_.emptied(run);
  }
}

// ---- dead sub-keepers --------------------------------------------------------------------------

void Trees::reaped(pid_t pid) {
  if (const auto retired = retired_.extract(pid); !retired.empty() && !retired.mapped().empty()) {
    remove_cgroup(retired.mapped());
  }
  const auto sub = std::find_if(subs_.begin(), subs_.end(),
                                [&](const auto& row) { return row.second.pid == pid; });
  if (sub == subs_.end()) return;
  const std::uint64_t number = sub->first;
  sub->second.pid = 0;
  look(number);  // its last words
  if (const auto still = subs_.find(number); still != subs_.end()) bury(still);
}

void Trees::bury(Subs::iterator sub) {
  std::erase_if(starting_, [&](const Since& row) { return row.sub == sub->first; });
  // It may have closed its channel and live on: it must not.
  if (sub->second.pid != 0) ::kill(sub->second.pid, SIGKILL);
  if (sub->second.run != 0) {
    keeping_.erase(sub->second.run);
    vanished_.push_back({sub->second.run, sub->second.group});
  } else {
    std::erase_if(free_, [&](const Since& row) { return row.sub == sub->first; });
    if (sub->second.pid != 0) {
      retired_[sub->second.pid] = sub->second.group;  // which can be removed when it is empty
    } else if (!sub->second.group.empty()) {
      remove_cgroup(sub->second.group);
    }
    short_of_processes_ = true;  // it may be that none can live: no haste with the next
  }
  forget(sub);
}

/// What is directly below us and no sub-keeper was kept by one that died. Whose it was nobody can
/// say, but all of it is to die.
std::optional<std::vector<pid_t>> Trees::orphans() const {
  auto children = own_children();
  if (!children) return std::nullopt;
  std::erase_if(*children, [&](pid_t pid) {
    return std::any_of(subs_.begin(), subs_.end(),
                       [&](const auto& row) { return row.second.pid == pid; });
  });
  return children;
}

bool Trees::is_gone(const Vanished& tree, const std::vector<pid_t>& orphans) const {
  return orphans.empty() && (tree.group.empty() || clear_cgroup(tree.group, Duration{0}));
}

void Trees::tidy() {
  const auto left = orphans();
  if (!left) return;
  kill_with_descendants(*left);
  std::vector<RunTag> gone;
  std::erase_if(vanished_, [&](const Vanished& tree) {
    if (!is_gone(tree, *left)) return false;
    gone.push_back(tree.run);
    return true;
  });
  for (const RunTag run : gone) listener_.vanished(run);
}

}  // namespace cronce
