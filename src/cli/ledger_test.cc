#include "cli/ledger.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

TEST(ShownWhen, SaysHowFarARunIs) {
  cronce::Run run;
  run.state = RunState::running;
  run.claimed_at = utc("2026-03-29T01:30:00Z");
  const Time now = utc("2026-03-29T01:32:00Z");
  EXPECT_EQ(shown_when(run, now), "since 2m");
  run.progress = "40 copying";
  EXPECT_EQ(shown_when(run, now), "since 2m, 40 copying");
  run.state = RunState::succeeded;
  run.finished_at = utc("2026-03-29T01:31:00Z");
  EXPECT_EQ(shown_when(run, now), "1m ago");
}

}  // namespace
}  // namespace cronce
