// What happens when one of our own processes dies.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "keeper/folder.h"
#include "keeper/leftovers.h"
#include "keeper/spool.h"
#include "test/keeper/node.h"
#include "test/keeper/world.h"

namespace cronce::test {
namespace {

class Death : public testing::TestWithParam<bool> {
 protected:
  Scratch folder_;
  Witness first_{folder_.path() + "/first"};
  Witness second_{folder_.path() + "/second"};
};
INSTANTIATE_TEST_SUITE_P(Keeper, Death, testing::Bool(), mode_name);

TEST_P(Death, of_the_keeper_ends_its_runs_as_lost_and_another_serves) {
  World world(GetParam());
  world.keeper.start(order(1, {actor(), "double-fork", first_.path()}));
  world.keeper.start(order(2, {actor(), "double-fork", second_.path()}));
  ASSERT_TRUE(first_.sees_life() && second_.sees_life());
  const pid_t before = world.keeper.pid();
  kill(before, SIGKILL);
  for (const int number : {1, 2}) {
    const FinishEntry end = world.events.end(number);
    EXPECT_EQ(end.state, RunState::lost);
    EXPECT_EQ(end.reason, Reason::keeper);
    EXPECT_EQ(end.fence, Fence{static_cast<std::uint64_t>(number)});
    EXPECT_EQ(end.incarnation, incarnation());
    EXPECT_TRUE(end.finished_at);
  }
  // They were gone before that was said.
  EXPECT_TRUE(first_.sees_end() && second_.sees_end());
  ASSERT_TRUE(world.events.wait([&] { return world.events.replaced == 1; }));
  world.keeper.start(order(3, {"true"}));  // in the trust that it was given before
  EXPECT_EQ(world.events.end(3).state, RunState::succeeded);
  EXPECT_NE(world.keeper.pid(), before);
  EXPECT_EQ(world.events.finished.size(), 3U);
}

TEST_P(Death, of_the_keeper_does_not_end_twice_what_has_ended) {
  World world(GetParam());
  world.events.stores = false;
  world.keeper.start(order(1, {"true"}));
  ASSERT_NE(world.events.started(1), nullptr);
  // The end is on its way; whether it is read before the keeper's death or after: it is the end.
  const Spool spool(world.settings.spool_folder());
  ASSERT_TRUE(wait_until([&] { return spool.read_all(store(), "test").value().ends.size() == 1; }));
  kill(world.keeper.pid(), SIGKILL);
  ASSERT_TRUE(world.events.wait([&] { return world.events.replaced == 1; }));
  EXPECT_EQ(world.events.ends(1), 1U);
  EXPECT_EQ(world.events.end(1).state, RunState::succeeded);
  world.keeper.end_stored(key(1));  // the new keeper knows nothing of it, and removes it
  EXPECT_TRUE(wait_until([&] { return spool.read_all(store(), "test").value().ends.empty(); }));
}

TEST_P(Death, of_a_sub_keeper_ends_its_run_and_no_other) {
  World world(GetParam());
  world.keeper.start(order(1, {actor(), "double-fork", first_.path()}));
  const Started* started = world.events.started(1);
  ASSERT_NE(started, nullptr);
  world.keeper.start(order(2, {actor(), "double-fork", second_.path()}));
  ASSERT_TRUE(first_.sees_life() && second_.sees_life());
  kill(parent_of(static_cast<pid_t>(started->pid)), SIGKILL);
  const FinishEntry end = world.events.end(1);
  EXPECT_EQ(end.state, RunState::lost);
  EXPECT_EQ(end.reason, Reason::keeper);
  EXPECT_TRUE(first_.sees_end());
  EXPECT_TRUE(second_.sees_life());
  EXPECT_EQ(world.events.replaced, 0);
}

TEST_P(Death, or_sleep_of_a_sub_keeper_does_not_save_its_run) {
  World world(GetParam());
  world.keeper.start(order(1, {actor(), "double-fork", first_.path()}));
  const Started* started = world.events.started(1);
  ASSERT_NE(started, nullptr);
  ASSERT_TRUE(first_.sees_life());
  kill(parent_of(static_cast<pid_t>(started->pid)), SIGSTOP);
  world.keeper.stop(run(1), Reason::by_operator);
  EXPECT_EQ(world.events.end(1).state, RunState::cancelled);
  EXPECT_TRUE(first_.sees_end());
}

TEST_P(Death, of_the_scribe_costs_no_end) {
  NodeProcess node;
  node.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + Duration{2'000}, incarnation(), Time{}});
    keeper.start(order(1, {actor(), "stay", first_.path()}));
  });
  ASSERT_TRUE(first_.sees_life());
  std::vector<pid_t> scribes;
  ASSERT_TRUE(wait_until([&] {
    scribes = below(node.ancestor(), "cronce-scribe");
    return scribes.size() == 1;
  }));
  kill(scribes[0], SIGKILL);
  node.send(SIGKILL);
  EXPECT_TRUE(first_.sees_end());
  EXPECT_TRUE(node.keeper_ends());
  const Spool spool(node.settings.spool_folder());
  EXPECT_EQ(spool.read_all(store(), "test").value().ends.size(), 1U);
}

TEST_P(Death, of_node_and_keeper_together_leaves_nothing) {
  NodeProcess node;
  node.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
    keeper.trust_until({read_steady(settings.clock) + Duration{60'000}, incarnation(), Time{}});
    keeper.start(order(1, {actor(), "double-fork", first_.path()}));
  });
  ASSERT_TRUE(first_.sees_life());
  node.send(SIGKILL);
  kill(node.keeper(), SIGKILL);
  EXPECT_TRUE(first_.sees_end());
}

TEST_P(Death, of_the_ancestor_alone_changes_nothing_and_with_the_keeper_ends_everything) {
  World world(GetParam());
  world.keeper.start(order(1, {actor(), "double-fork", first_.path()}));
  ASSERT_TRUE(first_.sees_life());
  kill(parent_of(world.keeper.pid()), SIGKILL);
  ASSERT_TRUE(world.events.wait([&] { return !world.events.remarks.empty(); }));
  world.keeper.start(order(2, {"true"}));
  EXPECT_EQ(world.events.end(2).state, RunState::succeeded);
  kill(world.keeper.pid(), SIGKILL);
  EXPECT_EQ(world.events.end(1).state, RunState::lost);
  EXPECT_TRUE(first_.sees_end());
  ASSERT_TRUE(world.events.wait([&] { return world.events.gone.has_value(); }));
  EXPECT_NE(world.events.gone->reason, "");
}

TEST_P(Death, of_keeper_and_ancestor_ends_what_no_keeper_was_told) {
  World world(GetParam());
  const pid_t keeper = world.keeper.pid();
  const pid_t ancestor = parent_of(keeper);
  kill(ancestor, SIGSTOP);
  kill(keeper, SIGKILL);
  pollfd its_end{world.keeper.fd(), POLLIN, 0};
  ASSERT_EQ(poll(&its_end, 1, patience_ms()), 1);
  world.events.read();
  world.keeper.start(order(1, {"true"}));
  kill(ancestor, SIGKILL);
  ASSERT_TRUE(world.events.wait([&] { return world.events.gone.has_value(); }));
  EXPECT_EQ(world.events.ends(1), 1U);
  EXPECT_EQ(world.events.end(1).reason, Reason::spawn);
  world.keeper.start(order(2, {"true"}));  // whoever does not know it yet
  world.events.read();
  ASSERT_EQ(world.events.ends(2), 1U);
  EXPECT_EQ(world.events.end(2).reason, Reason::spawn);
}

// ---- leftovers ---------------------------------------------------------------------------------

class Leftovers : public Death {
 protected:
  /// Leaves a process with the environment of the run; the command itself dies with us.
  std::vector<std::string> leaves_one() const {
    return {"/bin/sh", "-c", "setsid " + actor() + " stay " + first_.path() + " & wait"};
  }

  /// Everything that could clean up is killed at once; what the job left behind lives.
  void kill_everybody(const std::vector<std::string>& argv) {
    node_.start(GetParam(), [&](Keeper& keeper, const KeeperSettings& settings) {
      keeper.trust_until({read_steady(settings.clock) + Duration{60'000}, incarnation(), Time{}});
      keeper.start(order(1, argv));
      for (bool started = false; !started;) {
        for (const KeeperEvent& event : keeper.read()) {
          started = started || std::holds_alternative<Started>(event);
        }
      }
    });
    ASSERT_TRUE(first_.sees_life());
    const pid_t ancestor = node_.ancestor();
    std::vector<pid_t> ours = below(ancestor, "cronce-run");
    ours.insert(ours.end(), {ancestor, node_.keeper(), node_.pid()});
    for (const pid_t pid : ours) kill(pid, SIGSTOP);
    for (const pid_t pid : ours) kill(pid, SIGKILL);
    ASSERT_TRUE(wait_until([&] { return !is_alive(node_.keeper()) && !is_alive(ancestor); }));
    // A process that dies lets go of its lock a little later than it looks dead.
    ASSERT_TRUE(
        wait_until([&] { return keeper_life(lock_folder(), incarnation()) == KeeperLife::gone; }));
  }

  std::string lock_folder() const { return node_.settings.lock_folder(); }

  NodeProcess node_;
};
INSTANTIATE_TEST_SUITE_P(Keeper, Leftovers, testing::Bool(), mode_name);

TEST_P(Leftovers, are_killed_by_the_next_node) {
  kill_everybody(leaves_one());
  ASSERT_TRUE(first_.sees_life());  // otherwise there is nothing to be shown
  const Cleared cleared = clear_leftovers(lock_folder(), Duration{5'000});
  EXPECT_TRUE(cleared.troubles.empty());
  ASSERT_EQ(cleared.gone.size(), 1U);
  EXPECT_EQ(cleared.gone[0], incarnation());
  EXPECT_TRUE(first_.sees_end());
  EXPECT_EQ(keeper_life(lock_folder(), incarnation()), KeeperLife::unknown);
  EXPECT_TRUE(clear_leftovers(lock_folder(), Duration{5'000}).gone.empty());
}

class GroupLeftovers : public Leftovers {};
INSTANTIATE_TEST_SUITE_P(Keeper, GroupLeftovers, testing::Values(true), mode_name);

/// Without an environment: only their group tells whose they are.
TEST_P(GroupLeftovers, that_hide_are_killed_too) {
  kill_everybody({actor(), "double-fork", first_.path()});
  ASSERT_TRUE(first_.sees_life());
  const std::string record = read_file(lock_folder() + "/" + print(incarnation())).value();
  const Cleared cleared = clear_leftovers(lock_folder(), Duration{5'000});
  EXPECT_EQ(cleared.gone, std::vector{incarnation()});
  const bool has_groups = record.starts_with("cgroup ");  // otherwise nobody could find them
  EXPECT_TRUE(!has_groups || first_.sees_end());
}

TEST_P(Leftovers, of_the_living_are_left_alone) {
  World world(GetParam());
  world.keeper.start(order(1, {actor(), "stay", second_.path()}));
  ASSERT_TRUE(second_.sees_life());
  const std::string locks = world.settings.lock_folder();
  EXPECT_EQ(keeper_life(locks, incarnation()), KeeperLife::alive);
  EXPECT_EQ(keeper_life(locks, Incarnation{{1, 1}}), KeeperLife::unknown);
  const Cleared cleared = clear_leftovers(locks, Duration{5'000});
  EXPECT_TRUE(cleared.gone.empty() && cleared.troubles.empty());
  EXPECT_TRUE(second_.sees_life());
}

/// Between two keepers nobody must take the incarnation for dead.
TEST_P(Leftovers, of_a_node_whose_keeper_died_are_its_own) {
  World world(GetParam());
  const std::string locks = world.settings.lock_folder();
  const pid_t ancestor = parent_of(world.keeper.pid());
  kill(ancestor, SIGSTOP);
  kill(world.keeper.pid(), SIGKILL);
  ASSERT_TRUE(wait_until([&] { return below(ancestor, "cronce-run").empty(); }));
  EXPECT_TRUE(clear_leftovers(locks, Duration{5'000}).gone.empty());
  EXPECT_EQ(keeper_life(locks, incarnation()), KeeperLife::alive);
  kill(ancestor, SIGCONT);
  ASSERT_TRUE(world.events.wait([&] { return world.events.replaced == 1; }));
  world.keeper.start(order(1, {"true"}));
  EXPECT_EQ(world.events.end(1).state, RunState::succeeded);
  EXPECT_EQ(keeper_life(locks, incarnation()), KeeperLife::alive);
}

TEST_P(Leftovers, do_not_exist_after_leaving_in_order) {
  std::string locks;
  {
    World world(GetParam());
    locks = world.settings.lock_folder();
    world.keeper.start(order(1, {"true"}));
    world.events.end(1);
    EXPECT_EQ(keeper_life(locks, incarnation()), KeeperLife::alive);
    world.keeper.leave();
    ASSERT_TRUE(world.events.wait([&] { return world.events.gone.has_value(); }));
    EXPECT_EQ(world.events.gone->reason, "");
    EXPECT_EQ(keeper_life(locks, incarnation()), KeeperLife::unknown);
  }
}

}  // namespace
}  // namespace cronce::test
