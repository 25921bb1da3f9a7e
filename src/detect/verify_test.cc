#include "detect/verify.h"

#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/schedule_spec.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

constexpr Time kBegin{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
constexpr Time at(int second) { return kBegin + std::chrono::seconds{second}; }

/// A slot every so many seconds.
Shared<Job> every(int seconds) {
  Job job{*parse_job_name("j"), {}, ArgvCommand{{"true"}}};
  job.schedule.elements = {EverySpec{std::chrono::seconds{seconds}, {}}};
  job.schedule.timezone = "UTC";
  return job;
}

class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() : row{JobUid{1}, every(10)} {
    row.sources = std::map<std::string, std::string>{{"s", "d"}};
    row.since = at(0);
    row.plan.cursor = at(10'000);
    row.floor = kMinTime;
    settings.now = at(1'000);
  }

  /// A run of the slot at that second, as it would be in the best case.
  cronce::Run& run(int second, std::uint64_t attempt = 1, RunKind kind = RunKind::scheduled) {
    auto& made = rows.emplace_back();
    made.id = {JobUid{1}, Space::slot, at(second), "", Attempt{attempt}};
    made.kind = kind;
    made.state = RunState::succeeded;
    made.key = fmt::format("j@{}", second);
    made.due = at(second);
    made.claimed_at = made.started_at = at(second);
    made.finished_at = at(second) + 5s;
    return made;
  }
  cronce::Run& manual(const std::string& request, int start, int end) {
    auto& made = run(start, 1, RunKind::manual);
    made.id = {JobUid{1}, Space::manual, {}, request, Attempt{1}};
    made.finished_at = at(end);
    return made;
  }
  void range(int from, int to) {
    auto& made = rows.emplace_back();
    made.id = {JobUid{1}, Space::slot, at(from), "", Attempt{1}};
    made.state = RunState::skipped;
    made.slot_to = at(to);
  }
  void all(int from, int to) {
    for (int second = from; second <= to; second += 10) run(second);
  }

  /// `missing 30#0, overlapping 40#1 20#1 7000`, in stretches of so many slots.
  std::string verify(int through, std::int64_t most = 1'000) {
    std::string text;
    const auto tell = [&](const Discrepancy& found) {
      text += (text.empty() ? "" : ", ") + std::string(word(found.what)) + " " + shown(found.run);
      if (found.with) text += " " + shown(*found.with);
      if (found.by != Duration{0}) text += fmt::format(" {}", found.by.count());
    };
    Verifier verifier(row, past, settings, tell, [&] { return floor.value_or(row.floor); });
    for (Time after = verifier.begin(); after < at(through);) {
      const Time to = verifier.stretch(after, at(through), most);
      std::vector<cronce::Run> part;
      for (const auto& one : rows) {
        const Time first = one.id.space == Space::slot ? one.id.slot : one.due;
        if (one.slot_to.value_or(first) > after && first <= to) part.push_back(one);
      }
      verifier.look(after, to, part);
      after = to;
    }
    verifier.end();
    verifier.look_at_next();
    verified = verifier.verified();
    complete = verifier.is_complete();
    return text;
  }

 public:
  JobRow row;
  JobPast past;
  std::optional<Time> floor;     // when it was asked for; none: as it was
  std::deque<cronce::Run> rows;  // what is added moves no other
  VerifySettings settings;
  Verified verified;
  bool complete = true;

 private:
  static std::string shown(const RunId& run) {
    const auto second = std::chrono::duration_cast<std::chrono::seconds>(run.slot - kBegin).count();
    return run.space == Space::slot ? fmt::format("{}#{}", second, run.attempt.value)
                                    : fmt::format("{}#{}", run.request, run.attempt.value);
  }
};

TEST_F(VerifierTest, finds_nothing_where_every_slot_has_its_row) {
  all(10, 200);
  EXPECT_EQ(verify(200), "");
  EXPECT_EQ(verified.slots, 20);
  EXPECT_EQ(verified.runs, 20);
}

TEST_F(VerifierTest, finds_each_slot_without_a_record) {
  all(10, 30);
  all(50, 90);
  for (const int most : {1, 2, 3, 1'000}) {
    EXPECT_EQ(verify(100, most), "missing 40#0, missing 100#0") << most;
  }
}

TEST_F(VerifierTest, takes_a_range_for_each_of_its_slots) {
  run(10);
  range(20, 95);  // up to a time that is no slot
  run(50).kind = RunKind::exec;
  run(100);
  for (const int most : {1, 4, 1'000}) EXPECT_EQ(verify(110, most), "missing 110#0") << most;
  EXPECT_EQ(verified.slots, 11);
  EXPECT_EQ(verified.settled, 7);
}

TEST_F(VerifierTest, follows_the_definitions_that_held) {
  past.definitions = {{at(0), at(25), 1, every(10)},
                      {at(25), at(65), 2, every(20)}};  // then retired
  row.definition = every(30);
  row.since = at(100);
  for (const int second : {10, 20, 40, 60, 120, 150}) run(second);
  EXPECT_EQ(verify(150), "");
  EXPECT_EQ(verified.slots, 6);
  run(30);
  run(90);  // while there was no job
  EXPECT_EQ(verify(150, 2), "unexpected 30#1");
}

TEST_F(VerifierTest, knows_nothing_of_what_was_purged_or_was_before_the_job) {
  row.since = at(45);
  row.floor = at(70);
  all(80, 100);
  EXPECT_EQ(verify(100), "");
  EXPECT_EQ(verified.slots, 3);
}

TEST_F(VerifierTest, finds_a_slot_that_was_started_again_without_a_reason) {
  all(10, 30);
  auto& again = run(20, 2);
  again.started_at = at(26);
  again.finished_at = at(27);
  EXPECT_EQ(verify(30), "duplicate 20#2 20#1");
}

TEST_F(VerifierTest, takes_retries_reruns_and_what_a_person_asked_for_as_such) {
  run(10).state = RunState::failed;
  auto& retry = run(10, 2, RunKind::retry);
  retry.started_at = at(16);
  retry.finished_at = at(17);
  auto& lost = run(20);
  lost.state = RunState::lost;
  lost.finished_at.reset();
  run(20, 2, RunKind::rerun);
  run(30).state = RunState::returned;
  run(30, 2);
  run(40);
  auto& backfill = run(40, 2, RunKind::backfill);
  backfill.key += "+2";
  backfill.due = *(backfill.started_at = at(300));
  backfill.finished_at = at(301);
  EXPECT_EQ(verify(40), "");
  backfill.key = "j@40";
  EXPECT_EQ(verify(40), "duplicate 40#2 40#1");
  retry.kind = RunKind::scheduled;
  EXPECT_EQ(verify(40), "duplicate 10#2 10#1, duplicate 40#2 40#1");
}

TEST_F(VerifierTest, finds_runs_that_were_alive_together_however_far_their_slots_are_apart) {
  all(10, 90);
  rows[0].finished_at = at(22);
  rows[3].started_at = at(82);  // 40, two after its neighbours
  rows[3].finished_at = at(83);
  settings.late = 1h;
  for (const int most : {1, 2, 1'000}) {
    EXPECT_EQ(verify(90, most), "overlapping 20#1 10#1 2000, overlapping 40#1 80#1 1000") << most;
  }
}

TEST_F(VerifierTest, sees_no_overlap_in_what_two_clocks_may_differ) {
  all(10, 20);
  rows[0].finished_at = at(20) + 100ms;
  EXPECT_EQ(verify(20), "");
  rows[0].finished_at = at(20) + 101ms;
  EXPECT_EQ(verify(20), "overlapping 20#1 10#1 101");
}

TEST_F(VerifierTest, counts_manual_runs_and_what_still_runs_as_alive) {
  all(10, 30);
  manual("r", 12, 13);
  rows[2].state = RunState::running;
  rows[2].finished_at.reset();
  manual("q", 40, 41);
  EXPECT_EQ(verify(40), "missing 40#0, overlapping r#1 10#1 1000, overlapping q#1 30#1 1000");
}

TEST_F(VerifierTest, leaves_overlaps_to_jobs_that_allow_them) {
  Job job = *every(10);
  job.overlap = Overlap::allow;
  row.definition = job;
  all(10, 30);
  rows[0].finished_at = at(100);
  EXPECT_EQ(verify(30), "");
}

TEST_F(VerifierTest, finds_what_began_later_than_its_job_expects) {
  all(10, 20);
  rows[0].started_at = at(10) + 60s;
  rows[0].finished_at = at(71);
  EXPECT_EQ(verify(20), "");
  rows[0].started_at = at(10) + 60s + 1ms;
  EXPECT_EQ(verify(20), "late 10#1 60001");
  Job job = *every(10);
  job.expect_within = 2min;
  row.definition = job;
  EXPECT_EQ(verify(20), "");
  settings.late = 1s;
  EXPECT_EQ(verify(20), "late 10#1 60001");
}

TEST_F(VerifierTest, finds_a_slot_that_nobody_has_decided_for_long) {
  all(10, 20);
  row.plan.next = at(30);
  settings.now = at(30) + 60s + 65s;
  EXPECT_EQ(verify(20), "");
  settings.now += 1ms;
  EXPECT_EQ(verify(20), "missing 30#0");
  row.pause = Pause{};
  EXPECT_EQ(verify(20), "");
}

TEST_F(VerifierTest, expects_no_slot_that_only_the_course_of_events_can_tell) {
  Job job = *every(10);
  job.schedule.elements = {AfterSpec{10s}};
  row.definition = job;
  run(13);
  run(27);
  EXPECT_EQ(verify(30), "");
  EXPECT_EQ(verified.runs, 2);
}

TEST_F(VerifierTest, leaves_the_slots_of_a_job_that_ran_everywhere_to_its_shares) {
  Job job = *every(10);
  job.everywhere = true;
  past.definitions = {{at(0), at(50), 1, job}};
  row.since = at(50);
  all(60, 80);
  EXPECT_EQ(verify(80), "");
  row.whole = JobUid{2};
  EXPECT_EQ(verify(80), "missing 10#0, missing 20#0, missing 30#0, missing 40#0, missing 50#0");
}

TEST_F(VerifierTest, misses_nothing_above_the_cursor_and_looks_at_what_is_there) {
  all(10, 30);
  row.plan.cursor = at(30);
  manual("r", 42, 45);
  manual("q", 43, 46);
  EXPECT_EQ(verify(60), "overlapping q#1 r#1 2000");
}

TEST_F(VerifierTest, takes_a_definition_that_was_written_meanwhile_for_no_former_one) {
  past.definitions = {{at(0), at(40), 1, every(10)}};  // the row was read before
  all(10, 30);
  EXPECT_EQ(verify(30), "");
}

TEST_F(VerifierTest, finds_what_has_waited_longer_than_its_job_expects) {
  all(10, 20);
  rows[1].state = RunState::pending;
  rows[1].claimed_at = rows[1].started_at = rows[1].finished_at = {};
  settings.now = at(80);
  EXPECT_EQ(verify(20), "");
  settings.now = at(81);
  EXPECT_EQ(verify(20), "late 20#1 61000");
}

/// It counted the slots from the cursor to now for each stretch: the longest part of all by far.
TEST_F(VerifierTest, counts_no_slots_above_the_cursor) {
  row.plan.cursor = at(100);
  const Verifier verifier(row, past, settings, {}, {});
  EXPECT_EQ(verifier.stretch(at(0), at(1'000'000), 3), at(30));
  EXPECT_EQ(verifier.stretch(at(70), at(1'000'000), 5), at(1'000'000));
}

TEST_F(VerifierTest, takes_what_was_held_as_due_since_it_was_released) {
  run(10).state = RunState::lost;
  auto& rerun = run(10, 2, RunKind::rerun);
  rerun.started_at = at(500);
  rerun.finished_at = at(501);
  EXPECT_EQ(verify(10), "late 10#2 490000");
  past.interventions = {{.at = at(499), .what = Intervention::What::release, .run = rerun.id}};
  EXPECT_EQ(verify(10), "");
  past.interventions[0].at = at(500) - 61s;
  EXPECT_EQ(verify(10), "late 10#2 61000");
  rerun.state = RunState::pending;
  rerun.started_at = rerun.finished_at = rerun.claimed_at = {};
  past.interventions[0].at = at(950);
  EXPECT_EQ(verify(10), "");
}

TEST_F(VerifierTest, leaves_the_slots_of_a_node_that_is_away_open_for_a_day) {
  all(10, 20);
  row.plan.next = at(30);
  row.whole = JobUid{2};
  settings.away = true;
  settings.now = at(30) + 60s + 65s;
  EXPECT_EQ(verify(20), "");
  EXPECT_EQ(verified.waiting, std::nullopt);
  settings.now += std::chrono::days{1};
  EXPECT_EQ(verify(20), "");
  EXPECT_EQ(verified.waiting, at(30));
  settings.now += 1ms;
  EXPECT_EQ(verify(20), "missing 30#0");
  EXPECT_EQ(verified.waiting, std::nullopt);
}

TEST_F(VerifierTest, knows_the_attempts_of_a_request_however_far_apart_they_are_due) {
  all(10, 90);
  manual("r", 16, 17).state = RunState::failed;
  auto& retry = manual("r", 77, 78);
  retry.id.attempt = Attempt{2};
  retry.kind = RunKind::retry;
  for (const int most : {1, 2, 1'000}) EXPECT_EQ(verify(90, most), "") << most;
  rows[9].state = RunState::succeeded;
  for (const int most : {1, 2, 1'000}) EXPECT_EQ(verify(90, most), "duplicate r#2 r#1") << most;
}

TEST_F(VerifierTest, forgets_requests_that_many_others_have_followed) {
  row.definition = every(100'000);
  row.plan.cursor = at(0);
  Job job = *row.definition;
  job.overlap = Overlap::allow;
  row.definition = job;
  const auto verify_requests = [&](std::uint64_t between) {
    std::string found;
    const auto tell = [&](const Discrepancy& one) { found += word(one.what); };
    Verifier verifier(row, past, settings, tell, {});
    rows.clear();
    verifier.look(at(0), at(1), {manual("again", 1, 2)});
    for (std::uint64_t i = 0; i < between; ++i) {
      verifier.look(at(1), at(2), {manual(std::to_string(i), 2, 3)});
    }
    auto& second = manual("again", 3, 4);
    second.id.attempt = Attempt{2};
    verifier.look(at(2), at(3), {second});
    return found;
  };
  EXPECT_EQ(verify_requests(9'999), "duplicate");
  EXPECT_EQ(verify_requests(10'000), "");
}

TEST_F(VerifierTest, misses_nothing_that_was_purged_while_it_read) {
  all(60, 90);
  floor = at(50);
  for (const int most : {1, 2, 1'000}) EXPECT_EQ(verify(100, most), "missing 100#0") << most;
  EXPECT_EQ(verified.slots, 5);
  floor = at(40);
  EXPECT_EQ(verify(100), "missing 50#0, missing 100#0");
}

TEST_F(VerifierTest, says_when_it_cannot_compute_a_schedule) {
  Job job = *every(10);
  job.schedule.timezone = "Nowhere/Land";
  past.definitions = {{at(0), at(50), 1, job}};
  row.since = at(50);
  all(60, 70);
  EXPECT_EQ(verify(70), "");
  EXPECT_FALSE(complete);
}

}  // namespace
}  // namespace cronce
