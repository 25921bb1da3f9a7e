// Who decides a slot, when, and how: ranks, fitting and places.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using EngineJobsTest = EngineTest;

/// `run 12:00:00`, `enqueue 12:00:00`: how the first slot of the decide in flight is asked for.
std::string how(const DecideAsk* ask) {
  if (ask == nullptr || ask->entries.empty() || ask->entries.front().runs.empty()) return "nothing";
  const SlotToRun& run = ask->entries.front().runs.front();
  return (run.how == SlotToRun::How::run       ? "run "
          : run.how == SlotToRun::How::enqueue ? "enqueue "
                                               : "defer ") +
         print(run.slot).substr(11, 8);
}

TEST_F(EngineJobsTest, home_decides_at_the_slot_without_a_look) {
  add_node(7);
  live({hourly(job_of_rank(0))});
  now.cluster = kNoon - milliseconds(1);
  tick();
  EXPECT_EQ(written(), "nothing");
  pass(milliseconds(1));
  EXPECT_EQ(how(asked<DecideAsk>()), "run 12:00:00");
}

TEST_F(EngineJobsTest, a_rank_waits_and_looks_before_it_stands_in) {
  for (std::uint64_t node = 7; node <= 9; ++node) add_node(node);
  live({hourly(job_of_rank(2))});
  now.cluster = kNoon;
  pass(milliseconds(599));
  EXPECT_EQ(written(), "nothing");
  EXPECT_FALSE(beat);
  pass(milliseconds(1));
  EXPECT_EQ(written(), "nothing");
  ASSERT_TRUE(beat) << "it reads changes first";
  answer_beat();
  EXPECT_EQ(how(asked<DecideAsk>()), "run 12:00:00");
}

TEST_F(EngineJobsTest, a_rank_does_nothing_if_the_plan_has_moved) {
  add_node(7);
  JobRow row = hourly(job_of_rank(1));
  live({row});
  now.cluster = kNoon;
  pass(milliseconds(300));
  row.plan = {Turn{2}, kNoon, kNoon + hours(1), {}};
  next_answer.changed = {row};
  answer_beat();
  EXPECT_EQ(written(), "nothing");
  EXPECT_EQ(engine->next_wakeup(now), now.boot + seconds(5));
}

TEST_F(EngineJobsTest, looks_once_for_all_jobs_that_it_would_stand_in_for) {
  add_node(7);
  std::vector<JobRow> jobs;
  JobUid uid = job_of_rank(1);
  for (int i = 0; i < 50; ++i) {
    jobs.push_back(hourly(uid, "j" + std::to_string(i)));
    uid = job_of_rank(1, uid.value + 1);
  }
  live(jobs);
  now.cluster = kNoon;
  pass(milliseconds(300));
  ASSERT_TRUE(beat);
  answer_beat();
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->entries.size(), 50U);
  EXPECT_FALSE(beat);
}

// When the store comes back, every node owes the same slots: they must not all ask for all of them.
TEST_F(EngineJobsTest, a_rank_waits_after_an_outage_too) {
  add_node(7);
  const JobUid home = job_of_rank(0);
  const JobUid other = job_of_rank(1);
  live({hourly(home, "home"), hourly(other, "other")});
  now.boot += minutes(10);
  now.cluster += minutes(10);
  tick();
  answer_beat();
  ASSERT_EQ(asked<DecideAsk>()->entries.size(), 1U);
  EXPECT_EQ(asked<DecideAsk>()->entries.front().job, home);
  answer(granted());
  answer_purge();
  pass(milliseconds(299));
  EXPECT_EQ(written(), "nothing");
  pass(milliseconds(1));
  answer_beats();
  EXPECT_EQ(how(asked<DecideAsk>()), "run 12:00:00");
}

TEST_F(EngineJobsTest, does_not_wait_for_a_time_that_was_set_back) {
  add_node(7);
  live({hourly(job_of_rank(1))});
  now.cluster = kNoon + hours(2);  // at noon somebody sets the store's clock
  pass(milliseconds(300));
  answer_beats();
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  answer(refused(Refused::future));
  now.cluster = kNoon;
  pass(milliseconds(300));
  answer_beat();
  EXPECT_EQ(how(asked<DecideAsk>()), "run 12:00:00");
}

