// What a command finds when it starts, and what becomes of what it says.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "keeper/prepare.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

class Command : public testing::TestWithParam<bool> {
 protected:
  FinishEntry end_of(const Start& start) {
    world_.keeper.start(start);
    const auto number = static_cast<int>(start.key.fence.value);
    return world_.events.end(number);
  }
  FinishEntry shell(const std::string& line) {
    return end_of(order(++number_, {"/bin/sh", "-c", line}));
  }
  Start shell_order(const std::string& line) { return order(++number_, {"/bin/sh", "-c", line}); }

  World world_{GetParam()};
  int number_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Keeper, Command, testing::Bool(), mode_name);

TEST_P(Command, ends_as_it_exits) {
  const FinishEntry good = shell("exit 0");
  EXPECT_EQ(good.state, RunState::succeeded);
  EXPECT_EQ(good.reason, Reason::none);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.fence, Fence{1});
  EXPECT_EQ(good.incarnation, incarnation());
  ASSERT_TRUE(good.started_at && good.finished_at);
  EXPECT_LE(*good.started_at, *good.finished_at);

  const FinishEntry bad = shell("exit 3");
  EXPECT_EQ(bad.state, RunState::failed);
  EXPECT_EQ(bad.reason, Reason::exit);
  EXPECT_EQ(bad.exit_code, 3);

  const FinishEntry killed = shell("kill -USR1 $$");
  EXPECT_EQ(killed.state, RunState::failed);
  EXPECT_EQ(killed.reason, Reason::signal);
  EXPECT_EQ(killed.exit_code, 128 + SIGUSR1);
}

TEST_P(Command, has_its_output_kept_in_order) {
  EXPECT_EQ(shell("echo one; echo two >&2; printf three").output_tail, "one\ntwo\nthree");
  EXPECT_EQ(shell("true").output_tail, "");
}

TEST_P(Command, has_the_end_of_long_output_kept) {
  Start start = shell_order("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done");
  start.keep_bytes = 20;
  EXPECT_EQ(end_of(start).output_tail, "[28870 bytes left out]\nline 2998\nline 2999\n");
}

