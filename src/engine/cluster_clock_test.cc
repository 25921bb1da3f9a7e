#include "engine/cluster_clock.h"

#include <array>

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const LeaseSettings kLease{seconds(15), seconds(3), seconds(2), seconds(3), 10};
const Time kStart = utc("2026-01-01T12:00:00Z");

/// A beat's answer at a store time, with nodes whose wall clocks show these.
BeatAnswer told(Time store_time, const std::vector<Time>& walls = {}) {
  static std::uint64_t beats = 0;
  BeatAnswer answer;
  answer.store_time = store_time;
  for (const Time wall : walls) {
    Node node;
    node.incarnation.bits[0] = answer.nodes.size();
    node.beat = Beat{++beats};
    node.wall = wall;
    answer.nodes.emplace_back(node);
    answer.self = node.incarnation;  // the last one
    answer.beat = node.beat;
  }
  return answer;
}

TEST(ClusterClockTest, KnowsNothingBeforeTheFirstAnswer) {
  EXPECT_FALSE(ClusterClock(kLease, seconds(30)).at(seconds(5)).has_value());
}

TEST(ClusterClockTest, TakesTheMiddleOfARoundTrip) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(100), seconds(102), told(kStart));
  EXPECT_EQ(clock.at(seconds(101)), kStart);
  EXPECT_EQ(clock.at(seconds(111)), kStart + seconds(10));
}

