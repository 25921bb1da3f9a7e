// A node without privileges: as most people try it first.
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65'534;

/// In a process of its own, which is nobody; 0 when all is well, or where it was not.
int as_nobody(const std::function<int()>& deed) {
  incarnation();
  const pid_t pid = fork();
  if (pid == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(101);
    _exit(deed());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

TEST(Unprivileged, node_runs_commands_as_itself_and_ends_them) {
  Scratch folder;
  fs::copy_file(actor(), folder.path() + "/actor");  // where nobody can reach it
  ASSERT_EQ(chown(folder.path().c_str(), kNobody, kNobody), 0);
  Witness witness(folder.path() + "/witness");
  fs::permissions(witness.path(), fs::perms::all);
  KeeperSettings settings;
  settings.state = folder.path() + "/state";
  const int wrong = as_nobody([&] {
    auto keeper = Keeper::start_process(settings);
    if (!keeper) return 1;
    keeper->trust_until(
        {read_steady(settings.clock) + std::chrono::minutes{1}, incarnation(), Time{}});
    Listener events(*keeper);
    const User self{"nobody", kNobody, kNobody, {kNobody}, "/", "/bin/sh"};
    Start own = order(1, {"/bin/sh", "-c", "id -u"});
    own.user = self;
    keeper->start(own);
    if (events.end(1).output_tail != "65534\n") return 2;
    Start other = order(2, {"true"});
    other.user = User{"daemon", 1, 1, {1}, "/", "/bin/sh"};
    keeper->start(other);
    const std::string refused = "cronce: cannot become user 'daemon': Operation not permitted\n";
    if (events.end(2).output_tail != refused || events.end(2).reason != Reason::spawn) return 3;
    keeper->start(order(3, {folder.path() + "/actor", "double-fork", witness.path()}));
    if (events.started(3) == nullptr || !witness.sees_life()) return 4;
    keeper->stop(run(3), Reason::by_operator);
    if (events.end(3).state != RunState::cancelled || !witness.sees_end()) return 5;
    // Groups that it may not make are a remark, and no reason not to serve.
    if (keeper->cgroup().empty() == events.remarks.empty()) return 6;
    keeper->leave();
    return events.wait([&] { return events.gone.has_value(); }) ? 0 : 7;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cronce::test
