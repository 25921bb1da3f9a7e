// A store that has forgotten something: what is kept, told, put back and opened.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class EngineEpochTest : public EngineTest {
 protected:
  /// The next beat finds the epoch closed.
  void close() {
    closed = true;
    tell(Hinted{});
    answer_beat();
  }
  /// The memory was taken, and a beat says so.
  void remember(const std::vector<RunId>& unknown = {}) {
    ASSERT_NE(asked<Remember>(), nullptr) << written();
    ControlAnswer taken;
    taken.unknown = unknown;
    answer(taken);
    next_answer.remembered = true;
    answer_beat();
  }
  /// Time passes, and beats say that the epoch is closed.
  void wait(Duration time) {
    for (const Duration end = now.boot + time; now.boot < end;) {
      pass(std::min<Duration>(seconds(5), end - now.boot));
      next_answer.remembered = true;
      if (beat) answer_beat();
    }
  }
  void open() {
    closed = false;
    ++epoch.value;
    tell(Hinted{});
    answer_beat();
  }
};

TEST_F(EngineEpochTest, keeps_a_mark_of_what_it_has_seen) {
  tick();
  EXPECT_EQ(beat->mark, std::nullopt);
  answer_beat();
  ASSERT_EQ(ordered<KeepMark>().size(), 1U);
  const Mark mark = ordered<KeepMark>().front().mark;
  EXPECT_EQ(mark.epoch, epoch);
  EXPECT_EQ(mark.position, position);
  EXPECT_EQ(mark.time, now.cluster);
  pass(seconds(5));
  EXPECT_EQ(beat->mark, mark);
}

/// The node stood still, and its answer with it: that tells no time, and nobody doubts it yet.
TEST_F(EngineEpochTest, keeps_no_mark_of_a_time_that_it_does_not_go_by) {
  live();
  now.boot += minutes(1);
  now.cluster += minutes(1);
  tick();
  next_answer.store_time = kNoon + hours(24 * 365);
  answer_beat();
  ASSERT_FALSE(ordered<KeepMark>().empty());
  EXPECT_EQ(ordered<KeepMark>().back().mark.time, now.cluster);
}

TEST_F(EngineEpochTest, begins_with_the_mark_that_a_former_process_kept) {
  const Mark kept{{}, Epoch{4}, 99, kNoon};
  restart([&](EngineSettings& s) { s.mark = kept; });
  tick();
  EXPECT_EQ(beat->mark, kept);
}

TEST_F(EngineEpochTest, moves_the_marks_time_by_every_answer_and_never_back) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  answer(granted());
  pass(seconds(5));
  EXPECT_EQ(beat->mark->time, kNoon);
  now.cluster = kNoon - minutes(10);  // the store's clock is set back
  answer_beat();
  pass(seconds(5));
  EXPECT_EQ(beat->mark->time, kNoon);
}

TEST_F(EngineEpochTest, only_remembers_and_after_one_lease_opens) {
  start_at_noon();
  close();
  now.cluster = kNoon + hours(1);  // a slot is due
  ASSERT_NE(asked<Remember>(), nullptr);
  EXPECT_EQ(asked<Remember>()->running.size(), 1U);
  EXPECT_TRUE(asked<Remember>()->ended.empty());
  EXPECT_EQ(asked<Remember>()->mark.epoch, Epoch{1});
  const Duration since = now.boot;
  remember();
  wait(since + seconds(60) - now.boot - milliseconds(1));
  EXPECT_EQ(written(), "nothing");
  wait(milliseconds(1));
  EXPECT_EQ(written(), "open the epoch after 1");
}

TEST_F(EngineEpochTest, waits_as_long_as_the_longest_lease) {
  add_node(7).lease = seconds(90);
  live();
  close();
  const Duration since = now.boot;
  remember();
  wait(since + seconds(89) - now.boot);
  EXPECT_EQ(written(), "nothing");
  wait(seconds(1));
  EXPECT_EQ(written(), "open the epoch after 1");
}

