// As process 1 of a container: orphans are reaped, signals handed on, and the status is the node's.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "keeper/signals.h"
#include "keeper/spool.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

/// A container: `node` runs behind Keeper::start_process() in a pid name space of its own.
class Container {
 public:
  Container() {
    incarnation();  // the same inside
    settings.state = folder.path() + "/state";
    settings.lease_stop = Duration{200};
  }
  ~Container() {
    if (outside_ > 0) waitpid(outside_, nullptr, 0);
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  void start(const std::function<int(Keeper&)>& node) {
    auto told = make_pipe();
    ASSERT_TRUE(told);
    outside_ = fork();
    if (outside_ == 0) be_outside((*told)[1].get(), node);
    ASSERT_EQ(read((*told)[0].get(), &init_, sizeof init_), static_cast<ssize_t>(sizeof init_));
  }

  void send(int signal) const { kill(init_, signal); }
  /// The exit code of process 1.
  int wait() {
    int status = 0;
    waitpid(outside_, &status, 0);
    outside_ = 0;
    return WEXITSTATUS(status);
  }

  Scratch folder;
  KeeperSettings settings;

 private:
  [[noreturn]] void be_outside(int told, const std::function<int(Keeper&)>& node) const {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(101);
    const pid_t init = fork();
    if (init == 0) be_init(node);
    [[maybe_unused]] const auto size = write(told, &init, sizeof init);
    int status = 0;
    waitpid(init, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 102);
  }

  [[noreturn]] void be_init(const std::function<int(Keeper&)>& node) const {
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (mount("proc", "/proc", "proc", 0, nullptr) != 0) _exit(103);
    auto keeper = Keeper::start_process(settings);
    if (!keeper) _exit(104);
    _exit(node(*keeper));  // the node, which is process 2
  }

  pid_t outside_ = 0;
  pid_t init_ = 0;
};

void trust(Keeper& keeper, Duration longer) {
  keeper.trust_until({read_steady(Steady::boottime) + longer, incarnation(), Time{}});
}

/// An orphan that ends at once, of which nobody in particular is told.
void leave_orphan() {
  if (fork() == 0) {
    if (fork() == 0) _exit(0);
    _exit(0);
  }
  waitpid(-1, nullptr, 0);
}

bool has_zombies() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (std::getline(file, text) && text.find(") Z ") != std::string::npos) return true;
  }
  return false;
}

TEST(Init, hands_signals_on_reaps_everybody_and_ends_as_the_node) {
  Container container;
  Witness witness(container.folder.path() + "/witness");
  container.start([&](Keeper& keeper) {
    const SignalsBlocked blocked;
    const Descriptor signals = watch_signals({SIGTERM});
    if (getpid() != 2) return 1;
    leave_orphan();
    if (!wait_until([] { return !has_zombies(); })) return 2;
    trust(keeper, std::chrono::minutes{1});
    Start start = order(1, {"/bin/sh", "-c",
                            "trap 'echo told; exit 5' TERM; exec 5>" + witness.path() +
                                "; printf x >&5; while :; do sleep 0.01; done"});
    start.kill_after = std::chrono::minutes{1};
    keeper.start(start);
    pollfd told{signals.get(), POLLIN, 0};
    if (poll(&told, 1, patience_ms()) != 1 || drain_signals(signals.get()).size() != 1) return 3;
    keeper.stop(run(1), Reason::drain);
    Listener events(keeper);
    const FinishEntry end = events.end(1);
    // The shell may say first that its child was terminated too.
    if (!end.output_tail.ends_with("told\n") || end.exit_code != 5) return 4;
    return 42;
  });
  ASSERT_TRUE(witness.sees_begin());
  container.send(SIGTERM);
  EXPECT_EQ(container.wait(), 42);
  EXPECT_TRUE(witness.sees_end());
}

/// Whether a pid namespace has a limit of its own (since Linux 6.14); before, it was the machine's.
bool has_own_pid_max() {
  utsname system{};
  int major = 0;
  int minor = 0;
  return uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 14));
}

/// Processes that have nothing to do with any run; false when something happens to one of them.
bool bystanders_are_well(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    int status = 1;
    if (waitpid(pid, &status, 0) != pid || status != 0) return false;
  }
  return true;
}

TEST(Init, is_not_confused_by_numbers_that_come_back) {
  Container container;
  Witness witness(container.folder.path() + "/witness");
  container.start([&](Keeper& keeper) {
    if (has_own_pid_max()) std::ofstream("/proc/sys/kernel/pid_max") << 400;
    trust(keeper, std::chrono::minutes{1});
    Listener events(keeper);
    for (int round = 0; round < 10; ++round) {
      const int first = 10 * round + 1;
      keeper.start(order(first, {actor(), "stroll", witness.path()}));
      for (int i = 1; i < 10; ++i) {
        keeper.start(order(first + i, {"/bin/sh", "-c", "exit " + std::to_string(i)}));
      }
      if (events.started(first) == nullptr || !bystanders_are_well(200)) return 1;
      keeper.stop(run(first), Reason::by_operator);
      if (!bystanders_are_well(200)) return 2;
      if (events.end(first).state != RunState::cancelled) return 3;
      for (int i = 1; i < 10; ++i) {
        if (events.end(first + i).exit_code != i || events.ends(first + i) != 1) return 4;
      }
    }
    return 42;
  });
  EXPECT_EQ(container.wait(), 42);
  EXPECT_TRUE(witness.sees_end());
}

TEST(Init, goes_on_without_the_node_until_the_deadline) {
  Container container;
  Witness witness(container.folder.path() + "/witness");
  container.start([&](Keeper& keeper) {
    trust(keeper, Duration{2'000});
    keeper.start(order(1, {actor(), "double-fork", witness.path()}));
    Listener events(keeper);
    if (events.started(1) == nullptr) return 1;
    raise(SIGKILL);
    return 2;
  });
  ASSERT_TRUE(witness.sees_life());
  EXPECT_TRUE(witness.sees_end());
  EXPECT_EQ(container.wait(), 128 + SIGKILL);
  const auto kept = Spool(container.settings.spool_folder()).read_all(store(), "test").value();
  ASSERT_EQ(kept.ends.size(), 1U);
  EXPECT_EQ(kept.ends[0].state, RunState::failed);
}

}  // namespace
}  // namespace cronce::test
