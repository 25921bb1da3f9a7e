// Beats, the trust that they give, and what they order.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

using EngineTrustTest = EngineTest;

const Duration kTrust = trust_of(LeaseSettings{});

TEST_F(EngineTrustTest, asks_nothing_before_a_beat_was_answered) {
  tell(Offered{{"jobs", {}, {}}, "d1"});
  EXPECT_EQ(written(), "nothing");
  tell(BeatUnanswered{});
  pass(seconds(4));
  EXPECT_EQ(written(), "nothing");
}

TEST_F(EngineTrustTest, beats_at_once_and_then_every_beat) {
  tick();
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->node.beat, Beat{1});
  EXPECT_EQ(beat->node.name, "self");
  EXPECT_EQ(beat->node.incarnation, engine->incarnation());
  EXPECT_EQ(beat->node.lease, seconds(60));
  answer_beat();
  EXPECT_EQ(engine->next_wakeup(now), now.boot + seconds(5));
  pass(milliseconds(4'999));
  EXPECT_FALSE(beat);
  pass(milliseconds(1));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->node.beat, Beat{2});
  EXPECT_EQ(beat->granted, Beat{1});
}

TEST_F(EngineTrustTest, gives_a_beat_that_was_not_answered_another_number) {
  tick();
  beat.reset();
  pass(seconds(3));
  tell(BeatUnanswered{});
  EXPECT_FALSE(beat);
  pass(seconds(2));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->node.beat, Beat{2});
  EXPECT_EQ(beat->granted, Beat{0});
}

/// What a store without a clock of its own goes by.
TEST_F(EngineTrustTest, tells_with_each_beat_what_its_clocks_say) {
  now.wall = Time{now.boot + seconds(70)};
  tick();
  EXPECT_EQ(beat->node.clock_reading, seconds(70));
}

TEST_F(EngineTrustTest, asks_nothing_while_its_clock_is_not_one_to_go_by) {
  tick();
  tell(Offered{{"jobs", {}, {}}, "d1"});
  next_answer.disputed = true;
  answer_beat();
  next_answer.disputed = true;
  answer_beat();  // the beat that tells of the offer
  EXPECT_EQ(written(), "nothing");
  EXPECT_FALSE(ordered<TrustUntil>().empty());  // what runs goes on
  pass(seconds(5));
  answer_beat();
  EXPECT_NE(written(), "nothing");
}

TEST_F(EngineTrustTest, counts_trust_from_the_asking) {
  tick();
  const Duration asked_at = now.boot;
  now.boot += seconds(2);
  answer_beat();
  ASSERT_EQ(ordered<TrustUntil>().size(), 1U);
  EXPECT_EQ(ordered<TrustUntil>().front().boot, asked_at + kTrust);
}

TEST_F(EngineTrustTest, decides_and_starts_a_slot_under_a_claim) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  pass(milliseconds(0));
  EXPECT_EQ(written(),
            "decide [job 1 turn 1 from 2026-01-01T12:00:00Z through 2026-01-01T12:00:00Z, run "
            "2026-01-01T12:00:00Z, next 2026-01-01T13:00:00Z]");
  EXPECT_EQ(started(), "");
  answer(granted());
  EXPECT_EQ(started(), "billing");
  EXPECT_EQ(engine->running(), 1U);
}

TEST_F(EngineTrustTest, asks_for_nothing_to_start_when_trust_is_no_longer_than_an_answer) {
  live({hourly(JobUid{1})});
  const Duration end = now.boot + kTrust;
  now.cluster = kNoon;
  now.boot = end - seconds(3);
  tick();
  EXPECT_EQ(written(), "nothing");
  now.boot -= milliseconds(1);
  tick();
  EXPECT_NE(asked<DecideAsk>(), nullptr);
}

TEST_F(EngineTrustTest, returns_a_claim_that_comes_without_trust) {
  live({hourly(JobUid{1})});
  const Duration end = now.boot + kTrust;
  now.cluster = kNoon;
  tick();
  now.boot = end - seconds(3);
  answer(granted());
  EXPECT_EQ(started(), "");
  EXPECT_EQ(written(), "finish job 1 slot 2026-01-01T12:00:00Z #1 returned fence 1099511627777");
}