TEST_F(EngineEpochTest, is_told_again_what_was_forgotten_once_more) {
  live();
  close();
  remember();
  wait(seconds(30));
  pass(seconds(5));
  answer_beat();  // not remembered: it was put back again
  EXPECT_NE(asked<Remember>(), nullptr);
  remember();
  wait(seconds(50));
  EXPECT_EQ(written(), "nothing") << "the lease begins anew";
  wait(seconds(10));
  EXPECT_EQ(written(), "open the epoch after 1");
}

TEST_F(EngineEpochTest, says_what_it_was_granted_while_the_epoch_was_closed) {
  live();
  pass(seconds(5));
  EXPECT_EQ(beat->granted_closed, Beat{});
  answer_beat();
  close();
  remember();
  pass(seconds(5));
  const Beat granted = beat->granted_closed;
  EXPECT_EQ(granted, Beat{beat->node.beat.value - 1});
  wait(seconds(60));
  ASSERT_NE(asked<OpenEpoch>(), nullptr);
  EXPECT_GT(asked<OpenEpoch>()->beat, granted);
  answer(ControlAnswer{});
  open();
  pass(seconds(5));
  EXPECT_EQ(beat->granted_closed, Beat{});
}

TEST_F(EngineEpochTest, waits_once_more_if_it_has_not_heard_what_happened_meanwhile) {
  live();
  close();
  remember();
  wait(seconds(25));
  pass(seconds(36));  // nobody answers
  EXPECT_EQ(written(), "nothing") << "it asks what the store is now";
  ASSERT_TRUE(beat);
  const Duration since = now.boot;
  wait(milliseconds(1));
  wait(since + seconds(59) - now.boot);
  EXPECT_EQ(written(), "nothing") << "the lease begins anew";
  wait(seconds(2));
  EXPECT_EQ(written(), "open the epoch after 1");
}

TEST_F(EngineEpochTest, trusts_no_beat_of_a_closed_epoch_before_it_has_remembered) {
  live();
  closed = true;
  pass(seconds(5));
  answer_beat();
  EXPECT_TRUE(ordered<TrustUntil>().empty());
  answer(ControlAnswer{});
  next_answer.remembered = true;
  answer_beat();
  EXPECT_EQ(ordered<TrustUntil>().size(), 1U);
}

TEST_F(EngineEpochTest, stops_what_could_not_be_put_back) {
  const Claim claim = start_at_noon();
  close();
  ControlAnswer taken;
  taken.unknown = {claim.run};
  answer(taken);
  ASSERT_EQ(ordered<StopRun>().size(), 1U);
  EXPECT_EQ(ordered<StopRun>().front().run, claim.run);
}

TEST_F(EngineEpochTest, keeps_ends_until_the_epoch_is_open) {
  const Claim claim = start_at_noon();
  close();
  remember();
  tell(RunEnded{end_of(claim)});
  EXPECT_EQ(written(), "nothing");
  wait(seconds(5));
  EXPECT_EQ(written(), "nothing");
  open();
  EXPECT_EQ(written(), "finish job 1 slot 2026-01-01T12:00:00Z #1 succeeded fence 1099511627777");
}

TEST_F(EngineEpochTest, keeps_an_end_that_a_closed_store_refused) {
  const Claim claim = start_at_noon();
  tell(RunEnded{end_of(claim)});
  answer(std::vector<FinishAnswer>{{Refused::closed, RunState::running}});
  EXPECT_TRUE(ordered<EndStored>().empty());
  pass(milliseconds(300));
  EXPECT_NE(asked<std::vector<FinishEntry>>(), nullptr);
}

TEST_F(EngineEpochTest, tells_again_what_ended_in_the_last_hour) {
  const Claim claim = start_at_noon();
  FinishEntry end = end_of(claim);
  end.output_tail = "much";
  tell(RunEnded{end});
  answer(stored());
  close();
  ASSERT_EQ(asked<Remember>()->ended.size(), 1U);
  EXPECT_EQ(asked<Remember>()->ended.front(), claim);
  remember();
  open();
  ASSERT_NE(asked<std::vector<FinishEntry>>(), nullptr) << written();
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().run, claim.run);
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().state, RunState::succeeded);
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().output_tail, "") << "that would be too much";
}

