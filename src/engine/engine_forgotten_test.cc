// A claim of what has begun here before, by one that the store has forgotten.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::minutes;
using Ends = std::vector<FinishEntry>;

/// This node could not say what it ran while the epoch was closed, and its plan is older now.
class EngineForgottenTest : public EngineTest {
 protected:
  void SetUp() override { before_ = start_at_noon(); }

  void end(RunState state) {
    tell(RunEnded{end_of(before_, state)});
    answer(stored());
  }

  void be_granted_again() {
    ++epoch.value;
    tell(Hinted{});
    answer_beat();  // its rows may be of another history
    next_answer.changed = {hourly(JobUid{1})};
    answer_beat();
    ASSERT_NE(asked<DecideAsk>(), nullptr) << written();
    DecideAnswers grant = granted();
    Claim& claim = *grant.entries.front().runs.front().claim;
    if (key_) claim.key = *key_;
    again_ = claim;
    answer(grant);
  }

  std::optional<std::string> key_;  // of the second claim
  Claim before_;
  Claim again_;
};

TEST_F(EngineForgottenTest, does_not_start_again_what_has_run_here_and_tells_its_end) {
  end(RunState::succeeded);
  be_granted_again();
  EXPECT_EQ(started(), "");
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  EXPECT_EQ(asked<Ends>()->front(), end_of(again_));
  EXPECT_NE(again_.fence, before_.fence);
}

TEST_F(EngineForgottenTest, does_not_start_again_what_a_former_process_began) {
  Claim begun = before_;
  begun.incarnation = {{7, 7}};
  restart([&](EngineSettings& s) { s.claims = {begun}; });
  live();
  be_granted_again();
  EXPECT_EQ(started(), "");
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  EXPECT_EQ(asked<Ends>()->front().state, RunState::lost);
  EXPECT_EQ(asked<Ends>()->front().fence, again_.fence);
}

TEST_F(EngineForgottenTest, starts_what_was_given_back) {
  end(RunState::returned);
  be_granted_again();
  EXPECT_EQ(started(), "billing");
}

TEST_F(EngineForgottenTest, starts_what_has_another_key) {
  end(RunState::succeeded);
  key_ = "billing+2.2";  // a person wants it once more
  be_granted_again();
  EXPECT_EQ(started(), "billing");
}

/// A request that a former process began, and that is asked again: its row may have been purged.
class EngineRequestTest : public EngineTest {
 protected:
  void SetUp() override {
    const RunId request{JobUid{1}, Space::manual, {}, "r1", Attempt{1}};
    before_ = claim_of(request);
    before_.incarnation = {{7, 7}};
    restart([&](EngineSettings& s) { s.claims = {before_}; });
    ++epoch.value;
    JobRow row = waiting(JobUid{1});
    row.pending = {{request, RunKind::manual, kNoon - minutes(1), false}};
    live({row});
    answer(taken());
  }

  Claim before_;
};

TEST_F(EngineRequestTest, is_started) { EXPECT_EQ(started(), "waiting"); }

/// The first child went on without its lease. Its end is not the second's.
TEST_F(EngineRequestTest, has_not_ended_with_its_first_child) {
  ASSERT_EQ(engine->running(), 1U);
  tell(RunEnded{end_of(before_)});
  EXPECT_EQ(engine->running(), 1U);
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  answer(std::vector<FinishAnswer>{{Refused::stale, RunState::running}});
  EXPECT_EQ(written(), "nothing");
}

/// It was killed because it was not held any more. That is how it ended, and no result.
TEST_F(EngineForgottenTest, loses_what_ended_with_its_first_claim) {
  for (const RunState state : {RunState::cancelled, RunState::failed}) {
    restart();
    epoch = Epoch{1};
    now.cluster = kNoon - minutes(1);
    before_ = start_at_noon();
    FinishEntry killed = end_of(before_, state);
    if (state == RunState::failed) killed.reason = Reason::signal;
    tell(RunEnded{killed});
    answer(stored());
    be_granted_again();
    ASSERT_NE(asked<Ends>(), nullptr) << written();
    EXPECT_EQ(asked<Ends>()->front().state, RunState::lost);
  }
}

/// By the fence with which it was started it says nothing to the store.
TEST_F(EngineForgottenTest, tells_an_end_that_comes_later_for_the_second_claim) {
  be_granted_again();
  EXPECT_EQ(started(), "");
  EXPECT_EQ(written(), "nothing") << "it still runs";
  tell(RunEnded{end_of(before_)});
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  EXPECT_EQ(asked<Ends>()->front(), end_of(before_));
  answer(std::vector<FinishAnswer>{{Refused::stale, RunState::running}});
  ASSERT_EQ(ordered<EndStored>().size(), 1U);
  EXPECT_EQ(ordered<EndStored>().front().fence, before_.fence);
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  EXPECT_EQ(asked<Ends>()->front(), end_of(again_));
  answer(std::vector<FinishAnswer>{{Refused::stale, RunState::running}});
  EXPECT_EQ(written(), "nothing") << "it has no third one";
}

/// Its lease was lost, and it goes on until it ends.
TEST_F(EngineForgottenTest, tells_an_end_after_lost) {
  restart([&](EngineSettings& s) { s.claims = {before_}; });
  live();
  be_granted_again();
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  EXPECT_EQ(asked<Ends>()->front().state, RunState::lost);
  answer(std::vector<FinishAnswer>{{Refused::none, RunState::lost}});
  tell(RunEnded{end_of(before_)});
  answer(std::vector<FinishAnswer>{{Refused::stale, RunState::lost}});
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  EXPECT_EQ(asked<Ends>()->front(), end_of(again_));
}

}  // namespace
}  // namespace cronce
