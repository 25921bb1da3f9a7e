// The end of the lease: whatever becomes of the node, its runs are gone by the deadline.
#include <fcntl.h>
#include <signal.h>

#include <gtest/gtest.h>

#include "keeper/leftovers.h"
#include "keeper/spool.h"
#include "test/keeper/node.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

constexpr Duration kTrust{1'500};  // long enough to begin, on a busy machine too
constexpr Duration kLeaseStop{200};

class Lease : public testing::TestWithParam<bool> {
 protected:
  /// A node that has two runs and trust for a while, and then is frozen or killed.
  void run_node(int signal) {
    node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings&) {
      keeper.trust_until({deadline(), incarnation(), Time{}});
      keeper.start(order(1, {actor(), "double-fork", first_.path()}));
      keeper.start(order(2, {actor(), "double-fork", second_.path()}));
    });
    ASSERT_TRUE(first_.sees_life() && second_.sees_life());
    node_.send(signal);
  }

  /// By the first who asks.
  Duration deadline() {
    if (deadline_ == Duration{}) deadline_ = read_steady(node_.settings.clock) + kTrust;
    return deadline_;
  }

  void expect_end_in_time() {
    EXPECT_TRUE(first_.sees_end() && second_.sees_end());
    const Duration late = read_steady(node_.settings.clock) - deadline();
    EXPECT_GT(late, kLeaseStop);                    // TERM, lease_stop, KILL
    EXPECT_LT(late, kLeaseStop + Duration{1'000});  // and gone within a second
  }

  Spool::Kept spooled() {
    return Spool(node_.settings.spool_folder()).read_all(store(), "test").value();
  }

  NodeProcess node_;
  Witness first_{node_.folder.path() + "/first"};
  Witness second_{node_.folder.path() + "/second"};

 private:
  Duration deadline_{};
};
INSTANTIATE_TEST_SUITE_P(Keeper, Lease, testing::Bool(), mode_name);

TEST_P(Lease, of_a_killed_node_ends_at_the_deadline) {
  deadline();
  run_node(SIGKILL);
  EXPECT_TRUE(first_.sees_life() && second_.sees_life());
  expect_end_in_time();
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  for (const FinishEntry& end : spooled().ends) {
    EXPECT_EQ(end.state, RunState::failed);
    EXPECT_EQ(end.reason, Reason::signal);
    EXPECT_EQ(end.incarnation, incarnation());
    EXPECT_EQ(end.output_tail, "cronce: stopped: the lease was lost\n");
    EXPECT_TRUE(end.started_at && end.finished_at);
  }
  EXPECT_TRUE(node_.keeper_ends());
  // Others see that it is over, and need not wait for the rest of the lease.
  const Cleared cleared = clear_leftovers(node_.settings.lock_folder(), Duration{5'000});
  EXPECT_EQ(cleared.gone, std::vector{incarnation()});
}

TEST_P(Lease, of_a_frozen_node_ends_at_the_deadline) {
  deadline();
  run_node(SIGSTOP);
  expect_end_in_time();
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  node_.send(SIGKILL);
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, that_ended_while_all_slept_means_kill_at_once) {
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + kTrust, incarnation(), Time{}});
    keeper.start(order(1, {"/bin/sh", "-c",
                           "trap 'echo warned' TERM; exec 5>" + first_.path() +
                               "; printf x >&5; while :; do sleep 0.01; done"}));
  });
  ASSERT_TRUE(first_.sees_begin());
  const pid_t keeper = node_.keeper();
  kill(keeper, SIGSTOP);
  const Duration over = read_steady(Steady::boottime) + kTrust + kLeaseStop;
  ASSERT_TRUE(wait_until([&] { return read_steady(Steady::boottime) > over; }));
  kill(keeper, SIGCONT);
  EXPECT_TRUE(first_.sees_end());
  // Not TERM first: that time is over as well.
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 1; }));
  EXPECT_EQ(spooled().ends[0].output_tail.find("warned"), std::string::npos);
  node_.send(SIGKILL);
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, does_not_end_what_shall_go_on) {
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + kTrust, incarnation(), Time{}});
    Start start = order(1, {"/bin/sh", "-c", "exec 5>" + first_.path() + "; sleep 1; echo done"});
    start.on_lease_loss = OnLeaseLoss::carry_on;
    keeper.start(start);
    keeper.start(order(2, {actor(), "stay", second_.path()}));
  });
  ASSERT_TRUE(second_.sees_life());
  node_.send(SIGKILL);
  EXPECT_TRUE(second_.sees_end());
  EXPECT_TRUE(first_.sees_end());
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  const Spool::Kept kept = spooled();
  const bool first = kept.ends[0].run == run(1);
  EXPECT_EQ(kept.ends[first ? 0 : 1].state, RunState::succeeded);
  EXPECT_EQ(kept.ends[first ? 0 : 1].output_tail, "done\n");
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, that_the_node_extends_goes_on) {
  const Duration extended = deadline() + kTrust;
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings&) {
    keeper.trust_until({deadline(), incarnation(), Time{}});
    keeper.start(order(1, {actor(), "stay", first_.path()}));
    keeper.trust_until({extended, incarnation(), Time{}});
  });
  ASSERT_TRUE(first_.sees_life());
  node_.send(SIGKILL);
  EXPECT_TRUE(first_.sees_end());
  EXPECT_GT(read_steady(node_.settings.clock), extended + kLeaseStop);
  EXPECT_TRUE(node_.keeper_ends());
}

