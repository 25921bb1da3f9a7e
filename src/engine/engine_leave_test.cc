// Leaving: others decide, runs end, the store knows, and then it is gone.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class EngineLeaveTest : public EngineTest {
 protected:
  /// Asked to leave, and the others were told a beat ago.
  void hand_over() {
    tell(LeaveAsked{});
    answer_beat();
    answer_beats();
    pass(seconds(5));
  }
  std::vector<SweepAnswer> ended(bool yes) { return {{yes, 0}}; }
};

TEST_F(EngineLeaveTest, says_so_with_a_beat) {
  live();
  tell(LeaveAsked{});
  pass(milliseconds(100));
  ASSERT_TRUE(beat);
  EXPECT_TRUE(beat->node.leaving);
}

TEST_F(EngineLeaveTest, decides_for_others_until_they_know) {
  live({hourly(JobUid{1})});
  tell(LeaveAsked{});
  now.cluster = kNoon;
  pass(milliseconds(100));
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->entries.front().runs.front().how, SlotToRun::How::enqueue);
}

// The store's answer tells this node that it leaves before the others have asked.
TEST_F(EngineLeaveTest, is_the_home_of_its_jobs_until_the_others_have_beaten) {
  add_node(7);
  live({hourly(job_of_rank(0))});
  tell(LeaveAsked{});
  answer_beat();
  now.cluster = kNoon;
  tick();
  ASSERT_NE(asked<DecideAsk>(), nullptr) << written();
  EXPECT_EQ(asked<DecideAsk>()->entries.front().runs.front().how, SlotToRun::How::enqueue);
}

TEST_F(EngineLeaveTest, is_nobodys_home_once_they_have) {
  add_node(7);
  live({hourly(job_of_rank(0))});
  tell(LeaveAsked{});
  answer_beat();
  tell(Hinted{});
  answer_beat();
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(asked<DecideAsk>(), nullptr) << written();
}

TEST_F(EngineLeaveTest, returns_a_claim_that_comes_while_it_leaves) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  const DecideAnswers grant = granted();
  tell(LeaveAsked{});
  answer(grant);
  EXPECT_EQ(started(), "");
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().state, RunState::returned);
}

TEST_F(EngineLeaveTest, takes_nothing) {
  live();
  tell(LeaveAsked{});
  now.cluster = kNoon;
  next_answer.changed = {waiting(JobUid{1})};
  answer_beat();
  EXPECT_EQ(asked<std::vector<RunId>>(), nullptr) << written();
}

TEST_F(EngineLeaveTest, ends_itself_when_nothing_runs_and_the_store_has_every_end) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  const Claim claim = ordered<StartRun>().front().claim;
  hand_over();
  EXPECT_EQ(written(), "nothing") << "a run is alive";
  next_answer.held = {claim};
  answer_beat();
  tell(RunEnded{end_of(claim)});
  EXPECT_NE(asked<std::vector<FinishEntry>>(), nullptr);
  answer(stored());
  ASSERT_NE(asked<std::vector<SweepEntry>>(), nullptr) << written();
  EXPECT_EQ(asked<std::vector<SweepEntry>>()->front().incarnation, engine->incarnation());
  EXPECT_TRUE(ordered<Left>().empty());
  answer(ended(true));
  EXPECT_EQ(ordered<Left>().size(), 1U);
  tick();
  EXPECT_TRUE(orders.empty());
}

TEST_F(EngineLeaveTest, does_not_wait_when_it_is_alone) {
  live();
  tell(LeaveAsked{});
  pass(milliseconds(100));
  answer_beat();
  EXPECT_NE(asked<std::vector<SweepEntry>>(), nullptr) << written();
}

TEST_F(EngineLeaveTest, waits_until_the_others_have_beaten) {
  silent.insert(add_node(7).name);
  live();
  tell(LeaveAsked{});
  pass(milliseconds(100));
  answer_beat();
  EXPECT_EQ(asked<std::vector<SweepEntry>>(), nullptr) << "the other does not know";
  silent.clear();
  tell(Hinted{});
  pass(milliseconds(100));
  answer_beat();
  EXPECT_NE(asked<std::vector<SweepEntry>>(), nullptr) << written();
}

TEST_F(EngineLeaveTest, names_the_number_of_its_last_beat_and_beats_no_more) {
  live();
  hand_over();
  ASSERT_NE(asked<std::vector<SweepEntry>>(), nullptr);
  EXPECT_EQ(asked<std::vector<SweepEntry>>()->front().beat, Beat{2});
  pass(seconds(30));
  EXPECT_FALSE(beat);
}

TEST_F(EngineLeaveTest, beats_again_if_the_number_was_another) {
  live();
  hand_over();
  answer(ended(false));
  EXPECT_TRUE(ordered<Left>().empty());
  EXPECT_EQ(written(), "nothing");
  answer_beat();
  ASSERT_NE(asked<std::vector<SweepEntry>>(), nullptr);
  EXPECT_EQ(asked<std::vector<SweepEntry>>()->front().beat, Beat{3});
}

TEST_F(EngineLeaveTest, tries_again_if_its_sweep_of_itself_was_never_applied) {
  live();
  hand_over();
  lose_answer();
  pass(milliseconds(300));
  EXPECT_EQ(written(), "settle the last write");
  answer(DecideAnswers{}, {0, {}});
  answer_beat();
  EXPECT_NE(asked<std::vector<SweepEntry>>(), nullptr);
}

TEST_F(EngineLeaveTest, is_gone_if_its_sweep_of_itself_was_applied_unanswered) {
  live();
  hand_over();
  const std::uint64_t sequence = write->id.sequence;
  lose_answer();
  pass(milliseconds(300));
  answer(DecideAnswers{}, {sequence, ended(true)});
  EXPECT_EQ(ordered<Left>().size(), 1U);
}

TEST_F(EngineLeaveTest, is_gone_if_others_have_ended_it) {
  live();
  tell(LeaveAsked{});
  next_answer.refused = Refused::ended;
  answer_beat();
  EXPECT_EQ(ordered<KillAll>().size(), 1U);
  EXPECT_EQ(ordered<Left>().size(), 1U);
}

TEST_F(EngineLeaveTest, stays_while_the_epoch_is_closed) {
  live();
  closed = true;
  hand_over();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  answer(ControlAnswer{});
  pass(seconds(10));
  EXPECT_EQ(asked<std::vector<SweepEntry>>(), nullptr);
}

}  // namespace
}  // namespace cronce
