#include "keeper/ancestor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "keeper/cgroup.h"
#include "keeper/descendants.h"
#include "keeper/keeper_process.h"
#include "keeper/scribe.h"
#include "keeper/signals.h"
#include "keeper/wire.h"

namespace cronce {

auto members(Of<KeeperBorn> auto& v) { return std::tie(v.pid, v.cgroup, v.remark); }
auto members(Of<KeeperDead> auto& v) { return std::tie(v.status); }

std::string encode(const AncestorReport& report) { return encode_one_of(report); }
Result<AncestorReport> decode_ancestor_report(std::string_view bytes) {
  return decode_one_of<AncestorReport>(bytes);
}

namespace {

constexpr int kClearAgainMs = 5;
constexpr int kScribeMs = 10'000;

class Ancestor {
 public:
  Ancestor(Descriptor channel, pid_t node, const KeeperSettings& settings)
      : channel_(std::move(channel)),
        node_(node),
        settings_(settings),
        signals_(watch_signals({SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
                                SIGALRM, SIGWINCH, SIGCONT})) {}

  [[noreturn]] void run() {
    while (!channel_.closed() || keeper_ != 0 || clearing_ || node_ != 0) {
      // Closed, it would be ready for ever.
      std::array<pollfd, 2> watch{
          {{signals_.get(), POLLIN, 0}, {channel_.closed() ? -1 : channel_.fd(), POLLIN, 0}}};
      retry([&] { return poll(watch.data(), watch.size(), clearing_ ? kClearAgainMs : -1); });
      if (watch[1].revents != 0) hear();
      if (watch[0].revents != 0) take_signals_in();
      if (clearing_) clear();
      channel_.flush();
    }
    wait_for_scribes();
    _exit(exit_code_of(node_status_));
  }

 private:
  void hear() {
    channel_.fill();
    while (const auto message = channel_.next()) {
      if (*message == kBearKeeper) {
        bear_keeper(channel_.next_descriptor());
      } else if (keeper_ != 0) {
        kill(keeper_, SIGKILL);
      }
    }
  }

  void bear_keeper(Descriptor node) {
    std::string remark;
    group_ = make_group(remark);
    fork_keeper(std::move(node));
    tell(KeeperBorn{keeper_, group_ ? group_->path : "", remark});
    channel_.flush();
    if (group_) remove_dead_keeper_cgroups(*group_);
  }

  /// What is theirs is closed here when it returns: nobody but them must be heard at its other end.
  void fork_keeper(Descriptor node) {
    auto ends = make_socket_pair();
    CHECK(ends && node.open() && keeper_ == 0);
    const pid_t scribe = fork();
    if (scribe == 0) {
      run_scribe(std::move((*ends)[0]), {settings_.spool_folder(), settings_.log_limit_bytes});
    }
    keeper_ = fork();
    if (keeper_ == 0) {
      run_keeper({std::move(node), std::move((*ends)[1]), std::move(group_)}, settings_);
    }
    CHECK(scribe > 0 && keeper_ > 0);
    scribes_.insert(scribe);
  }

  std::optional<KeeperCgroup> make_group(std::string& remark) {
    if (!settings_.use_cgroups) return std::nullopt;
    auto group = make_keeper_cgroup();
    if (group) return *std::move(group);
    remark = group.error().message;
    return std::nullopt;
  }

  void take_signals_in() {
    for (const signalfd_siginfo& signal : drain_signals(signals_.get())) {
      // What a terminal sends goes to the node as well, which is in the same group.
      const bool from_terminal = signal.ssi_code == SI_KERNEL;
      const int number = static_cast<int>(signal.ssi_signo);
      if (number != SIGCHLD && node_ != 0 && !from_terminal) kill(node_, number);
    }
    reap();
  }

  void reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid <= 0) return;
      scribes_.erase(pid);
      if (pid == node_) {
        node_ = 0;
        node_status_ = status;
      }
      if (pid == keeper_) {
        keeper_ = 0;
        keeper_status_ = status;
        clearing_ = true;
      }
    }
  }

  /// Everything below us but the node, and scribes that still write what they were given.
  std::optional<std::vector<pid_t>> left_behind() const {
    auto left = own_children();
    if (!left) return std::nullopt;
    std::erase_if(*left, [this](pid_t pid) { return pid == node_ || scribes_.contains(pid); });
    return left;
  }

  void clear() {
    const auto left = left_behind();
    if (!left) return;  // to be asked again
    kill_with_descendants(*left);
    const bool emptied = !group_ || clear_cgroup(group_->path, Duration{0});
    reap();
    if (!left->empty() || !emptied) return;
    clearing_ = false;
    group_.reset();
    tell(KeeperDead{keeper_status_});
  }

  /// Whoever is process 1 takes all others along.
  void wait_for_scribes() {
    while (!scribes_.empty() && getpid() == 1) {
      pollfd watch{signals_.get(), POLLIN, 0};
      if (retry([&] { return poll(&watch, 1, kScribeMs); }) <= 0) return;
      drain_signals(signals_.get());
      reap();
    }
  }

  void tell(const AncestorReport& report) { channel_.send(encode(report)); }

  Channel channel_;
  pid_t node_;
  const KeeperSettings& settings_;
  Descriptor signals_;
  pid_t keeper_ = 0;
  std::set<pid_t> scribes_;  // of this keeper, and of those before it
  std::optional<KeeperCgroup> group_;
  int keeper_status_ = 0;
  int node_status_ = 0;
  bool clearing_ = false;
};

/// So that nobody who reads the node's output waits for us.
void let_go_of_input_and_output() {
  const Descriptor none(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(none.get(), 0);
  dup2(none.get(), 1);
}

}  // namespace

void run_ancestor(Descriptor channel, pid_t node, const KeeperSettings& settings) {
  if (node == 0) {
    prctl(PR_SET_NAME, "cronce-ancestor");
    setsid();
    let_go_of_input_and_output();
  }
  close_all_but({channel.get()});
  take_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Ancestor(std::move(channel), node, settings).run();
}

}  // namespace cronce