/// The processes of the runs themselves know when it is over.
TEST_P(Lease, of_a_frozen_node_and_a_frozen_keeper_ends_too) {
  run_node(SIGSTOP);
  const pid_t keeper = node_.keeper();
  kill(keeper, SIGSTOP);
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  ASSERT_EQ(state_of(keeper), 'T');
  kill(keeper, SIGCONT);
  EXPECT_TRUE(wait_until([&] { return spooled().ends.size() == 2; }));
  for (const FinishEntry& end : spooled().ends) EXPECT_EQ(end.state, RunState::failed);
  node_.send(SIGKILL);
  EXPECT_TRUE(node_.keeper_ends());
}

TEST_P(Lease, on_the_clock_that_sleeps_with_the_machine_ends_as_well) {
  node_.settings.clock = Steady::monotonic;
  run_node(SIGKILL);
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  EXPECT_TRUE(node_.keeper_ends());
  EXPECT_EQ(spooled().ends.size(), 2U);
}

TEST_P(Lease, of_another_node_on_this_machine_is_its_own) {
  World other(GetParam(), [&](KeeperSettings& settings) { settings.state = node_.settings.state; });
  const Incarnation incarnation_of_other{{5, 5}};
  other.keeper.trust_until(
      {read_steady(other.settings.clock) + std::chrono::minutes{5}, incarnation_of_other, Time{}});
  Witness third(node_.folder.path() + "/third");
  Start start = order(3, {actor(), "double-fork", third.path()});
  start.incarnation = incarnation_of_other;
  other.keeper.start(start);
  run_node(SIGKILL);
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  EXPECT_TRUE(node_.keeper_ends());
  EXPECT_TRUE(third.sees_life());
  EXPECT_EQ(other.events.ends(3), 0U);
}

TEST_P(Lease, is_no_reason_for_a_command_to_wait_for_a_frozen_node) {
  node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until(
        {read_steady(settings.clock) + std::chrono::minutes{1}, incarnation(), Time{}});
    Start start = order(1, {"/bin/sh", "-c",
                            "exec 5>" + first_.path() + "; printf x >&5; read x <" +
                                second_.path() + "; head -c 20000000 /dev/zero; echo end"});
    start.keep_bytes = 4;
    keeper.start(start);
  });
  ASSERT_TRUE(first_.sees_begin());
  node_.send(SIGSTOP);
  const Descriptor go(open(second_.path().c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(write(go.get(), "x\n", 2), 2);
  ASSERT_TRUE(wait_until([&] { return spooled().ends.size() == 1; }));
  EXPECT_EQ(spooled().ends[0].state, RunState::succeeded);
  EXPECT_EQ(spooled().ends[0].output_tail, "[20000000 bytes left out]\nend\n");
  node_.send(SIGKILL);
  EXPECT_TRUE(node_.keeper_ends());
}

}  // namespace
}  // namespace cronce::test
