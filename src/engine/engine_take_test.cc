// Runs that wait: when they are taken, and when they lapse.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using EngineTakeTest = EngineTest;

TEST_F(EngineTakeTest, takes_what_waits_when_a_place_is_free_again) {
  restart([](EngineSettings& s) { s.self.max_running = 1; });
  now.cluster = kNoon;
  live({hourly(JobUid{1})});
  answer(granted());
  const Claim claim = ordered<StartRun>().front().claim;
  learn(waiting(JobUid{2}));
  EXPECT_EQ(written(), "nothing");
  tell(RunEnded{end_of(claim)});
  answer(stored());
  EXPECT_EQ(written(), "take job 2 slot 2026-01-01T11:00:00Z #1");
  answer(taken());
  EXPECT_EQ(started(), "waiting");
}

TEST_F(EngineTakeTest, takes_no_run_before_its_time_beside_a_live_one_or_of_a_paused_job) {
  const JobUid uid{1};
  struct Row {
    const char* what;
    std::function<void(JobRow&)> change;
    const char* written;
  };
  const RunId manual{uid, Space::manual, {}, "r1", Attempt{1}};
  for (const Row& row : std::vector<Row>{
           {"it may", [](JobRow&) {}, "take job 1 slot 2026-01-01T11:00:00Z #1"},
           {"not due", [](JobRow& r) { r.pending[0].due = kNoon + minutes(1); }, "nothing"},
           {"live", [&](JobRow& r) { r.live = {{slot_run(uid, kNoon - hours(2)), {{7, 7}}, {}}}; },
            "nothing"},
           {"live, but overlap is allowed",
            [&](JobRow& r) {
              r.live = {{slot_run(uid, kNoon - hours(2)), {{7, 7}}, {}}};
              r = with(r, [](Job& j) { j.overlap = Overlap::allow; });
            },
            "take job 1 slot 2026-01-01T11:00:00Z #1"},
           {"paused", [](JobRow& r) { r.pause = Pause{}; }, "nothing"},
           {"paused, but a person asked for it",
            [&](JobRow& r) {
              r.pause = Pause{};
              r.pending[0].id = manual;
            },
            "take job 1 manual r1 #1"},
           {"retired", [](JobRow& r) { r.sources = {}; }, "nothing"},
           {"does not fit",
            [](JobRow& r) { r = with(r, [](Job& j) { j.on.edit()["disk"] = "ssd"; }); }, "nothing"},
       }) {
    restart();
    now.cluster = kNoon;
    JobRow job = waiting(uid);
    row.change(job);
    live({job});
    EXPECT_EQ(written(), row.written) << row.what;
  }
}

TEST_F(EngineTakeTest, takes_as_many_of_a_group_as_it_has_places) {
  std::vector<JobRow> jobs;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    jobs.push_back(with(waiting(JobUid{i}, "j" + std::to_string(i)),
                        [](Job& j) { j.concurrency = Concurrency{"heavy", 2}; }));
  }
  now.cluster = kNoon;
  live(jobs);
  ASSERT_EQ(asked<std::vector<RunId>>()->size(), 2U) << written();
  answer(taken());
  const auto starts = ordered<StartRun>();
  EXPECT_EQ(starts.size(), 2U);
  pass(seconds(1));
  EXPECT_EQ(written(), "nothing") << "the group is full";
  tell(RunEnded{end_of(starts.front().claim)});
  answer(stored());
  ASSERT_EQ(asked<std::vector<RunId>>()->size(), 1U) << written();
}

TEST_F(EngineTakeTest, leaves_a_group_alone_that_the_store_calls_full) {
  std::vector<JobRow> jobs;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    jobs.push_back(with(waiting(JobUid{i}, "j" + std::to_string(i)),
                        [](Job& j) { j.concurrency = Concurrency{"heavy", 1}; }));
  }
  now.cluster = kNoon;
  live(jobs);
  answer(std::vector<TakeAnswer>{{Refused::full, {}, "other"}});
  EXPECT_EQ(written(), "nothing") << "the others would find no place either";
  jobs[0].plan.turn = Turn{2};
  learn(jobs[0]);
  EXPECT_NE(asked<std::vector<RunId>>(), nullptr) << "news may mean a place";
}

