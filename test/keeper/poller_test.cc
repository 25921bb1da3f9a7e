// Events are about what they name, also when a process that was just born holds a copy of every
// descriptor.
#include "keeper/poller.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cronce::test {
namespace {

TEST(Poller, forgets_what_is_closed_although_a_child_holds_it_open) {
  Poller poller;
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  Watched watched(poller, std::move((*pipe)[0]), EPOLLIN, Poller::Kind::output, 7);
  const pid_t child = fork();  // with a copy of all of it
  if (child == 0) {
    for (;;) pause();
  }
  ASSERT_EQ(write((*pipe)[1].get(), "x", 1), 1);
  const auto before = poller.wait(true);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0].number, 7U);
  EXPECT_EQ(before[0].kind, Poller::Kind::output);
  watched.close();
  EXPECT_TRUE(poller.wait(true).empty());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Poller, can_pause_and_go_on) {
  Poller poller;
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  Watched watched(poller, std::move((*pipe)[0]), EPOLLIN, Poller::Kind::output, 7);
  (*pipe)[1].reset();  // its end is an event that epoll would tell in any case
  watched.pause();
  EXPECT_TRUE(poller.wait(true).empty());
  watched.resume();
  EXPECT_EQ(poller.wait(true).size(), 1U);
}

}  // namespace
}  // namespace cronce::test
