#include "engine/describe_engine.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

const RunId kRun{JobUid{3}, Space::slot, utc("2026-03-29T01:30:00Z"), "", Attempt{1}};

TEST(DescribeEngineTest, SaysWhatHappened) {
  EXPECT_EQ(describe(Event{WriteUnanswered{17}}), "write 17 not answered");
  EXPECT_EQ(describe(Event{RunStarted{kRun, {}}}),
            "run started: job 3 slot 2026-03-29T01:30:00Z #1");
  EXPECT_EQ(describe(Event{WriteAnswered{2, std::vector<TakeAnswer>{{Refused::busy, {}}}, {}, {}}}),
            "write 2 answered: take: busy; before: write 0");
}

TEST(DescribeEngineTest, SaysWhatIsOrdered) {
  EXPECT_EQ(describe(Action{SendWrite{{{}, 0, 4}, DecideAsk{}}}), "write 4: settle the last write");
  EXPECT_EQ(describe(Action{SendWrite{{{}, 0, 5}, std::vector<RunId>{kRun}}}),
            "write 5: take job 3 slot 2026-03-29T01:30:00Z #1");
  EXPECT_EQ(describe(Action{StopRun{kRun, Reason::replaced}}),
            "stop job 3 slot 2026-03-29T01:30:00Z #1: cancelled: replaced");
  EXPECT_EQ(describe(Action{KillAll{}}), "kill all");
}

TEST(DescribeEngineTest, ListsWhatADecideSettles) {
  DecideEntry entry{JobUid{3}, Turn{7}, kRun.slot, kRun.slot, {}, {}, {}, {}};
  entry.runs.push_back({kRun.slot, kRun.slot, SlotToRun::How::enqueue});
  EXPECT_EQ(describe(Action{SendWrite{{{}, 0, 6}, DecideAsk{{entry}, {}}}}),
            "write 6: decide [job 3 turn 7 from 2026-03-29T01:30:00Z through 2026-03-29T01:30:00Z, "
            "enqueue 2026-03-29T01:30:00Z, next none]");
}

}  // namespace
}  // namespace cronce
