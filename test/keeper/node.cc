#include "test/keeper/node.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cronce::test {
NodeProcess::NodeProcess() {
  incarnation();  // the same in the process that is forked
  settings.state = folder.path() + "/state";
  settings.lease_stop = Duration{200};
  settings.spool_after = Duration{200};
}

NodeProcess::~NodeProcess() {
  if (pid_ == 0) return;
  send(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void NodeProcess::start(bool cgroups, const Orders& orders) {
  settings.use_cgroups = cgroups;
  auto told = make_pipe();
  ASSERT_TRUE(told);
  pid_ = fork();
  if (pid_ == 0) {
    auto keeper = Keeper::start_process(settings);
    if (!keeper) _exit(1);
    orders(*keeper, settings);
    const pid_t pid = keeper->pid();
    [[maybe_unused]] const auto size = write((*told)[1].get(), &pid, sizeof pid);
    for (;;) {
      pollfd watch{keeper->fd(), POLLIN, 0};
      poll(&watch, 1, -1);
      keeper->read();
    }
  }
  (*told)[1].reset();
  ASSERT_EQ(read((*told)[0].get(), &keeper_, sizeof keeper_), static_cast<ssize_t>(sizeof keeper_));
}

pid_t NodeProcess::ancestor() const { return parent_of(keeper_); }

void NodeProcess::send(int signal) const { kill(pid_, signal); }

bool NodeProcess::keeper_ends() {
  return wait_until([this] { return !is_alive(keeper_); });
}

}  // namespace cronce::test