TEST_P(Command, may_leave_its_output_to_a_process_outside_of_its_tree) {
  // The pipe stays open in the test itself: the run ends all the same.
  Start start = shell_order("readlink /proc/$$/fd/1; echo $$; exec sleep 0.05");
  world_.keeper.start(start);
  const Started* started = world_.events.started(number_);
  ASSERT_NE(started, nullptr);
  const Descriptor held(
      open(("/proc/" + std::to_string(started->pid) + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(world_.events.end(number_).state, RunState::succeeded);
}

TEST_P(Command, reads_its_input_and_nothing_else) {
  EXPECT_EQ(shell("cat").output_tail, "");
  Start start = shell_order("cat; cat");
  start.input = std::string(200'000, 'x') + "end";
  start.keep_bytes = 4;
  EXPECT_EQ(end_of(start).output_tail, "[199999 bytes left out]\nxend");
}

TEST_P(Command, has_exactly_the_environment_of_the_order) {
  Start start = order(++number_, {"/usr/bin/env"});
  start.environment = {"A=1", "B=two words", "C=", "D=x=y"};
  EXPECT_EQ(end_of(start).output_tail, "A=1\nB=two words\nC=\nD=x=y\n");
}

TEST_P(Command, is_found_by_its_own_path) {
  Start start = order(++number_, {"mine"});
  std::ofstream(world_.folder.path() + "/mine") << "#!/bin/sh\necho mine\n";
  chmod((world_.folder.path() + "/mine").c_str(), 0755);
  start.environment = {"PATH=/nowhere:/etc/passwd:" + world_.folder.path() + ":/bin"};
  EXPECT_EQ(end_of(start).output_tail, "mine\n");
  Start without = order(++number_, {"echo", "found"});
  without.environment = {};
  EXPECT_EQ(end_of(without).output_tail, "found\n");
  Start here = order(++number_, {"mine"});  // an empty name is where the command works
  here.environment = {"PATH="};
  here.cwd = world_.folder.path();
  EXPECT_EQ(end_of(here).output_tail, "mine\n");
}

TEST_P(Command, has_no_descriptor_of_ours) {
  EXPECT_EQ(end_of(order(++number_, {actor(), "fds"})).output_tail, "0\n1\n2\n3\n");
}

TEST_P(Command, has_no_signal_blocked_or_ignored) {
  signal(SIGHUP, SIG_IGN);
  World nohup(GetParam());
  signal(SIGHUP, SIG_DFL);
  nohup.keeper.start(order(1, {actor(), "signals"}));
  EXPECT_EQ(nohup.events.end(1).output_tail,
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_P(Command, leads_a_session_of_its_own) {
  EXPECT_EQ(
      shell("set -- $(cat /proc/$$/stat); [ $1 = $5 ] && [ $1 = $6 ] && echo leads").output_tail,
      "leads\n");
}

TEST_P(Command, works_where_and_how_it_is_told) {
  Start start = shell_order(
      "pwd; umask; nice; ulimit -Sn; ulimit -Hn; ulimit -c; ulimit -t; "
      "ulimit -v; ulimit -u");
  start.cwd = world_.folder.path();
  start.umask = 027;
  start.nice = 3;
  start.limits = {.nofile = 99,
                  .cpu_seconds = 50,
                  .memory_bytes = std::int64_t{1} << 32,
                  .processes = 1'234,
                  .core_bytes = 0};
  // dash has no ulimit -u: bash has.
  start.argv[0] = "/bin/bash";
  const int nice = getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(end_of(start).output_tail, world_.folder.path() + "\n0027\n" +
                                           std::to_string(std::min(nice + 3, 19)) +
                                           "\n99\n99\n0\n50\n4194304\n1234\n");
}

TEST_P(Command, inherits_the_limit_on_open_files_that_the_node_has) {
  rlimit own{};
  getrlimit(RLIMIT_NOFILE, &own);
  const rlimit lower{own.rlim_cur / 2, own.rlim_max};
  setrlimit(RLIMIT_NOFILE, &lower);
  {
    World world(GetParam());
    world.keeper.start(order(1, {"/bin/sh", "-c", "ulimit -Sn; ulimit -Hn"}));
    EXPECT_EQ(world.events.end(1).output_tail,
              std::to_string(lower.rlim_cur) + "\n" + std::to_string(lower.rlim_max) + "\n");
  }
  setrlimit(RLIMIT_NOFILE, &own);
}

TEST_P(Command, runs_as_its_user_with_all_groups) {
  Start start = shell_order("id -u; id -g; id -G; touch /etc/cronce-test 2>/dev/null || echo no");
  start.user = User{"somebody", 65'534, 65'533, {65'533, 20, 100}, "/", "/bin/sh"};
  EXPECT_EQ(end_of(start).output_tail, "65534\n65533\n65533 20 100\nno\n");
}

TEST_P(Command, of_another_user_may_open_its_output_and_its_input_by_name) {
  Start start = shell_order(
      "cat /dev/stdin; echo out >/dev/stdout; echo err >/dev/stderr; echo progress 40 >/dev/fd/3");
  start.user = User{"somebody", 65'534, 65'533, {65'533}, "/", "/bin/sh"};
  start.input = "in\n";
  const FinishEntry end = end_of(start);
  EXPECT_EQ(end.output_tail, "in\nout\nerr\n");
  EXPECT_EQ(end.progress, "40");
}

TEST_P(Command, of_a_job_runs_as_the_job_says) {
  Job job{.name = parse_job_name("billing").value(),
          .command = ShellCommand{"pwd; cat; env | sort", "/bin/sh", "line\n"}};
  job.env_base = EnvBase::cron;
  job.env = std::map<std::string, std::string>{{"MODE", "prod"}};
  Claim claim;
  claim.run = run(++number_);
  claim.fence = {static_cast<std::uint64_t>(number_)};
  claim.incarnation = incarnation();
  const User user{"me", 0, 0, {0}, world_.folder.path(), "/bin/sh"};
  const Start start = prepare(claim, job, {store(), {"test", "a", "local", {}, {}}, {}, ""}, user);
  const std::string said = end_of(start).output_tail;
  EXPECT_TRUE(said.starts_with(world_.folder.path() + "\nline\nCRONCE_ATTEMPT=1\n")) << said;
  EXPECT_TRUE(said.ends_with("\nHOME=" + world_.folder.path() +
                             "\nLOGNAME=me\nMODE=prod\nPATH=/usr/bin:/bin\nPWD=" +
                             world_.folder.path() + "\nSHELL=/bin/sh\n"))
      << said;
}

TEST_P(Command, that_cannot_start_says_why) {
  const std::string plain = world_.folder.path() + "/plain";
  const std::string lost = world_.folder.path() + "/lost";
  std::ofstream(plain) << "text";
  std::ofstream(lost) << "#!/no/such/interpreter\n";
  chmod(lost.c_str(), 0755);
  const auto changed = [&](std::vector<std::string> argv, auto change) {
    Start start = order(++number_, std::move(argv));
    change(start);
    const FinishEntry end = end_of(start);
    EXPECT_EQ(end.state, RunState::failed);
    EXPECT_EQ(end.reason, Reason::spawn);
    EXPECT_FALSE(end.started_at);
    EXPECT_TRUE(end.finished_at);
    return std::make_pair(end.output_tail, end.exit_code.value_or(0));
  };
  const auto plainly = [&](std::vector<std::string> argv) {
    return changed(std::move(argv), [](Start&) {});
  };
  using Said = std::pair<std::string, std::int64_t>;
  EXPECT_EQ(
      plainly({"nosuch"}),
      Said("cronce: command not found: 'nosuch' is in no folder of PATH '/usr/bin:/bin'\n", 127));
  EXPECT_EQ(plainly({"/no/such"}), Said("cronce: command not found: '/no/such'\n", 127));
  EXPECT_EQ(plainly({plain}).second, 126);
  EXPECT_NE(plainly({plain}).first.find("not executable"), std::string::npos);
  EXPECT_NE(plainly({lost}).first.find("interpreter"), std::string::npos);
  chmod(plain.c_str(), 0755);
  EXPECT_NE(plainly({plain}).first.find("begins with #!"), std::string::npos);
  EXPECT_EQ(plainly({}).first, "cronce: the command is empty\n");
  EXPECT_EQ(changed({"true"}, [](Start& start) { start.cwd = "/no/such"; }),
            Said("cronce: cannot work in '/no/such': No such file or directory\n", 0));
  EXPECT_EQ(changed({"true"}, [](Start& start) { start.refusal = "no such user: 'x'"; }),
            Said("cronce: no such user: 'x'\n", 0));
  EXPECT_EQ(
      changed({"true"}, [](Start& start) { start.limits.nofile = std::int64_t{1} << 40; }),
      Said("cronce: cannot set the limit nofile to 1099511627776: Operation not permitted: it "
           "is above the hard limit of this node\n",
           0));
  EXPECT_NE(changed({"true"},
                    [](Start& start) { start.environment.emplace_back(std::size_t{1} << 21, 'x'); })
                .first.find("Argument list too long"),
            std::string::npos);
}

TEST_P(Command, tells_its_progress) {
  const FinishEntry end = shell(
      "echo progress 40 copying >&3; echo noise >&3; sleep 0.05; "
      "echo progress 90 >&3; printf 'progress 95' >&3");
  EXPECT_EQ(end.progress, "90");
  ASSERT_FALSE(world_.events.progress.empty());
  EXPECT_EQ(world_.events.progress.front().text, "40 copying");
}

TEST_P(Command, has_all_of_its_output_in_a_log_that_is_rotated) {
  World world(GetParam(), [](KeeperSettings& settings) { settings.log_limit_bytes = 100'000; });
  Start start = order(1, {"/bin/sh", "-c", "seq 1 40000"});
  start.log_path = world.folder.path() + "/logs/job/1.log";
  world.keeper.start(start);
  EXPECT_EQ(world.events.end(1).state, RunState::succeeded);
  const auto text = [](const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  };
  EXPECT_TRUE(wait_until([&] { return text(start.log_path).ends_with("\n40000\n"); }));
  const std::string whole = text(start.log_path + ".1") + text(start.log_path);
  EXPECT_GT(whole.size(), 100'000U);
  EXPECT_LE(whole.size(), 200'000U);
  EXPECT_NE(whole.find("\n39000\n"), std::string::npos);
}

TEST_P(Command, that_writes_much_is_neither_stopped_nor_cut) {
  Start start = shell_order("head -c 50000000 /dev/zero; echo end");
  start.keep_bytes = 4;
  start.log_path = world_.folder.path() + "/big.log";
  const FinishEntry end = end_of(start);
  EXPECT_EQ(end.state, RunState::succeeded);
  EXPECT_EQ(end.output_tail, "[50000000 bytes left out]\nend\n");
}

}  // namespace
}  // namespace cronce::test
