// When the engine wants to be woken, and that nothing makes it ask without pause.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class EngineWakeupTest : public EngineTest {
 protected:
  /// Everything that is asked is refused for ten seconds: it may be asked again some times a
  /// second, but not as fast as the answers come.
  void expect_patience(Refused why, bool beats_arrive = true) {
    const Tally tally = run_for(seconds(10), [&] { return refuse(why); }, beats_arrive);
    EXPECT_LE(tally.writes, 200) << describe(why);
    EXPECT_LE(tally.beats, 200) << describe(why);
    EXPECT_LE(tally.steps, 600) << describe(why);
  }

  Outcome refuse(Refused why) const {
    if (asked<DecideAsk>() != nullptr) return refused(why);
    if (const auto* runs = asked<std::vector<RunId>>()) {
      return std::vector<TakeAnswer>(runs->size(), {why, {}, "other"});
    }
    if (const auto* ends = asked<std::vector<FinishEntry>>()) {
      return std::vector<FinishAnswer>(ends->size(), {why, RunState::running});
    }
    if (const auto* nodes = asked<std::vector<SweepEntry>>()) {
      return std::vector<SweepAnswer>(nodes->size());
    }
    if (asked<RegisterAsk>() != nullptr) return RegisterAnswer{why};
    return ControlAnswer{why};
  }

  const std::vector<Refused> every_refusal_{
      Refused::ended,   Refused::closed,  Refused::gone,    Refused::moved, Refused::future,
      Refused::too_old, Refused::paused,  Refused::retired, Refused::busy,  Refused::full,
      Refused::stale,   Refused::invalid, Refused::clock};
};

