// What becomes of a run that cannot be killed. Linked with a keeper whose KILL has no effect, as if
// its processes were in uninterruptible sleep (CMakeLists.txt).
#include <signal.h>

#include <gtest/gtest.h>

#include "test/keeper/world.h"

namespace cronce::test {
namespace {

TEST(Unkillable, run_stays_open_until_it_has_died) {
  World world(false);
  Witness witness(world.folder.path() + "/witness");
  world.keeper.start(order(1, {actor(), "leave", witness.path()}));
  ASSERT_NE(world.events.started(1), nullptr);
  ASSERT_TRUE(witness.sees_life());
  world.keeper.stop(run(1), Reason::by_operator);
  ASSERT_TRUE(world.events.wait([&] { return !world.events.remarks.empty(); }));
  EXPECT_EQ(world.events.remarks[0], "job@1 does not die: the run stays open until it does");
  EXPECT_TRUE(witness.sees_life());
  EXPECT_EQ(world.events.ends(1), 0U);
  world.keeper.start(order(2, {"true"}));  // others are served as ever
  EXPECT_EQ(world.events.end(2).state, RunState::succeeded);
  const auto left = below(getpid(), "exe");  // as what it was executed
  ASSERT_EQ(left.size(), 1U);
  kill(left[0], SIGKILL);
  EXPECT_EQ(world.events.end(1).state, RunState::cancelled);
}

}  // namespace
}  // namespace cronce::test