TEST(ClusterClockTest, PrefersTheShortestRoundTrip) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(milliseconds(1'000), milliseconds(1'010), told(kStart));
  clock.saw(milliseconds(2'000), milliseconds(4'000), told(kStart + milliseconds(1'100)));
  EXPECT_EQ(clock.at(milliseconds(4'005)), kStart + seconds(3));
}

TEST(ClusterClockTest, ALongTimeWeighsMoreThanALongTrip) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(0), milliseconds(10), told(kStart));
  clock.saw(seconds(60), milliseconds(60'200), told(kStart + seconds(63)));  // our clock is slow
  EXPECT_EQ(clock.at(milliseconds(60'100)), kStart + seconds(63));
}

TEST(ClusterClockTest, FollowsAStepBack) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(milliseconds(0), milliseconds(2), told(kStart));
  clock.saw(milliseconds(3'000), milliseconds(3'400), told(kStart - seconds(600)));
  EXPECT_EQ(clock.at(milliseconds(3'200)), kStart - seconds(600));
}

TEST(ClusterClockTest, FollowsASmallStepForward) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(milliseconds(0), milliseconds(2), told(kStart));
  clock.saw(milliseconds(3'000), milliseconds(3'002), told(kStart + seconds(7)));
  EXPECT_EQ(clock.at(milliseconds(3'001)), kStart + seconds(7));
  EXPECT_FALSE(clock.doubts_store());
}

TEST(ClusterClockTest, DoubtsALargeStepForwardUntilItIsTakenBack) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(milliseconds(0), milliseconds(2), told(kStart));
  const Time far = utc("2098-01-01T00:00:00Z");
  clock.saw(milliseconds(3'000), milliseconds(3'002), told(far, {kStart + seconds(3)}));
  EXPECT_TRUE(clock.doubts_store());
  EXPECT_EQ(clock.at(milliseconds(3'001)), kStart + seconds(3));
  clock.saw(milliseconds(6'000), milliseconds(6'002), told(kStart + seconds(6)));
  EXPECT_FALSE(clock.doubts_store());
  EXPECT_EQ(clock.at(milliseconds(6'001)), kStart + seconds(6));
}

TEST(ClusterClockTest, AnAnswerThatWaitedForItsProcessEndsNoDoubt) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(0), seconds(0), told(kStart));
  clock.saw(seconds(3), seconds(3), told(kStart + seconds(78)));
  ASSERT_TRUE(clock.doubts_store());
  clock.saw(seconds(6), seconds(60), told(kStart + seconds(81)));
  clock.saw(seconds(63), seconds(63), told(kStart + seconds(138)));
  EXPECT_TRUE(clock.doubts_store());
  EXPECT_EQ(clock.at(seconds(63)), kStart + seconds(63));
  BeatAnswer accepted = told(kStart + seconds(141));
  accepted.clock_word = 1;
  accepted.clock_word_at = kStart + seconds(140);
  clock.saw(seconds(66), seconds(120), accepted);  // a person's word is none of time
  EXPECT_FALSE(clock.doubts_store());
}

TEST(ClusterClockTest, ADoubtedCourseGoesOnAsSteadilyAsTheStore) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(0), milliseconds(2), told(kStart));
  for (int beat = 20; beat < 1'000; ++beat) {
    const Duration boot = beat * seconds(3);
    const Time right = kStart + boot + boot / 10;  // the boot clock is slow by as much as it may be
    clock.saw(boot, boot + milliseconds(2), told(right + seconds(85), {right}));
    ASSERT_TRUE(clock.doubts_store()) << beat;
    // It knows no better than the drift until the step.
    ASSERT_LE(std::chrono::abs(*clock.at(boot) - right), seconds(7)) << beat;
  }
}

TEST(ClusterClockTest, FollowsAStepToWhatTheWallClocksShow) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(milliseconds(0), milliseconds(2), told(kStart, {kStart, kStart}));
  const Time right = kStart + seconds(603);
  clock.saw(milliseconds(3'000), milliseconds(3'002),
            told(right, {right - seconds(29), right + seconds(7'200)}));  // the lower median of two
  EXPECT_FALSE(clock.doubts_store());
  EXPECT_EQ(clock.at(milliseconds(3'001)), right);
}

TEST(ClusterClockTest, AWallClockThatIsNotToldAgainGoesOn) {
  ClusterClock clock(kLease, seconds(30));
  BeatAnswer first = told(kStart, {kStart});
  clock.saw(seconds(0), milliseconds(2), first);
  first.store_time = kStart + seconds(50);
  clock.saw(seconds(40), milliseconds(40'002), first);  // the same beat, forty seconds later
  EXPECT_FALSE(clock.doubts_store());
}

TEST(ClusterClockTest, FollowsWhatAPersonAccepts) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(milliseconds(0), milliseconds(2), told(kStart));
  BeatAnswer answer = told(kStart + seconds(900));
  clock.saw(milliseconds(3'000), milliseconds(3'002), answer);
  EXPECT_TRUE(clock.doubts_store());
  answer.clock_word = 1;
  answer.clock_word_at = answer.store_time;
  clock.saw(milliseconds(3'000), milliseconds(3'002), answer);
  EXPECT_FALSE(clock.doubts_store());
  EXPECT_EQ(clock.at(milliseconds(3'001)), kStart + seconds(900));
}

TEST(ClusterClockTest, WhatAPersonAcceptedIsNotWhatTheClockShowsSince) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(0), seconds(0), told(kStart));
  // Cut off for a minute, in which the clock was set forward, accepted, and set to 2098.
  const Time accepted = kStart + seconds(900 + 20);
  const auto answer = [&](Time time) {
    BeatAnswer told_then = told(time);
    told_then.clock_word = 1;
    told_then.clock_word_at = accepted;
    return told_then;
  };
  clock.saw(seconds(60), seconds(60), answer(utc("2098-01-01T00:00:00Z")));
  EXPECT_TRUE(clock.doubts_store());
  EXPECT_EQ(clock.at(seconds(60)), kStart + seconds(60));
  // Set back to what was accepted: that still counts.
  clock.saw(seconds(63), seconds(63), answer(accepted + seconds(43)));
  EXPECT_FALSE(clock.doubts_store());
  EXPECT_EQ(clock.at(seconds(63)), accepted + seconds(43));
  // And only once.
  clock.saw(seconds(66), seconds(66), answer(accepted + seconds(66)));
  EXPECT_TRUE(clock.doubts_store());
}

TEST(ClusterClockTest, ANewcomerListensForTwoBeatsToWhoMayDoubt) {
  ClusterClock clock(kLease, seconds(30));
  const Time far = kStart + seconds(3'600);
  for (const int second : {0, 3, 6}) {
    EXPECT_FALSE(clock.at(seconds(second)).has_value());
    const Time wall = kStart + seconds(second);
    clock.saw(seconds(second), seconds(second), told(far + seconds(second), {wall, wall}));
  }
  EXPECT_EQ(clock.at(seconds(6)), far + seconds(6));  // nobody did
  EXPECT_FALSE(clock.doubts_store());
}

TEST(ClusterClockTest, ANewcomerNeverBelievesWhatIsAbsurdUntilAPersonSaysSo) {
  ClusterClock clock(kLease, seconds(30));
  BeatAnswer answer = told(utc("2098-01-01T00:00:00Z"), {kStart});
  answer.clock_word = 3;  // of another time
  clock.saw(seconds(0), seconds(0), answer);
  answer = told(utc("2098-01-01T01:00:00Z"), {kStart + seconds(3'600)});
  answer.clock_word = 3;
  clock.saw(seconds(3'600), seconds(3'600), answer);
  EXPECT_FALSE(clock.at(seconds(3'600)).has_value());
  answer.clock_word = 4;
  answer.clock_word_at = answer.store_time;
  clock.saw(seconds(3'600), seconds(3'600), answer);
  EXPECT_EQ(clock.at(seconds(3'600)), utc("2098-01-01T01:00:00Z"));
}

TEST(ClusterClockTest, ANewcomerDoubtsAStepWhileItListens) {
  ClusterClock clock(kLease, seconds(30));
  const Time wrong = kStart - seconds(3'600);
  clock.saw(seconds(0), seconds(0), told(kStart, {wrong, wrong}));
  clock.saw(seconds(3), seconds(3), told(utc("2098-01-01T00:00:00Z"), {wrong, wrong}));
  EXPECT_TRUE(clock.doubts_store());
  EXPECT_EQ(clock.at(seconds(3)), kStart + seconds(3));
}

TEST(ClusterClockTest, WhatTheDeadHaveToldCountsForNothing) {
  ClusterClock clock(kLease, seconds(30));
  BeatAnswer answer = told(kStart, {kStart - seconds(86'400), kStart});
  Node dead = *answer.nodes.front();
  dead.course = dead.wall;
  answer.nodes.front() = dead;
  clock.saw(seconds(0), seconds(0), answer);  // the second is ourselves
  EXPECT_EQ(clock.at(seconds(0)), kStart);
  EXPECT_FALSE(clock.doubts_store());
}

TEST(ClusterClockTest, ANewcomerThatIsAloneBelievesTheStore) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(0), milliseconds(2), told(kStart, {kStart - seconds(3'600)}));
  EXPECT_FALSE(clock.doubts_store());
  EXPECT_EQ(clock.at(milliseconds(1)), kStart);
}

TEST(ClusterClockTest, ARefusedBeatTellsNoTime) {
  ClusterClock clock(kLease, seconds(30));
  BeatAnswer answer = told(kStart);
  answer.refused = Refused::ended;
  clock.saw(seconds(0), milliseconds(2), answer);
  EXPECT_FALSE(clock.at(milliseconds(1)).has_value());
}

TEST(ClusterClockTest, ANewcomerGoesByWhatTheDoubtingGoBy) {
  ClusterClock clock(kLease, seconds(30));
  BeatAnswer answer = told(utc("2098-01-01T00:00:00Z"), {kStart, kStart});
  Node doubting = *answer.nodes.front();
  doubting.course = kStart;
  answer.nodes.front() = doubting;
  clock.saw(milliseconds(0), milliseconds(2), answer);
  EXPECT_FALSE(clock.at(milliseconds(2)).has_value());  // it may be dead
  ++doubting.beat.value;
  doubting.course = kStart + seconds(3);
  answer.nodes.front() = doubting;
  clock.saw(milliseconds(3'000), milliseconds(3'002), answer);
  EXPECT_TRUE(clock.doubts_store());
  EXPECT_EQ(clock.at(milliseconds(3'001)), kStart + seconds(3));
}

/// The other node's row stands still; the newcomer itself beats.
struct Silent {
  Time far = kStart + seconds(3'600);
  Node other = *told(far, {kStart, kStart}).nodes.front();

  BeatAnswer after(int second) const {
    BeatAnswer answer = told(far + seconds(second), {kStart, kStart + seconds(second)});
    answer.nodes.front() = other;
    return answer;
  }

  /// Before each of these answers no time is believed.
  void wait_in_vain(ClusterClock& clock, const std::vector<int>& answered) const {
    for (const int second : answered) {
      EXPECT_FALSE(clock.at(seconds(second)).has_value()) << second;
      clock.saw(seconds(second), seconds(second), after(second));
    }
  }
};

TEST(ClusterClockTest, ANewcomerWaitsALeaseForWhomTheStoreCallsAlive) {
  ClusterClock clock(kLease, seconds(30));
  const Silent silent;
  silent.wait_in_vain(clock, {0, 3, 6, 9, 12, 15});
  EXPECT_EQ(clock.at(seconds(15)), silent.far + seconds(15));
}

TEST(ClusterClockTest, ALeaseInWhichTheStoreWasAwayIsNoSilence) {
  ClusterClock clock(kLease, seconds(30));
  const Silent silent;
  silent.wait_in_vain(clock, {0, 30, 33, 36, 39, 42, 45});
  EXPECT_EQ(clock.at(seconds(45)), silent.far + seconds(45));
}

TEST(ClusterClockTest, OneLostBeatIsNoLossOfHearing) {
  ClusterClock clock(kLease, seconds(30));
  const Silent silent;
  silent.wait_in_vain(clock, {0, 3, 9, 12, 15});
  EXPECT_EQ(clock.at(seconds(15)), silent.far + seconds(15));
}

/// A clock that is an hour ahead, a newcomer that listens, and another one who comes, says what it
/// knows, and is not heard again.
struct Visitor : Silent {
  Visitor() {
    other.incarnation = {{9, 9}};
    other.beat = Beat{1};
    other.course = kStart + seconds(3);
  }

  /// What the newcomer goes by after the answer in which the other one is new.
  std::optional<Time> met(ClusterClock& clock, const BeatAnswer& answer) const {
    BeatAnswer first = after(0);
    first.position = 10;
    first.nodes.front() = dead;
    clock.saw(seconds(0), seconds(0), first);
    clock.saw(seconds(3), seconds(3), answer);
    return clock.at(seconds(3));
  }

  /// Two others: the dead one of the first answer, and the visitor.
  BeatAnswer visit() const {
    BeatAnswer answer = after(3);
    answer.position = 11;
    answer.nodes.insert(answer.nodes.begin(), dead);
    return answer;
  }

  Shared<Node> dead = told(far, {kStart, kStart}).nodes.front();
};

TEST(ClusterClockTest, WhoWasNotThereBeforeHasBeatenSince) {
  ClusterClock clock(kLease, seconds(30));
  const Visitor visitor;
  EXPECT_EQ(visitor.met(clock, visitor.visit()), kStart + seconds(3));
  EXPECT_TRUE(clock.doubts_store());
}

TEST(ClusterClockTest, WhatAStoreThatForgotPutsBackIsNoBeat) {
  const Visitor visitor;
  std::array<BeatAnswer, 3> answers{visitor.visit(), visitor.visit(), visitor.visit()};
  answers[0].position = 9;
  answers[1].epoch = Epoch{2};
  answers[2].closed = true;
  for (const BeatAnswer& answer : answers) {
    ClusterClock clock(kLease, seconds(30));
    EXPECT_EQ(visitor.met(clock, answer), std::nullopt);
  }
}

TEST(ClusterClockTest, ABeatThatIsForgottenIsNoOtherBeat) {
  ClusterClock clock(kLease, seconds(30));
  Silent silent;
  silent.other.beat = Beat{90};
  clock.saw(seconds(0), seconds(0), silent.after(0));
  silent.other.beat = Beat{80};
  silent.other.course = kStart;
  clock.saw(seconds(3), seconds(3), silent.after(3));
  EXPECT_FALSE(clock.at(seconds(3)).has_value());
}

TEST(ClusterClockTest, ACourseGoesOnAfterItWasTold) {
  ClusterClock clock(kLease, seconds(30));
  Silent silent;
  clock.saw(seconds(0), seconds(0), silent.after(0));
  ++silent.other.beat.value;
  clock.saw(seconds(3), seconds(3), silent.after(3));  // it lives
  silent.other.course = kStart + seconds(3);
  clock.saw(seconds(7), seconds(7), silent.after(7));
  EXPECT_EQ(clock.at(seconds(7)), kStart + seconds(7));
}

/// The store was set back, and those who believed it for want of a doubt follow.
TEST(ClusterClockTest, ADoubtThatIsOverInfectsNobody) {
  ClusterClock clock(kLease, seconds(30));
  Silent silent;
  for (const int second : {0, 3, 6, 9, 12, 15}) {
    clock.saw(seconds(second), seconds(second), silent.after(second));
  }
  ++silent.other.beat.value;
  silent.other.course = silent.far + seconds(18);  // the store's own time
  clock.saw(seconds(18), seconds(18), silent.after(18));
  EXPECT_FALSE(clock.doubts_store());
  EXPECT_EQ(clock.at(seconds(18)), silent.far + seconds(18));
}

/// Beside a node whose course is an hour ahead, one that is right.
TEST(ClusterClockTest, OfTwoCoursesTheOneCountsThatAgreesWithTheWallClocks) {
  const Time far = utc("2098-01-01T00:00:00Z");
  const Time ahead = kStart + seconds(3'600);
  const auto answer = [&](int second, std::optional<Time> other) {
    const Duration since = seconds(second);
    BeatAnswer told_then = told(far + since, {kStart + since, kStart + since, kStart + since});
    Node first = *told_then.nodes[0];
    first.course = ahead + since;
    told_then.nodes[0] = first;
    Node second_node = *told_then.nodes[1];
    second_node.course = other;
    told_then.nodes[1] = second_node;
    return told_then;
  };
  ClusterClock newcomer(kLease, seconds(30));
  newcomer.saw(seconds(0), seconds(0), answer(0, kStart));
  newcomer.saw(seconds(3), seconds(3), answer(3, kStart + seconds(3)));
  EXPECT_EQ(newcomer.at(seconds(3)), kStart + seconds(3));

  ClusterClock misled(kLease, seconds(30));
  misled.saw(seconds(0), seconds(0), answer(0, {}));
  misled.saw(seconds(3), seconds(3), answer(3, {}));
  EXPECT_EQ(misled.at(seconds(3)), ahead + seconds(3));
  misled.saw(seconds(6), seconds(6), answer(6, kStart + seconds(6)));
  EXPECT_TRUE(misled.doubts_store());
  EXPECT_EQ(misled.at(seconds(6)), kStart + seconds(6));
}

TEST(ClusterClockTest, WhoBelievedForWantOfADoubtGoesByOneThatItHearsLater) {
  ClusterClock clock(kLease, seconds(30));
  Silent silent;
  for (const int second : {0, 3, 6, 9, 12, 15}) {
    clock.saw(seconds(second), seconds(second), silent.after(second));
  }
  ++silent.other.beat.value;
  silent.other.course = kStart + seconds(18);
  clock.saw(seconds(18), seconds(18), silent.after(18));
  EXPECT_TRUE(clock.doubts_store());
  EXPECT_EQ(clock.at(seconds(18)), kStart + seconds(18));
}

TEST(ClusterClockTest, IsWithinItsDoubt) {
  ClusterClock clock(kLease, seconds(30));
  clock.saw(seconds(0), milliseconds(200), told(kStart));
  EXPECT_EQ(clock.doubt(milliseconds(100)), milliseconds(102));
  EXPECT_EQ(clock.doubt(milliseconds(10'100)), milliseconds(1'102));
}

}  // namespace
}  // namespace cronce
