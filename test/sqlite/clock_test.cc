// The time of a store without a clock, with nodes whose clocks differ.
#include <gtest/gtest.h>

#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

/// A process on the host: its own store, and a wall clock that may be wrong.
struct Process {
  Process(const std::string& path, Duration wrong, std::uint64_t seed)
      : clock(kStart + wrong, 100s),
        rng(seed),
        store(*SqliteStore::open_file({.path = path}, clock, rng)),
        client(*store, rng, clock) {}

  /// How far the time that it is told is from the right one, and whether it may go by it.
  std::pair<Duration, bool> told() {
    const auto answer = client.beat();
    return {answer->store_time - (kStart + (clock.boot() - 100s)), answer->disputed};
  }

  ManualClock clock;
  Rng rng;
  std::unique_ptr<SqliteStore> store;
  Client client;
};

using Told = std::pair<Duration, bool>;
constexpr bool kDisputed = true;

class ClockTest : public ::testing::Test {
 protected:
  Scratch folder_;
  std::string path_ = folder_.file("store");
};

TEST_F(ClockTest, of_one_node_is_its_own) {
  Process a(path_, 0s, 1);
  EXPECT_EQ(a.told(), Told(0s, false));
  a.clock.advance(1h);
  EXPECT_EQ(a.told(), Told(0s, false));
}

TEST_F(ClockTest, of_three_is_that_of_two_whatever_the_third_says) {
  Process a(path_, 0s, 1), b(path_, 0s, 2), wrong(path_, 1h, 3);
  for (Process* process : {&a, &b}) process->told();
  EXPECT_EQ(wrong.told(), Told(0s, kDisputed));
  EXPECT_EQ(a.told(), Told(0s, false));
  EXPECT_EQ(b.told(), Told(0s, false));
  wrong.clock.set(kStart);
  EXPECT_EQ(wrong.told(), Told(0s, false));
}

TEST_F(ClockTest, of_two_that_disagree_lets_nobody_decide_until_a_person_names_one) {
  Process a(path_, 0s, 1), b(path_, 1h, 2);
  a.told();
  b.told();
  EXPECT_TRUE(a.told().second);
  EXPECT_TRUE(b.told().second);
  Process person(path_, 1h, 3);  // whose clock is right, as b's is
  ASSERT_TRUE(person.store->control(person.client.next(), AcceptClock{}));
  EXPECT_EQ(b.told(), Told(1h, false));
  EXPECT_EQ(a.told(), Told(1h, kDisputed));
  a.clock.set(kStart + 1h);
  EXPECT_EQ(a.told(), Told(1h, false));
}

TEST_F(ClockTest, is_not_asked_of_those_who_are_gone) {
  Process a(path_, 0s, 1), b(path_, 1h, 2);
  a.told();
  b.told();
  ASSERT_TRUE(b.told().second);
  const auto gone = a.client.self();
  const std::vector<SweepEntry> sweep{{gone.incarnation, gone.beat}};
  ASSERT_TRUE(b.store->sweep(b.client.next(), sweep)->answer.at(0).ended);
  EXPECT_EQ(b.told(), Told(1h, false));
}

/// Not even who was told that it may, before the other came.
TEST_F(ClockTest, lets_nobody_decide_while_two_disagree) {
  Process a(path_, 0s, 1);
  a.told();
  ASSERT_TRUE(a.client.enroll(kStart, {"x"}));
  const auto rows = a.store->jobs().value();
  a.clock.advance(1h);
  Process b(path_, 3h, 2);
  b.told();
  const auto answer = a.client.decide(rows, a.clock.wall())->answer.entries.at(0);
  EXPECT_EQ(answer.refused, Refused::future);
  b.clock.set(kStart);
  b.told();
  EXPECT_EQ(a.client.decide(rows, a.clock.wall())->answer.entries.at(0).refused, Refused::none);
}

/// What is judged by the store is judged by that time, not by the asker's.
TEST_F(ClockTest, keeps_a_node_that_is_ahead_from_running_what_is_not_due) {
  Process a(path_, 0s, 1), b(path_, 0s, 2), ahead(path_, 1h, 3);
  for (Process* process : {&a, &b, &ahead}) process->told();
  ASSERT_TRUE(a.client.enroll(kStart, {"x"}));
  const auto rows = ahead.store->jobs().value();
  const auto answer = ahead.client.decide(rows, ahead.clock.wall())->answer.entries.at(0);
  EXPECT_EQ(answer.refused, Refused::future);
}

/// A process without a beat is no witness; one whose clock is not that of the nodes claims nothing.
TEST_F(ClockTest, of_a_caller_must_be_that_of_the_nodes) {
  Process a(path_, 0s, 1), b(path_, 0s, 2), ahead(path_, 10s, 3), behind(path_, -10s, 4),
      right(path_, 0s, 5);
  for (Process* process : {&a, &b}) process->told();
  const auto exec = [](Process& caller) {
    Node self = caller.client.self();
    self.beat = Beat{1};
    const ExecSlot ask{self, job_every_ten_seconds("x"), kStart - 10s, caller.clock.wall(), 30s};
    return caller.store->control(caller.client.next(), ask)->answer.refused;
  };
  EXPECT_EQ(exec(ahead), Refused::clock);
  EXPECT_EQ(exec(behind), Refused::clock);
  EXPECT_EQ(exec(right), Refused::none);
}

}  // namespace
}  // namespace cronce