TEST_F(EngineJobsTest, ranks_anew_when_the_home_is_suspect) {
  silent.insert(add_node(7).name);
  live({hourly(job_of_rank(1))});
  for (int i = 0; i < 3; ++i) {
    pass(seconds(5));
    answer_beat();
  }
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(how(asked<DecideAsk>()), "run 12:00:00");
}

TEST_F(EngineJobsTest, ranks_behind_who_fits_and_decides_for_others) {
  struct Row {
    const char* what;
    std::function<void(EngineSettings&)> self;
    std::function<void(Job&)> job;
  };
  for (const Row& row : std::vector<Row>{
           {"a label is missing", {}, [](Job& j) { j.on.edit()["disk"] = "ssd"; }},
           {"it only schedules", [](EngineSettings& s) { s.self.works = false; }, [](Job&) {}},
       }) {
    SCOPED_TRACE(row.what);
    restart(row.self);
    others.clear();
    add_node(7).labels["disk"] = "ssd";
    now.cluster = kNoon - minutes(1);
    live({with(hourly(job_of_rank(0)), row.job)});
    now.cluster = kNoon;
    tick();
    EXPECT_EQ(written(), "nothing") << "the other is the home";
    pass(milliseconds(300));
    answer_beat();
    EXPECT_EQ(how(asked<DecideAsk>()), "enqueue 12:00:00");
  }
}

TEST_F(EngineJobsTest, a_worker_that_does_not_schedule_decides_nothing) {
  restart([](EngineSettings& s) { s.self.schedules = false; });
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  pass(seconds(10));
  answer_beats();
  pass(seconds(10));
  EXPECT_EQ(written(), "nothing");
}

// A job of a newer version is left to those who understand it.
TEST_F(EngineJobsTest, forgets_a_job_whose_schedule_it_cannot_read) {
  JobRow row = hourly(JobUid{1});
  live({row});
  row = with(row, [](Job& j) { j.schedule.elements = {CronSpec{"at full moon"}}; });
  row.plan.turn = Turn{2};
  learn(row);
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(written(), "nothing");
  row = hourly(JobUid{1});
  row.plan.turn = Turn{3};
  learn(row);
  EXPECT_EQ(how(asked<DecideAsk>()), "run 12:00:00");
}

TEST_F(EngineJobsTest, a_node_with_files_runs_only_what_they_say) {
  struct Row {
    std::string offered;
    const char* how;
  };
  for (const Row& row :
       {Row{"", "run 12:00:00"}, Row{"d1", "run 12:00:00"}, Row{"d2", "enqueue 12:00:00"}}) {
    restart();
    now.cluster = kNoon - minutes(1);
    if (!row.offered.empty()) tell(file_of({hourly(JobUid{1})}, row.offered));
    live({hourly(JobUid{1})});
    if (asked<RegisterAsk>() != nullptr) answer(RegisterAnswer{});
    pass(seconds(5));
    answer_beat();
    now.cluster = kNoon;
    tick();
    EXPECT_EQ(how(asked<DecideAsk>()), row.how) << row.offered;
  }
}

TEST_F(EngineJobsTest, enqueues_what_finds_no_place_here) {
  restart([](EngineSettings& s) { s.self.max_running = 2; });
  std::vector<JobRow> jobs;
  for (std::uint64_t i = 1; i <= 5; ++i) jobs.push_back(hourly(JobUid{i}, "j" + std::to_string(i)));
  jobs[3] = with(jobs[3], [](Job& j) { j.priority = 9; });
  jobs[0] = with(jobs[0], [](Job& j) { j.on.edit()["disk"] = "ssd"; });  // takes no place here
  live(jobs);
  now.cluster = kNoon;
  pass(milliseconds(0));
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  std::string text;
  for (const DecideEntry& entry : asked<DecideAsk>()->entries) {
    text += entry.runs.front().how == SlotToRun::How::run ? " run " : " enqueue ";
    text += std::to_string(entry.job.value);
  }
  EXPECT_EQ(text, " run 4 enqueue 1 run 2 enqueue 3 enqueue 5");
  answer(granted());
  EXPECT_EQ(started(), "j4 j2");
}

