#include "keeper/sub_keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "keeper/descendants.h"
#include "keeper/signals.h"
#include "keeper/wire.h"

namespace cronce {

auto members(Of<StartTree> auto& v) { return std::tie(v.start, v.trust_until, v.kill_at); }
auto members(Of<KillTreeAt> auto& v) { return std::tie(v.steady); }
auto members(Of<TerminateTree> auto&) { return std::tie(); }
auto members(Of<KillTree> auto&) { return std::tie(); }
auto members(Of<TreeStarted> auto& v) { return std::tie(v.pid); }
auto members(Of<SpawnFailure> auto& v) { return std::tie(v.sentence, v.exit_code); }
auto members(Of<CommandExited> auto& v) { return std::tie(v.status); }
auto members(Of<TreeEmptied> auto&) { return std::tie(); }

std::string encode(const SubOrder& order) { return encode_one_of(order); }
std::string encode(const SubReport& report) { return encode_one_of(report); }
Result<SubReport> decode_sub_report(std::string_view bytes) {
  return decode_one_of<SubReport>(bytes);
}

namespace {

/// How long to wait before killing again: processes that fork faster than they are found need
/// haste, and those that cannot die need none.
constexpr int kFirstPause = 1;
constexpr int kLongestPause = 100;
/// A poll does not count time in which the machine sleeps: look at the clock now and then.
constexpr int kLongestWait = 10'000;

class SubKeeper {
 public:
  explicit SubKeeper(SubKeeperBirth birth)
      : channel_(std::move(birth.channel)),
        keeper_(birth.keeper),
        open_files_(birth.open_files),
        clock_(birth.clock),
        signals_(watch_signals({SIGCHLD, SIGUSR1})) {}

  [[noreturn]] void run() {
    for (;;) {
      std::array<pollfd, 2> watch{{{channel_.fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
      retry([&] { return poll(watch.data(), watch.size(), patience()); });
      if (watch[1].revents != 0) drain_signals(signals_.get());
      if (watch[0].revents != 0) hear();
      if (abandoned() || is_overdue()) begin_killing();
      if (busy()) reap();
      if (killing_ && busy()) kill_tree();
      if (!channel_.flush()) wait_until_writable();
      if (abandoned() && !busy()) _exit(0);
    }
  }

 private:
  bool busy() const { return command_ != 0; }
  bool abandoned() const { return channel_.closed() || getppid() != keeper_; }
  bool is_overdue() const { return busy() && kill_at_ && *kill_at_ <= read_steady(clock_); }

  int patience() const {
    if (!busy()) return -1;
    if (killing_) return pause_;
    if (!kill_at_) return -1;
    const auto left = std::max<std::int64_t>((*kill_at_ - read_steady(clock_)).count(), 0);
    return static_cast<int>(std::min<std::int64_t>(left + 1, kLongestWait));
  }

  void hear() {
    channel_.fill();
    while (auto message = channel_.next()) {
      const auto order = decode_one_of<SubOrder>(*message);
      CHECK(order);
      obey(*order);
    }
  }

  void obey(const SubOrder& order) {
    if (const auto* ordered = std::get_if<StartTree>(&order)) {
      start(*ordered);
    } else if (const auto* moved = std::get_if<KillTreeAt>(&order)) {
      kill_at_ = moved->steady;
    } else if (std::holds_alternative<KillTree>(order)) {
      begin_killing();
    } else if (busy()) {
      signal_descendants(SIGTERM);
      signal_descendants(SIGCONT);  // one that was stopped could not end itself
    }
  }

  void start(const StartTree& order) {
    const Descriptor input = channel_.next_descriptor();
    const Descriptor output = channel_.next_descriptor();
    const Descriptor progress = channel_.next_descriptor();
    lock_ = channel_.next_descriptor();
    CHECK(lock_.open() && !busy());
    const auto pid = spawn(order, {input.get(), output.get(), progress.get()});
    if (!pid) {
      lock_.reset();
      return tell(pid.error());
    }
    command_ = *pid;
    kill_at_ = order.kill_at;
    exited_ = false;
    killing_ = false;
    tell(TreeStarted{*pid});
  }

  Result<pid_t, SpawnFailure> spawn(const StartTree& order, const ChildDescriptors& descriptors) {
    Launch launch(order.start, open_files_);
    if (abandoned() || order.trust_until <= read_steady(clock_)) {
      return SpawnFailure{std::string(kLeaseEnded), std::nullopt};
    }
    return launch.spawn(descriptors);
  }

  void reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid == command_ && !std::exchange(exited_, true)) tell(CommandExited{status});
      if (pid > 0) continue;
      if (pid < 0 && errno == ECHILD) tree_is_empty();
      return;
    }
  }

  void tree_is_empty() {
    command_ = 0;
    killing_ = false;
    lock_.reset();
    tell(TreeEmptied{});
  }

  void begin_killing() {
    if (killing_) return;
    killing_ = true;
    pause_ = kFirstPause;
  }

  void kill_tree() {
    signal_descendants(SIGKILL);
    pause_ = std::min(pause_ * 2, kLongestPause);
    reap();
  }

  void tell(const SubReport& report) { channel_.send(encode(report)); }

  void wait_until_writable() {
    pollfd watch{channel_.fd(), POLLOUT, 0};
    poll(&watch, 1, kLongestPause);
  }

  Channel channel_;
  pid_t keeper_;
  rlimit open_files_;
  Steady clock_;
  Descriptor signals_;
  Descriptor lock_;
  pid_t command_ = 0;    // 0: no tree
  bool exited_ = false;  // the command; from then on its number may be another's
  std::optional<Duration> kill_at_;
  bool killing_ = false;
  int pause_ = kFirstPause;
};

}  // namespace

void run_sub_keeper(SubKeeperBirth birth) {
  prctl(PR_SET_NAME, "cronce-run");
  close_all_but({birth.channel.get()});
  occupy_low_descriptors();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // The end of the channel says the same; this one reaches us even if a copy of it were left open.
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  SubKeeper(std::move(birth)).run();
}

}  // namespace cronce
