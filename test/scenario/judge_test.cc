#include "test/scenario/judge.h"

#include <gtest/gtest.h>

namespace cronce::scenario {
namespace {

Start start(const std::string& slot, std::uint64_t attempt, std::uint64_t fence) {
  return {.job = "j", .slot = slot, .attempt = attempt, .fence = fence, .node = "a"};
}

/// What the judge says about these starts, one after the other; each ends before the next.
std::vector<std::string> judge(const Promise& promise, const std::vector<Start>& starts,
                               bool succeeds = true) {
  Judge judge;
  judge.defined("j", promise);
  for (const Start& one : starts) judge.ended(judge.started(one, 0), succeeds);
  return judge.objections();
}

TEST(Judge, AgreesWithSlotsThatRunOnceEach) {
  EXPECT_TRUE(judge({}, {start("+1s", 1, 1), start("+2s", 1, 2)}).empty());
}

TEST(Judge, ObjectsToASecondStartOfAnAttempt) {
  EXPECT_EQ(judge({.retries = true, .reruns = true}, {start("+1s", 1, 1), start("+1s", 1, 2)}),
            std::vector<std::string>{"j@+1s #1 on a started although j@+1s #1 on a had"});
}

TEST(Judge, ObjectsToASecondAttemptThatNobodyAskedFor) {
  const std::vector<Start> twice{start("+1s", 1, 1), start("+1s", 2, 2)};
  EXPECT_EQ(judge({}, twice, false).size(), 1U);
  EXPECT_EQ(judge({.retries = true}, twice, true).size(), 1U);
  EXPECT_TRUE(judge({.retries = true}, twice, false).empty());
  EXPECT_TRUE(judge({.reruns = true}, twice, true).empty());
}

TEST(Judge, ObjectsToAFenceThatDoesNotGrow) {
  const std::vector<Start> backwards{start("+2s", 1, 2), start("+1s", 1, 1)};
  EXPECT_EQ(judge({}, backwards).size(), 1U);
  EXPECT_TRUE(judge({.overlaps = true}, backwards).empty());
}

TEST(Judge, ObjectsToAStartBeforeItsTime) {
  Judge judge;
  Start early = start("+1s", 1, 1);
  early.due = 1'000;
  judge.started(early, 999);
  EXPECT_EQ(judge.objections().size(), 1U);
}

TEST(Judge, ObjectsToTwoThatLiveTogether) {
  Judge judge;
  judge.defined("j", {});
  const std::size_t first = judge.started(start("+1s", 1, 1), 0);
  judge.stands_still(first);
  judge.started(start("+2s", 1, 2), 0);
  EXPECT_TRUE(judge.objections().empty());
  judge.goes_on(first);
  EXPECT_EQ(judge.objections(),
            std::vector<std::string>{"j@+1s #1 on a lives beside j@+2s #1 on a"});
}

TEST(Judge, ObjectsToOneTooManyOfAGroup) {
  Judge judge;
  for (const char* job : {"j", "k", "l"}) {
    judge.defined(job, {.group = "g", .most = 2});
    Start one = start("+1s", 1, 1);
    one.job = job;
    judge.started(one, 0);
  }
  EXPECT_EQ(judge.objections(),
            std::vector<std::string>{"l@+1s #1 on a is run 3 of group g, and 2 are allowed"});
}

TEST(Judge, KnowsARenamedJob) {
  Judge judge;
  judge.defined("j", {});
  judge.started(start("+1s", 1, 1), 0);
  judge.renamed("j", "k");
  Start again = start("+1s", 1, 2);
  again.job = "k";
  judge.started(again, 0);
  EXPECT_EQ(judge.objections().size(), 2U);  // a second start, and beside the first
}

}  // namespace
}  // namespace cronce::scenario