TEST_F(EngineWakeupTest, wants_the_next_slot_or_the_next_beat) {
  live({hourly(JobUid{1})});
  EXPECT_EQ(engine->next_wakeup(now), now.boot + seconds(5));
  now.cluster = kNoon - milliseconds(1'200);
  EXPECT_EQ(engine->next_wakeup(now), now.boot + milliseconds(1'200));
  now.cluster = kNoon + seconds(9);  // never in the past
  EXPECT_EQ(engine->next_wakeup(now), now.boot + milliseconds(1));
}

TEST_F(EngineWakeupTest, wants_only_beats_without_trust) {
  live({hourly(JobUid{1})});
  now.boot += minutes(5);
  now.cluster = kNoon;
  tick();
  beat.reset();
  tell(BeatUnanswered{});
  EXPECT_EQ(engine->next_wakeup(now), now.boot + seconds(5));
}

TEST_F(EngineWakeupTest, is_quiet_when_nothing_is_due) {
  live({hourly(JobUid{1})});
  const Tally tally = run_for(seconds(50), [] { return Outcome{}; });
  EXPECT_EQ(tally.writes, 0);
  EXPECT_EQ(tally.beats, 10);
  EXPECT_LE(tally.steps, 20);
}

TEST_F(EngineWakeupTest, asks_for_news_twenty_times_a_second_at_most) {
  live();
  int beats = 0;
  for (int i = 0; i < 1'000; ++i) {
    now.boot += milliseconds(1);
    tell(Hinted{});
    beats += static_cast<int>(ordered<SendBeat>().size());
    if (beat) answer_beat();
  }
  EXPECT_EQ(beats, 20);
}

TEST_F(EngineWakeupTest, is_patient_about_slots) {
  for (const Refused why : every_refusal_) {
    restart();
    now.cluster = kNoon;
    live({hourly(JobUid{1})});
    ASSERT_NE(asked<DecideAsk>(), nullptr);
    expect_patience(why);
  }
}

TEST_F(EngineWakeupTest, is_patient_about_takes) {
  for (const Refused why : every_refusal_) {
    restart();
    now.cluster = kNoon;
    live({waiting(JobUid{1})});
    ASSERT_NE(asked<std::vector<RunId>>(), nullptr);
    expect_patience(why);
  }
}

TEST_F(EngineWakeupTest, is_patient_about_pending_runs_that_lapse) {
  for (const Refused why : every_refusal_) {
    restart();
    now.cluster = kNoon;
    live({with(waiting(JobUid{1}), [](Job& j) { j.catch_up.window = minutes(5); })});
    ASSERT_EQ(asked<DecideAsk>()->lapses.size(), 1U);
    expect_patience(why);
  }
}

TEST_F(EngineWakeupTest, is_patient_about_the_end_of_a_pause) {
  for (const bool by_file_too : {false, true}) {
    for (const Refused why : every_refusal_) {
      restart();
      now.cluster = kNoon - minutes(1);
      JobRow row = with(hourly(JobUid{1}), [&](Job& j) { j.paused = by_file_too; });
      row.pause = Pause{kNoon - hours(1), ""};
      live({row});
      ASSERT_EQ(asked<DecideAsk>()->changes.size(), 1U);
      expect_patience(why);
    }
  }
}

TEST_F(EngineWakeupTest, is_patient_about_joining_and_repointing) {
  for (const Refused why : every_refusal_) {
    restart();
    now.cluster = kNoon - minutes(1);
    JobRow whole = with(hourly(JobUid{1}), [](Job& j) { j.everywhere = true; });
    whole.plan.next.reset();
    JobRow other = hourly(JobUid{2}, "other");
    other.plan.next = kNoon + minutes(7);
    live({whole, other});
    ASSERT_EQ(asked<DecideAsk>()->changes.size(), 2U);
    expect_patience(why);
  }
}

TEST_F(EngineWakeupTest, is_patient_about_files) {
  for (const Refused why : every_refusal_) {
    restart();
    tell(Offered{{"jobs", {}, {*hourly(JobUid{1}).definition}}, "d1"});
    answer_beat();
    ASSERT_NE(asked<RegisterAsk>(), nullptr);
    expect_patience(why);
  }
  for (const auto what : {Registered::superseded, Registered::conflict, Registered::numbered,
                          Registered::owing, Registered::early}) {
    restart();
    tell(Offered{{"jobs", {}, {*hourly(JobUid{1}).definition}}, "d1"});
    answer_beat();
    RegisterAnswer told;
    told.registered = what;
    told.jobs = {"billing"};
    const Tally tally = run_for(seconds(10), [&] { return told; });
    EXPECT_LE(tally.writes, 40);
    EXPECT_LE(tally.beats, 100);
  }
}

TEST_F(EngineWakeupTest, is_patient_about_ends) {
  live({hourly(JobUid{1})});
  tell(RunEnded{end_of(claim_of(slot_run(JobUid{1}, kNoon)))});
  expect_patience(Refused::closed);
}

TEST_F(EngineWakeupTest, is_patient_about_sweeps) {
  for (const bool beats_arrive : {true, false}) {
    restart();
    others.clear();
    silent.insert(add_node(7).name);
    others.front().lease = seconds(5);
    live();
    pass(seconds(5));
    answer_beat();
    ASSERT_NE(asked<std::vector<SweepEntry>>(), nullptr);
    expect_patience(Refused::none, beats_arrive);
  }
}

TEST_F(EngineWakeupTest, is_patient_about_a_closed_epoch) {
  for (const bool beats_arrive : {true, false}) {
    for (const Refused why : {Refused::none, Refused::moved, Refused::ended, Refused::closed}) {
      restart();
      closed = true;
      live();
      ASSERT_NE(asked<Remember>(), nullptr);
      expect_patience(why, beats_arrive);
      pass(minutes(2));
      expect_patience(why, beats_arrive);
    }
  }
}

TEST_F(EngineWakeupTest, is_patient_about_leaving) {
  live();
  tell(LeaveAsked{});
  answer_beats();
  pass(seconds(5));
  ASSERT_NE(asked<std::vector<SweepEntry>>(), nullptr);
  expect_patience(Refused::none);
}

TEST_F(EngineWakeupTest, is_patient_about_a_group_without_a_place) {
  std::vector<JobRow> jobs;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    jobs.push_back(with(waiting(JobUid{i}, "j" + std::to_string(i)),
                        [](Job& j) { j.concurrency = Concurrency{"heavy", 2}; }));
  }
  now.cluster = kNoon;
  live(jobs);
  expect_patience(Refused::full);
}

TEST_F(EngineWakeupTest, wants_nothing_any_more_when_it_has_left) {
  live();
  tell(LeaveAsked{});
  answer_beats();
  pass(seconds(5));
  answer(std::vector<SweepAnswer>{{true, 0}});
  ASSERT_EQ(ordered<Left>().size(), 1U);
  EXPECT_EQ(engine->next_wakeup(now), Duration::max());
}

}  // namespace
}  // namespace cronce
