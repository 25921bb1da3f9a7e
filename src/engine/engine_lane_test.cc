// One write at a time: which comes first, and what becomes of one that was not answered.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Ends = std::vector<FinishEntry>;
using Sweeps = std::vector<SweepEntry>;

class EngineLaneTest : public EngineTest {
 protected:
  /// A decide of job 1's slot at noon is in flight.
  void ask_at_noon() {
    live({hourly(JobUid{1})});
    now.cluster = kNoon;
    tick();
    ASSERT_NE(asked<DecideAsk>(), nullptr);
  }
};

TEST_F(EngineLaneTest, counts_its_writes_and_tells_the_last_that_was_answered) {
  ask_at_noon();
  EXPECT_EQ(write->id.sequence, 1U);
  EXPECT_EQ(write->id.answered, 0U);
  EXPECT_EQ(write->id.incarnation, engine->incarnation());
  answer(granted());
  tell(RunEnded{end_of(ordered<StartRun>().front().claim)});
  EXPECT_EQ(write->id.sequence, 2U);
  EXPECT_EQ(write->id.answered, 1U);
}

TEST_F(EngineLaneTest, has_one_write_in_flight_and_makes_a_batch_of_what_comes_meanwhile) {
  live({hourly(JobUid{1}), hourly(JobUid{2}, "a"), hourly(JobUid{3}, "b")});
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(asked<DecideAsk>()->entries.size(), 3U);
  const DecideAnswers grant = granted();
  tell(RunEnded{end_of(claim_of(slot_run(JobUid{8}, kNoon)))});
  tell(RunEnded{end_of(claim_of(slot_run(JobUid{9}, kNoon)))});
  answer(grant);
  EXPECT_EQ(started(), "billing a b");
  ASSERT_NE(asked<Ends>(), nullptr);
  EXPECT_EQ(asked<Ends>()->size(), 2U);
}

TEST_F(EngineLaneTest, settles_a_write_without_an_answer_before_anything_else) {
  ask_at_noon();
  const DecideAnswers grant = granted();
  lose_answer();
  EXPECT_EQ(written(), "nothing");
  EXPECT_EQ(engine->next_wakeup(now), now.boot + milliseconds(300));
  tell(RunEnded{end_of(claim_of(slot_run(JobUid{9}, kNoon)))});
  EXPECT_EQ(written(), "nothing");
  pass(milliseconds(300));
  EXPECT_EQ(written(), "settle the last write");
  EXPECT_EQ(write->id.sequence, 2U);
  EXPECT_EQ(write->id.answered, 0U);
  answer(DecideAnswers{}, {1, grant});
  EXPECT_EQ(started(), "billing");
  EXPECT_NE(asked<Ends>(), nullptr);
}

TEST_F(EngineLaneTest, asks_again_what_was_never_applied) {
  ask_at_noon();
  lose_answer();
  pass(milliseconds(300));
  answer(DecideAnswers{}, {0, {}});
  EXPECT_EQ(started(), "");
  EXPECT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(write->id.sequence, 3U);
  answer(granted());
  EXPECT_EQ(started(), "billing");
}

TEST_F(EngineLaneTest, settles_as_often_as_it_takes) {
  ask_at_noon();
  const DecideAnswers grant = granted();
  lose_answer();
  for (std::uint64_t sequence = 2; sequence < 9; ++sequence) {
    pass(milliseconds(300));
    EXPECT_EQ(written(), "settle the last write");
    EXPECT_EQ(write->id.sequence, sequence);
    lose_answer();
  }
  pass(milliseconds(300));
  answer(DecideAnswers{}, {1, grant});
  EXPECT_EQ(started(), "billing");
}

TEST_F(EngineLaneTest, ignores_an_answer_that_comes_after_it_was_settled_otherwise) {
  ask_at_noon();
  const DecideAnswers grant = granted();
  lose_answer();
  tell(WriteAnswered{1, grant, {}, now.cluster});
  EXPECT_EQ(started(), "");
  pass(milliseconds(300));
  answer(DecideAnswers{}, {0, {}});
  tell(WriteAnswered{1, grant, {}, now.cluster});
  EXPECT_EQ(started(), "");
}

TEST_F(EngineLaneTest, returns_a_claim_that_it_learns_of_without_trust) {
  ask_at_noon();
  const DecideAnswers grant = granted();
  lose_answer();
  pass(minutes(1));
  answer(DecideAnswers{}, {1, grant});
  EXPECT_EQ(started(), "");
  ASSERT_NE(asked<Ends>(), nullptr);
  EXPECT_EQ(asked<Ends>()->front().state, RunState::returned);
}

