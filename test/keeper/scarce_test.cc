// Where descriptors or processes run out: a start that cannot be is refused with its reason, and
// every other run goes on.
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

constexpr std::size_t kRuns = 20;
constexpr uid_t kNobodyElse = 65'531;

/// In a process of its own, with limits of its own; 0 when all is well, or where it was not.
int apart(const std::function<int()>& deed) {
  incarnation();
  const pid_t pid = fork();
  if (pid == 0) _exit(deed());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

/// More runs at once than there is room for. Each starts or says why not, and later ones start
/// again.
int run_too_many(const std::string& state, const std::string& reason) {
  KeeperSettings settings;
  settings.state = state;
  auto keeper = Keeper::start_process(settings);
  if (!keeper) return 1;
  keeper->trust_until(
      {read_steady(settings.clock) + std::chrono::minutes{1}, incarnation(), Time{}});
  Listener events(*keeper);
  for (std::size_t i = 1; i <= kRuns; ++i) {
    keeper->start(order(static_cast<int>(i), {"sleep", "1000"}));
    if (!events.wait([&] { return events.starts.size() + events.finished.size() == i; })) return 2;
  }
  if (events.starts.empty() || events.finished.empty()) return 3;
  for (const auto& [run, end] : events.finished) {
    if (end.reason != Reason::spawn || events.starts.contains(run)) return 4;
    if (end.output_tail.find(reason) == std::string::npos) return 5;
  }
  for (const auto& [run, started] : events.starts) keeper->stop(run, Reason::by_operator);
  if (!events.wait([&] { return events.finished.size() == kRuns; })) return 6;
  keeper->start(order(kRuns + 1, {"true"}));
  if (events.end(kRuns + 1).state != RunState::succeeded) return 7;
  keeper->leave();
  return events.wait([&] { return events.gone.has_value(); }) ? 0 : 8;
}

/// Whichever descriptor is the one that cannot be had.
TEST(Scarce, descriptors_cost_a_start_and_nothing_else) {
  for (rlim_t most = 40; most < 46; ++most) {
    Scratch folder;
    EXPECT_EQ(apart([&] {
                const rlimit few{most, most};
                if (setrlimit(RLIMIT_NOFILE, &few) != 0) return 101;
                return run_too_many(folder.path() + "/state", "Too many open files");
              }),
              0)
        << most;
  }
}

TEST(Scarce, processes_cost_a_start_and_nothing_else) {
  for (rlim_t most = 12; most < 15; ++most) {
    Scratch folder;
    ASSERT_EQ(chown(folder.path().c_str(), kNobodyElse, kNobodyElse), 0);
    EXPECT_EQ(apart([&] {
                const rlimit few{most, most};
                if (setgroups(0, nullptr) != 0 || setrlimit(RLIMIT_NPROC, &few) != 0 ||
                    setgid(kNobodyElse) != 0 || setuid(kNobodyElse) != 0) {
                  return 101;
                }
                return run_too_many(folder.path() + "/state", "Resource temporarily unavailable");
              }),
              0)
        << most;
  }
}

}  // namespace
}  // namespace cronce::test