TEST_F(EngineJobsTest, defers_a_slot_while_the_live_runs_node_is_suspect) {
  silent.insert(add_node(7).name);
  others.front().schedules = false;
  JobRow row = hourly(JobUid{1});
  row.live = {{slot_run(JobUid{1}, kNoon - hours(1)), {{7, 7}}, {}}};
  live({row});
  for (int i = 0; i < 3; ++i) {
    pass(seconds(5));
    answer_beat();
  }
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(how(asked<DecideAsk>()), "defer 12:00:00");
  answer(granted());
  row.plan = {Turn{2}, kNoon, kNoon + hours(1), {}};
  row.pending = {{slot_run(JobUid{1}, kNoon), RunKind::scheduled, kNoon, true}};
  learn(row);
  EXPECT_EQ(written(), "nothing") << "still suspect";
  silent.clear();
  pass(seconds(5));
  answer_beat();
  EXPECT_EQ(written(), "decide lapse job 1 slot 2026-01-01T12:00:00Z #1 skipped: overlap");
}

// ---- whom it has told

/// The jobs that the last step wants to be looked at.
std::string looked_for(const EngineTest& test) {
  std::string text;
  for (const LookForNotices& look : test.ordered<LookForNotices>()) {
    text += (text.empty() ? "" : " ") + look.job.definition->name.text();
  }
  return text.empty() ? "nothing" : text;
}

JobRow told_of_failures(JobRow row) {
  return with(std::move(row),
              [](Job& j) { j.notify = Notify{.on = {"failed"}, .command = "tell"}; });
}

/// A later one of the same job.
JobRow moved(JobRow row) {
  ++row.plan.turn.value;
  return row;
}

TEST_F(EngineJobsTest, looks_for_notices_whenever_a_job_with_notify_changes) {
  const JobRow row = told_of_failures(hourly(JobUid{1}));
  const JobRow silent_one = hourly(JobUid{2}, "silent");
  live({row, silent_one});
  EXPECT_EQ(looked_for(*this), "billing");
  learn(moved(silent_one));
  EXPECT_EQ(looked_for(*this), "nothing");
  learn(moved(row));
  ASSERT_EQ(looked_for(*this), "billing");
  EXPECT_EQ(ordered<LookForNotices>().front().job.plan.turn, Turn{2}) << "as it is now";
  learn(row);
  EXPECT_EQ(looked_for(*this), "nothing") << "older news";
}

TEST_F(EngineJobsTest, looks_for_notices_once_more_when_notify_is_removed) {
  const JobRow row = told_of_failures(hourly(JobUid{1}));
  live({row});
  const JobRow removed = moved(hourly(JobUid{1}));
  learn(removed);
  ASSERT_EQ(looked_for(*this), "billing");
  EXPECT_EQ(ordered<LookForNotices>().front().job.definition->notify, Notify{});
  learn(moved(removed));
  EXPECT_EQ(looked_for(*this), "nothing");
}

TEST_F(EngineJobsTest, a_node_with_files_tells_only_what_they_say) {
  struct Row {
    std::string offered;
    const char* looks;
  };
  for (const Row& row : {Row{"", "billing"}, Row{"d1", "billing"}, Row{"d2", "nothing"}}) {
    restart();
    now.cluster = kNoon - minutes(1);
    const JobRow job = told_of_failures(hourly(JobUid{1}));
    if (!row.offered.empty()) tell(file_of({job}, row.offered));
    live({job});
    EXPECT_EQ(looked_for(*this), row.looks) << row.offered;
  }
}

// Who can write the store can write another command under the digest of our file.
TEST_F(EngineJobsTest, a_node_with_files_believes_no_definition_that_is_not_theirs) {
  const JobRow ours = told_of_failures(hourly(JobUid{1}));
  const JobRow theirs = with(ours, [](Job& j) { j.command = ArgvCommand{{"rm", "-rf"}}; });
  for (const JobRow& row : {ours, theirs}) {
    restart();
    now.cluster = kNoon - minutes(1);
    tell(file_of({ours}));
    live({row});
    EXPECT_EQ(looked_for(*this), row.definition == ours.definition ? "billing" : "nothing");
    EXPECT_EQ(engine->mistrusts(row), row.definition != ours.definition);
    answer(RegisterAnswer{});
    now.cluster = kNoon;
    tick();
    EXPECT_EQ(how(asked<DecideAsk>()),
              row.definition == ours.definition ? "run 12:00:00" : "enqueue 12:00:00");
  }
}

}  // namespace
}  // namespace cronce