TEST_F(EngineEpochTest, tells_who_was_ended_by_it_and_by_others) {
  silent.insert(add_node(7).name);
  add_node(8);
  add_node(9);
  for (Node& other : others) other.lease = seconds(5);
  const std::vector<Incarnation> all{others[0].incarnation, others[1].incarnation};
  live();
  pass(seconds(5));
  answer_beat();
  answer(std::vector<SweepAnswer>{{true, 0}});
  others.erase(others.begin(), others.begin() + 2);  // the other one has left
  answer_beat();
  others.clear();  // which a store that forgot does not know yet
  close();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  EXPECT_EQ(asked<Remember>()->gone, all);
}

/// It has no mark yet, and the store takes nothing of what was seen of another one.
TEST_F(EngineEpochTest, tells_who_was_ended_also_while_it_believes_no_time) {
  now.timeless = true;
  const Incarnation other = add_node(7).incarnation;
  next_answer.store = StoreId{{3, 3}};
  live();
  others.clear();
  next_answer.store = StoreId{{3, 3}};
  tell(Hinted{});
  answer_beat();
  close();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  EXPECT_EQ(asked<Remember>()->gone, std::vector<Incarnation>{other});
  EXPECT_EQ(asked<Remember>()->mark, (Mark{StoreId{{3, 3}}}));
}

TEST_F(EngineEpochTest, tells_that_a_former_life_of_it_was_ended) {
  tick();
  const Incarnation before = beat->node.incarnation;
  next_answer.refused = Refused::ended;
  answer_beat();
  closed = true;
  answer_beat();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  EXPECT_EQ(asked<Remember>()->gone, std::vector{before});
}

TEST_F(EngineEpochTest, tells_what_a_former_life_of_it_ran) {
  const Claim claim = start_at_noon();
  tell(Hinted{});
  next_answer.refused = Refused::ended;
  answer_beat();
  closed = true;
  answer_beat();
  ASSERT_NE(asked<Remember>(), nullptr);
  EXPECT_TRUE(asked<Remember>()->running.empty());
  EXPECT_EQ(asked<Remember>()->begun, std::vector<Claim>{claim});
  remember();
  tell(RunEnded{end_of(claim, RunState::failed)});
  open();
  EXPECT_EQ(written(), "finish job 1 slot 2026-01-01T12:00:00Z #1 failed fence 1099511627777");
}

TEST_F(EngineEpochTest, keeps_its_claims_with_the_mark) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  DecideAnswers grants = granted();
  Claim claim = grants.entries.front().runs.front().claim.value();
  grants.entries.front().runs.front().claim->env = std::map<std::string, std::string>{{"A", "b"}};
  answer(std::move(grants));
  EXPECT_FALSE(ordered<StartRun>().front().claim.env->empty());
  tell(Hinted{});
  answer_beat();
  EXPECT_EQ(ordered<KeepMark>().back().claims, std::vector<Claim>{claim});
  tell(Hinted{});
  answer_beat();
  EXPECT_EQ(ordered<KeepMark>().back().claims, std::vector<Claim>{}) << "once";
}

TEST_F(EngineEpochTest, tells_what_former_processes_began) {
  Claim claim = claim_of(slot_run(JobUid{1}, kNoon));
  claim.incarnation = {{7, 7}};
  restart([&](EngineSettings& s) { s.claims = {claim}; });
  live({hourly(JobUid{1})});
  pass(hours(2));
  close();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  EXPECT_TRUE(asked<Remember>()->running.empty());
  EXPECT_TRUE(asked<Remember>()->ended.empty()) << "it may still run";
  EXPECT_EQ(asked<Remember>()->begun, std::vector<Claim>{claim});
}