TEST_F(EngineLaneTest, forgets_the_writes_of_an_ended_life) {
  ask_at_noon();
  const DecideAnswers grant = granted();
  tell(Hinted{});
  next_answer.refused = Refused::ended;
  answer_beat();
  tell(WriteAnswered{1, grant, {}, now.cluster});
  EXPECT_EQ(started(), "");
  EXPECT_TRUE(ordered<SendWrite>().empty());
}

TEST_F(EngineLaneTest, sends_ends_first_then_files_then_slots_then_takes) {
  tell(RunEnded{end_of(claim_of(slot_run(JobUid{9}, kNoon)))});
  const std::vector<JobRow> jobs{hourly(JobUid{1}, "hourly"), waiting(JobUid{2})};
  tell(file_of(jobs));
  next_answer.changed = jobs;
  now.cluster = kNoon;
  answer_beat();
  ASSERT_NE(asked<Ends>(), nullptr) << written();
  answer(stored());
  ASSERT_NE(asked<RegisterAsk>(), nullptr) << written();
  answer(RegisterAnswer{});
  ASSERT_NE(asked<DecideAsk>(), nullptr) << written();
  answer(granted());
  EXPECT_EQ(written(), "take job 2 slot 2026-01-01T11:00:00Z #1");
}

TEST_F(EngineLaneTest, sweeps_before_it_decides) {
  silent.insert(add_node(7).name);
  others.front().lease = seconds(5);
  others.front().schedules = false;
  live({hourly(JobUid{1})});
  pass(seconds(5));
  now.cluster = kNoon;
  answer_beat();
  EXPECT_EQ(written(), "sweep 00000000 at beat 0");
  answer(std::vector<SweepAnswer>{{true, 0}});
  EXPECT_NE(asked<DecideAsk>(), nullptr);
}

TEST_F(EngineLaneTest, does_not_sweep_again_before_a_beat_told_what_came_of_it) {
  silent.insert(add_node(7).name);
  others.front().lease = seconds(5);
  live();
  pass(seconds(5));
  answer_beat();
  ASSERT_EQ(written().substr(0, 5), "sweep");
  answer(std::vector<SweepAnswer>{{false, 0}});
  EXPECT_EQ(written(), "nothing");
  answer_beat();
  EXPECT_EQ(written().substr(0, 5), "sweep");
  answer(std::vector<SweepAnswer>{{true, 0}});
  others.clear();
  answer_beats();
  EXPECT_EQ(written(), "nothing");
}

// In a cluster where nobody dies, somebody must still sweep: the store purges in that step.
TEST_F(EngineLaneTest, sweeps_nobody_once_a_minute) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon - minutes(30);
  const auto nobody = [&] {
    EXPECT_EQ(written(), "sweep nobody: purge");
    return Outcome{std::vector<SweepAnswer>{}};
  };
  EXPECT_EQ(run_for(seconds(59), nobody).writes, 0);
  EXPECT_EQ(run_for(minutes(10), nobody).writes, 10);
}

TEST_F(EngineLaneTest, does_not_purge_what_it_purged_with_a_sweep) {
  live();
  run_for(seconds(50), [] { return Outcome{}; });
  silent.insert(add_node(7).name);
  others.front().lease = seconds(5);
  answer_beat();
  const auto swept = [&] {
    others.clear();
    return Outcome{std::vector<SweepAnswer>{{true, 0}}};
  };
  EXPECT_EQ(run_for(seconds(58), swept).writes, 1);
}

// Ends that come without pause must not keep slots from being decided, nor slots runs from being
// taken.
TEST_F(EngineLaneTest, lets_every_kind_of_write_have_its_turn) {
  std::vector<JobRow> jobs{waiting(JobUid{100})};
  for (std::uint64_t i = 1; i <= 50; ++i)
    jobs.push_back(hourly(JobUid{i}, "j" + std::to_string(i)));
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    jobs[i].plan.next = kNoon + milliseconds(10 * i);
  }
  live(jobs);
  now.cluster = kNoon;
  tell(RunEnded{end_of(claim_of(slot_run(JobUid{200}, kNoon)))});
  std::set<std::size_t> kinds;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(write);
    kinds.insert(write->ask.index());
    now.cluster += milliseconds(10);
    now.boot += milliseconds(10);
    const bool ends = asked<Ends>() != nullptr;
    const Outcome outcome = ends                 ? Outcome{stored()}
                            : asked<DecideAsk>() ? Outcome{granted()}
                                                 : Outcome{taken()};
    tell(RunEnded{end_of(claim_of(slot_run(JobUid{200 + i}, kNoon)))});
    answer(outcome);
  }
  EXPECT_EQ(kinds.size(), 3U);
}

}  // namespace
}  // namespace cronce
