#include "keeper/prepare.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "keeper/call.h"
#include "test/support/times.h"

namespace cronce {
namespace {

Job a_job() {
  return {.name = parse_job_name("billing").value(), .command = ArgvCommand{{"a", "b"}}};
}

Claim a_claim() {
  Claim claim;
  claim.run = {{7}, Space::slot, utc("2026-03-29T01:30:00Z"), "", {1}};
  claim.fence = {5};
  claim.incarnation = {{1, 2}};
  return claim;
}

Start prepared(const Job& job, const Result<User>& user = User{"me", 1, 2, {2}, "/home/me", "sh"}) {
  return prepare(a_claim(), job, {{{3, 4}}, {"prod", "a", "", {}, {}}, {"X=1"}, "/log"}, user);
}

TEST(Prepare, carries_over_what_the_job_says) {
  Job full = a_job();
  full.cwd = "/srv";
  full.umask = 022;
  full.nice = 5;
  full.limits.edit().nofile = 64;
  full.timeout = Duration{100};
  full.kill_after = Duration{7};
  full.output_keep_bytes = 9;
  full.user = "me";
  const Start start = prepared(full);
  EXPECT_EQ(start.key, (EndKey{{{3, 4}}, "prod", a_claim().run, {5}}));
  EXPECT_EQ(start.label, "billing@2026-03-29T01:30:00Z#1");
  EXPECT_EQ(start.argv, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(start.is_call);
  EXPECT_EQ(start.cwd, "/srv");
  EXPECT_EQ(start.umask, 022);
  EXPECT_EQ(start.nice, 5);
  EXPECT_EQ(start.limits.nofile, 64);
  EXPECT_EQ(start.timeout, Duration{100});
  EXPECT_EQ(start.kill_after, Duration{7});
  EXPECT_EQ(start.keep_bytes, 9);
  EXPECT_EQ(start.log_path, "/log");
  ASSERT_TRUE(start.user);
  EXPECT_EQ(start.user->name, "me");
  EXPECT_EQ(start.refusal, "");
}

TEST(Prepare, makes_a_shell_line_an_argument_of_its_shell) {
  Job line = a_job();
  line.command = ShellCommand{"a | b", "/bin/bash", "in"};
  const Start start = prepared(line);
  EXPECT_EQ(start.argv, (std::vector<std::string>{"/bin/bash", "-c", "a | b"}));
  EXPECT_EQ(start.input, "in");
  EXPECT_FALSE(start.user);  // nobody was named: as the node
  EXPECT_EQ(start.cwd, "");
  line.env_base = EnvBase::cron;
  EXPECT_EQ(prepared(line).cwd, "/home/me");
}

TEST(Prepare, makes_an_http_action_a_command_of_ours) {
  Job mine = a_job();
  mine.command = HttpCall{.url = "https://x/", .headers = {{"Authorization", "secret"}}};
  mine.cwd = "/none";
  mine.umask = 077;
  mine.nice = 5;
  mine.limits.edit().memory_bytes = 1 << 20;
  mine.user = "me";
  mine.env.edit()["https_proxy"] = "http://proxy:3128";
  const Start start = prepared(mine);
  EXPECT_TRUE(start.is_call);
  EXPECT_EQ(start.argv,
            (std::vector<std::string>{"/proc/self/exe", "call", "billing@2026-03-29T01:30:00Z#1"}));
  const auto order = parse_call_order(start.input);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->headers.front().second, "secret");
  for (const std::string& entry : start.environment) EXPECT_EQ(entry.find("secret"), entry.npos);
  EXPECT_EQ(std::count(start.environment.begin(), start.environment.end(),
                       "https_proxy=http://proxy:3128"),
            1);
  ASSERT_TRUE(start.user);
  EXPECT_EQ(start.user->name, "me");
  EXPECT_EQ(start.cwd, "") << "what is for programs of the job must not get in the way of ours";
  EXPECT_FALSE(start.umask);
  EXPECT_EQ(start.nice, 0);
  EXPECT_EQ(start.limits, Limits{});
}

TEST(Prepare, says_that_a_user_does_not_exist) {
  Job mine = a_job();
  mine.user = "no-such-user-here";
  const Start start = prepared(mine, find_user(mine.user));
  EXPECT_EQ(start.refusal, "no such user: 'no-such-user-here'");
  EXPECT_EQ(start.key.fence, Fence{5});
}

TEST(Prepare, kills_at_the_loss_of_the_lease_unless_that_helps_nobody) {
  Job mine = a_job();
  EXPECT_EQ(lease_loss_of(mine), OnLeaseLoss::kill);
  mine.overlap = Overlap::allow;
  EXPECT_EQ(lease_loss_of(mine), OnLeaseLoss::carry_on);
  mine.on_lost = OnLost::rerun;
  EXPECT_EQ(lease_loss_of(mine), OnLeaseLoss::kill);
  mine.on_lost = OnLost::skip;
  mine.on_lease_loss = OnLeaseLoss::kill;
  EXPECT_EQ(lease_loss_of(mine), OnLeaseLoss::kill);
}

TEST(User, is_found_by_name_and_as_oneself) {
  const auto root = find_user("root");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->uid, 0U);
  EXPECT_EQ(root->home, "/root");
  EXPECT_FALSE(root->groups.empty());
  EXPECT_EQ(find_user(own_user().name).value(), own_user());
}

}  // namespace
}  // namespace cronce