// Those who can run it share what waits, whoever decides.
TEST_F(EngineTakeTest, ranks_among_those_who_could_run_it) {
  for (std::uint64_t number = 7; number <= 9; ++number) add_node(number).works = false;
  add_node(10).schedules = false;
  const std::vector<Node> all = others;
  restart([](EngineSettings& s) { s.self.schedules = false; });
  others = {all[3]};
  const JobUid first = job_of_rank(0);
  const JobUid second = job_of_rank(1);
  others = all;
  now.cluster = kNoon;
  live({waiting(first, "first"), waiting(second, "second")});
  ASSERT_EQ(asked<std::vector<RunId>>()->size(), 1U);
  EXPECT_EQ(asked<std::vector<RunId>>()->front().job, first);
  answer(taken());
  pass(milliseconds(300));
  answer_beats();
  ASSERT_NE(asked<std::vector<RunId>>(), nullptr);
  EXPECT_EQ(asked<std::vector<RunId>>()->front().job, second);
}

TEST_F(EngineTakeTest, lets_a_run_lapse_that_waited_too_long) {
  for (const bool somebody : {true, false}) {
    restart();
    now.cluster = kNoon;
    live({with(waiting(JobUid{1}), [&](Job& j) {
      j.catch_up.window = minutes(60);
      j.overlap = Overlap::queue;
      if (!somebody) j.on.edit()["disk"] = "ssd";
    })});
    if (somebody) answer(std::vector<TakeAnswer>{{Refused::busy, {}, ""}});
    EXPECT_EQ(written(), "nothing");
    pass(seconds(6));
    if (beat) answer_beat();
    EXPECT_EQ(written(), std::string("decide lapse job 1 slot 2026-01-01T11:00:00Z #1 skipped: ") +
                             (somebody ? "expired" : "no_node"));
  }
}

TEST_F(EngineTakeTest, lets_nothing_lapse_that_a_person_asked_for) {
  now.cluster = kNoon;
  JobRow row = with(waiting(JobUid{1}), [](Job& j) {
    j.catch_up.window = minutes(5);
    j.on.edit()["disk"] = "ssd";
  });
  row.pending.front().kind = RunKind::backfill;
  live({row});
  for (int minute = 0; minute < 10; ++minute) {
    pass(minutes(1));
    answer_purge();
    EXPECT_EQ(written(), "nothing");
  }
}

TEST_F(EngineTakeTest, does_not_ask_again_for_the_lapse_of_what_is_gone) {
  now.cluster = kNoon;
  live({with(waiting(JobUid{1}), [](Job& j) { j.catch_up.window = minutes(5); })});
  ASSERT_EQ(asked<DecideAsk>()->lapses.size(), 1U);
  answer(refused(Refused::gone));
  EXPECT_EQ(run_for(seconds(10), [] { return Outcome{}; }).writes, 0);
}

// What it may run is judged again when the claim comes: its row may have changed since it asked.
TEST_F(EngineTakeTest, returns_a_claim_of_what_its_files_no_longer_say) {
  tell(file_of({waiting(JobUid{1})}));
  next_answer.changed = {waiting(JobUid{1})};
  answer_beat();
  answer(RegisterAnswer{});
  ASSERT_NE(asked<std::vector<RunId>>(), nullptr) << written();
  const auto claims = taken();
  JobRow row = with(waiting(JobUid{1}), [](Job& j) { j.command = ArgvCommand{{"rm", "-rf"}}; });
  row.sources.edit()["jobs"] = "d2";
  row.plan.turn = Turn{2};
  next_answer.changed = {row};
  answer_beat();
  answer(claims);
  EXPECT_EQ(started(), "");
  ASSERT_NE(asked<std::vector<FinishEntry>>(), nullptr);
  EXPECT_EQ(asked<std::vector<FinishEntry>>()->front().state, RunState::returned);
}

}  // namespace
}  // namespace cronce