TEST_F(EngineEpochTest, tells_what_a_former_process_ran_as_far_as_its_end_does) {
  Claim claim = claim_of(slot_run(JobUid{1}, kNoon));
  claim.incarnation = {{7, 7}};
  live({hourly(JobUid{1})});
  tell(RunEnded{end_of(claim)});
  answer(std::vector<FinishAnswer>{{Refused::closed, RunState::running}});
  close();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  claim.key.clear();
  claim.due = claim.claimed_at = kNoon;
  EXPECT_EQ(asked<Remember>()->ended, std::vector<Claim>{claim});
}

TEST_F(EngineEpochTest, misses_no_beat_of_a_closed_epoch_that_is_all_it_has_seen) {
  closed = true;
  tick();
  answer_beat();
  pass(seconds(5));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->granted, Beat{});
}

TEST_F(EngineEpochTest, forgets_what_ended_more_than_an_hour_ago) {
  const Claim claim = start_at_noon();
  tell(RunEnded{end_of(claim)});
  answer(stored());
  now.boot += hours(1) + seconds(1);
  tick();
  answer_beat();
  answer_purge();
  close();
  ASSERT_NE(asked<Remember>(), nullptr) << written();
  EXPECT_TRUE(asked<Remember>()->ended.empty());
}

TEST_F(EngineEpochTest, forgets_all_rows_in_a_new_epoch_and_asks_for_them) {
  live({hourly(JobUid{1})});
  next_answer.changes = 17;
  tell(Hinted{});
  answer_beat();
  pass(seconds(5));
  EXPECT_EQ(beat->known_changes, 17U);
  ++epoch.value;
  next_answer.changed = {hourly(JobUid{2})};  // of a history that may not be ours
  answer_beat();
  pass(milliseconds(100));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->known_changes, 0U);
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(written(), "nothing") << "neither the old rows nor the new ones count";
  next_answer.changed = {hourly(JobUid{3})};
  answer_beat();
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->entries.front().job, JobUid{3});
}

TEST_F(EngineEpochTest, registers_its_files_again_in_a_new_epoch) {
  tell(Offered{{"jobs", {}, {}}, "d1"});
  answer_beat();
  answer(RegisterAnswer{});
  ++epoch.value;
  tell(Hinted{});
  answer_beat();
  EXPECT_NE(asked<RegisterAsk>(), nullptr);
}

TEST_F(EngineEpochTest, ignores_a_grant_of_an_epoch_that_is_over) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  const DecideAnswers grant = granted();
  ++epoch.value;
  tell(Hinted{});
  answer_beat();
  answer(grant);
  EXPECT_EQ(started(), "");
  EXPECT_EQ(engine->running(), 0U);
}

TEST_F(EngineEpochTest, returns_a_grant_that_comes_when_the_epoch_is_known_to_be_closed) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  const DecideAnswers grant = granted();
  closed = true;
  tell(Hinted{});
  answer_beat();
  answer(grant);
  EXPECT_EQ(started(), "");
  remember();
  open();
  ASSERT_NE(asked<std::vector<FinishEntry>>(), nullptr) << written();
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().state, RunState::returned);
}

TEST_F(EngineEpochTest, returns_a_grant_of_an_epoch_that_it_does_not_know_yet) {
  now.cluster = kNoon;
  live({waiting(JobUid{1})});
  ++epoch.value;
  answer(taken());
  EXPECT_EQ(started(), "");
  ASSERT_NE(asked<std::vector<FinishEntry>>(), nullptr);
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().state, RunState::returned);
}

TEST_F(EngineEpochTest, stops_what_a_new_epoch_does_not_hold_and_keeps_what_it_holds) {
  for (const bool holds : {true, false}) {
    restart();
    epoch = Epoch{1};
    now.cluster = kNoon - minutes(1);
    const Claim claim = start_at_noon();
    ++epoch.value;
    tell(Hinted{});
    answer_beat();
    if (holds) next_answer.held = {claim};
    answer_beat();
    EXPECT_EQ(ordered<StopRun>().size(), holds ? 0U : 1U);
  }
}

}  // namespace
}  // namespace cronce