TEST_F(EngineTrustTest, delivers_ends_without_trust) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  const Claim claim = ordered<StartRun>().front().claim;
  now.boot += hours(1);
  tell(RunEnded{end_of(claim)});
  EXPECT_EQ(written(), "finish job 1 slot 2026-01-01T12:00:00Z #1 succeeded fence 1099511627777");
  answer(stored());
  ASSERT_EQ(ordered<EndStored>().size(), 1U);
  EXPECT_EQ(ordered<EndStored>().front().run, claim.run);
}

TEST_F(EngineTrustTest, that_was_ended_kills_all_and_comes_back_as_another) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  const Claim claim = ordered<StartRun>().front().claim;
  tell(Hinted{});
  next_answer.refused = Refused::ended;
  answer_beat();
  EXPECT_EQ(ordered<KillAll>().size(), 1U);
  EXPECT_NE(engine->incarnation(), claim.incarnation);
  EXPECT_EQ(engine->running(), 0U);
  pass(milliseconds(100));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->node.incarnation, engine->incarnation());
  EXPECT_EQ(beat->node.beat, Beat{1});
  EXPECT_EQ(beat->known_changes, 0U);
  // What was killed is told under the claim that it ran by.
  tell(RunEnded{end_of(claim, RunState::cancelled)});
  EXPECT_EQ(written(), "nothing");
  answer_beat();
  ASSERT_NE(asked<std::vector<FinishEntry>>(), nullptr);
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().incarnation, claim.incarnation);
  EXPECT_GT(write->id.sequence, 1U);
}

TEST_F(EngineTrustTest, tells_starts_with_the_next_beat_until_one_was_granted) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  const RunId run = ordered<StartRun>().front().claim.run;
  tell(RunStarted{run, kNoon + milliseconds(7)});
  pass(seconds(5));
  ASSERT_EQ(beat->started.size(), 1U);
  EXPECT_EQ(beat->started.front().run, run);
  EXPECT_EQ(beat->started.front().started_at, kNoon + milliseconds(7));
  beat.reset();
  tell(BeatUnanswered{});
  pass(seconds(5));
  EXPECT_EQ(beat->started.size(), 1U);
  answer_beat();
  pass(seconds(5));
  EXPECT_TRUE(beat->started.empty());
}

TEST_F(EngineTrustTest, tells_the_last_word_of_a_run_until_a_beat_with_it_was_granted) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  const RunId run = ordered<StartRun>().front().claim.run;
  tell(RunProgressed{run, "40 copying"});
  tell(RunProgressed{run, "41 copying"});
  pass(seconds(5));
  ASSERT_EQ(beat->progress.size(), 1U);
  EXPECT_EQ(beat->progress.front().run, run);
  EXPECT_EQ(beat->progress.front().text, "41 copying");
  tell(RunProgressed{run, "42 copying"});  // after the beat was sent
  answer_beat();
  pass(seconds(5));
  ASSERT_EQ(beat->progress.size(), 1U);
  EXPECT_EQ(beat->progress.front().text, "42 copying");
  answer_beat();
  pass(seconds(5));
  EXPECT_TRUE(beat->progress.empty());
  tell(RunProgressed{{JobUid{9}}, "whose?"});
  pass(seconds(5));
  EXPECT_TRUE(beat->progress.empty());
}

TEST_F(EngineTrustTest, stops_a_run_once) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  const Claim claim = ordered<StartRun>().front().claim;
  for (const std::size_t stops : {1U, 0U}) {
    tell(Hinted{});
    next_answer.stops = {{claim.run, Reason::replaced}};
    next_answer.held = {claim};
    answer_beat();
    ASSERT_EQ(ordered<StopRun>().size(), stops);
  }
}

TEST_F(EngineTrustTest, ends_as_lost_what_the_store_holds_for_it_unknown) {
  live({hourly(JobUid{1})});
  tell(Hinted{});
  next_answer.held = {claim_of(slot_run(JobUid{1}, kNoon - hours(1)))};
  answer_beat();
  EXPECT_EQ(written(), "finish job 1 slot 2026-01-01T11:00:00Z #1 lost: node fence 1099511627777");
}

TEST_F(EngineTrustTest, believes_that_a_write_in_flight_explains_it) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tell(Hinted{});
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  const DecideAnswers grant = granted();
  next_answer.held = {*grant.entries.front().runs.front().claim};
  answer_beat();
  answer(grant);
  EXPECT_EQ(started(), "billing");
  EXPECT_EQ(written(), "nothing");
}

}  // namespace
}  // namespace cronce
