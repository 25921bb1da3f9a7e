// Signals reach the processes that are meant, also when their numbers were given to others.
#include "keeper/descendants.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "keeper/cgroup.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

/// A child that sleeps, under a number of our choice, or any.
pid_t sleeper(pid_t number = 0) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  if (number != 0) {
    arguments.set_tid = reinterpret_cast<std::uint64_t>(&number);
    arguments.set_tid_size = 1;
  }
  const auto pid = static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid == 0) sleep_for_ever();
  return pid;
}

void end(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

TEST(Descendants, are_not_those_who_got_their_number) {
  const pid_t number = sleeper();
  const auto held = HeldProcess::hold(number);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->parent(), getpid());
  end(number);
  ASSERT_EQ(sleeper(number), number);
  EXPECT_FALSE(held->parent());
  EXPECT_TRUE(held->children().empty());
  EXPECT_FALSE(held->send(SIGKILL));
  EXPECT_TRUE(is_alive(number));
  end(number);
}

/// A child with a child of its own; returns when both live.
pid_t family() {
  const pid_t pid = fork();
  if (pid == 0) {
    sleeper();
    sleep_for_ever();
  }
  EXPECT_TRUE(wait_until([&] { return children_by_search(pid).size() == 1; }));
  return pid;
}

TEST(Descendants, are_found_by_list_and_by_search) {
  const pid_t parent = family();
  const auto own = own_children().value();
  EXPECT_TRUE(std::ranges::count(own, parent) == 1);
  EXPECT_EQ(children_by_search(getpid()), own);
  EXPECT_EQ(HeldProcess::hold(parent)->children(), children_by_search(parent));
  kill_with_descendants({parent});
  waitpid(parent, nullptr, 0);
}

TEST(Descendants, are_killed_and_nobody_else) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t doomed = family();
  const pid_t below = children_by_search(doomed)[0];
  const pid_t spared = family();
  kill_with_descendants({doomed, getppid()});  // that is no child of ours
  EXPECT_EQ(waitpid(doomed, nullptr, 0), doomed);
  EXPECT_EQ(waitpid(below, nullptr, 0), below);
  EXPECT_TRUE(is_alive(spared));
  signal_descendants(SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_TRUE(own_children().value().empty());
}

/// A run whose processes cannot be seen is not over.
TEST(Descendants, that_cannot_be_looked_for_are_not_taken_for_none) {
  const pid_t child = sleeper();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const auto children = own_children();
  const bool is_gone = clear_cgroup("/proc/self", Duration{0});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(children);
  EXPECT_FALSE(is_gone);
  EXPECT_TRUE(clear_cgroup("/no/such/group", Duration{0}));
  end(child);
}

}  // namespace
}  // namespace cronce::test
