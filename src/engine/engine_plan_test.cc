// What changes a plan without deciding a slot: the end of a pause, and another next slot. And what
// a node does that doubts the time.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class EnginePlanTest : public EngineTest {
 protected:
  template <class T>
  const T* change() const {
    const auto* ask = asked<DecideAsk>();
    return ask == nullptr || ask->changes.empty() ? nullptr : std::get_if<T>(&ask->changes.front());
  }
  static JobRow paused(std::optional<Time> until) {
    JobRow row = hourly(JobUid{1});
    row.pointed_by = Knowledge{"1.0.0", ""};
    row.pause = Pause{until, ""};
    return row;
  }

  static JobRow paused_everywhere() {
    JobRow whole = with(paused(kNoon + minutes(90)), [](Job& job) { job.everywhere = true; });
    whole.plan.next.reset();
    return whole;
  }
  /// Of another node, settled further than the pause.
  static JobRow share_beyond(const JobRow& whole) {
    JobRow share = whole;
    share.uid = JobUid{2};
    share.whole = whole.uid;
    share.member = "other";
    share.plan.cursor = kNoon + hours(2);
    return share;
  }
};

TEST_F(EnginePlanTest, ends_a_pause_at_its_time_with_the_turn_that_it_knows) {
  live({paused(kNoon + minutes(90))});
  now.cluster = kNoon;
  tick();
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->entries.front().skipped.front().reason, Reason::paused);
  answer(granted());
  now.cluster = kNoon + minutes(90) - milliseconds(1);
  tick();
  EXPECT_EQ(change<ResumeJob>(), nullptr);
  write.reset();
  restart();
  now.cluster = kNoon + minutes(90);
  live({paused(kNoon + minutes(90))});
  ASSERT_NE(change<ResumeJob>(), nullptr) << written();
  EXPECT_EQ(*change<ResumeJob>(),
            (ResumeJob{JobUid{1}, kNoon + minutes(90), kNoon + hours(2), 2, Turn{1}}));
}

// Nobody was there at the time: what came after the pause is owed as after an outage.
TEST_F(EnginePlanTest, settles_no_more_than_the_pause_covered) {
  now.cluster = kNoon + hours(5);
  live({paused(kNoon + minutes(90))});
  EXPECT_EQ(*change<ResumeJob>(),
            (ResumeJob{JobUid{1}, kNoon + minutes(90), kNoon + hours(2), 2, Turn{1}}));
  EXPECT_TRUE(asked<DecideAsk>()->entries.empty());
}

// A share that was put back may have come further than the pause: the next slot is the first that
// none of them has settled, or the store refuses it for ever.
TEST_F(EnginePlanTest, resumes_after_what_any_share_has_settled) {
  const JobRow whole = paused_everywhere();
  const JobRow share = share_beyond(whole);
  now.cluster = kNoon + hours(5);
  live({whole, share});
  ASSERT_NE(change<ResumeJob>(), nullptr) << written();
  EXPECT_EQ(*change<ResumeJob>(),
            (ResumeJob{JobUid{1}, kNoon + hours(2), kNoon + hours(3), 0, Turn{1}}));
}

// The store does not count it either: what the node asked would lie ahead of it for ever.
TEST_F(EnginePlanTest, resumes_whatever_the_share_of_a_node_that_left_has_settled) {
  const JobRow whole = paused_everywhere();
  JobRow share = share_beyond(whole);
  share.sources = {};
  ASSERT_TRUE(share.retired());
  now.cluster = kNoon + hours(5);
  live({whole, share});
  ASSERT_NE(change<ResumeJob>(), nullptr) << written();
  EXPECT_EQ(change<ResumeJob>()->base, kNoon + minutes(90));
}

TEST_F(EnginePlanTest, leaves_a_pause_without_an_end_to_people) {
  live({paused(std::nullopt)});
  now.cluster = kNoon;
  tick();
  EXPECT_TRUE(asked<DecideAsk>()->changes.empty());
  EXPECT_EQ(asked<DecideAsk>()->entries.front().skipped.front().reason, Reason::paused);
}

TEST_F(EnginePlanTest, points_to_another_slot_only_if_it_knows_more) {
  struct Row {
    const char* what;
    std::function<void(JobRow&)> change;
    bool points;
  };
  for (const Row& row : std::vector<Row>{
           {"an older program", [](JobRow& r) { r.pointed_by = Knowledge{"0.9.0", ""}; }, true},
           {"an unknown program", [](JobRow&) {}, true},
           {"the same program", [](JobRow& r) { r.pointed_by = Knowledge{"1.0.0", ""}; }, false},
           {"a newer program", [](JobRow& r) { r.pointed_by = Knowledge{"1.0.1", ""}; }, false},
           {"newer zone data", [](JobRow& r) { r.pointed_by = Knowledge{"1.0.0", "2026a"}; },
            false},
           {"the slot that it computes too", [](JobRow& r) { r.plan.next = kNoon; }, false},
           {"a slot that is owed", [](JobRow& r) { r.plan.next = kNoon - minutes(30); }, false},
           {"paused", [](JobRow& r) { r.pause = Pause{}; }, false},
           {"retired", [](JobRow& r) { r.sources = {}; }, false},
           {"only exec", [](JobRow& r) { r.only_exec = true; }, false},
       }) {
    restart();
    now.cluster = kNoon - minutes(1);
    JobRow job = hourly(JobUid{1});
    job.plan.next = kNoon + minutes(7);
    row.change(job);
    live({job});
    EXPECT_EQ(change<Repoint>() != nullptr, row.points) << row.what;
    if (row.points) {
      EXPECT_EQ(*change<Repoint>(), (Repoint{JobUid{1}, Turn{1}, now.cluster, kNoon}));
    }
    write.reset();
  }
}

TEST_F(EnginePlanTest, points_above_the_cursor) {
  JobRow job = hourly(JobUid{1});
  job.plan = {Turn{1}, kNoon + hours(3), kNoon + hours(3) + minutes(7), {}};
  live({job});
  ASSERT_NE(change<Repoint>(), nullptr);
  EXPECT_EQ(*change<Repoint>(), (Repoint{JobUid{1}, Turn{1}, kNoon + hours(3), kNoon + hours(4)}));
}

TEST_F(EnginePlanTest, who_knows_less_decides_the_stored_slot_and_ranks_last) {
  add_node(7).version = "1.1.0";
  JobRow job = hourly(job_of_rank(0));
  job.pointed_by = Knowledge{"1.1.0", ""};
  job.plan.next = kNoon + minutes(7);
  live({job});
  now.cluster = kNoon + minutes(7);
  tick();
  EXPECT_EQ(written(), "nothing") << "the newer one is first";
  pass(milliseconds(300));
  answer_beats();
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->entries.front().from, kNoon + minutes(7));
  EXPECT_EQ(asked<DecideAsk>()->entries.front().next, kNoon + hours(1));
}

// ---- a clock that is doubted

TEST_F(EnginePlanTest, sends_with_every_write_the_time_that_it_can_be_at_most) {
  live({hourly(JobUid{1})});
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(write->id.course, kNoon + seconds(8)) << "an answer's time and a small step later";
  answer(granted());
  const Claim claim = ordered<StartRun>().front().claim;
  now.doubted = true;
  tell(RunEnded{end_of(claim)});
  EXPECT_EQ(write->id.course, kNoon);
  pass(seconds(5));
  EXPECT_EQ(beat->node.course, kNoon + seconds(5));
}

TEST_F(EnginePlanTest, decides_by_its_course_while_it_doubts) {
  live({hourly(JobUid{1})});
  now.doubted = true;
  now.cluster = kNoon;
  tick();
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->entries.front().through, kNoon);
}

TEST_F(EnginePlanTest, lets_nothing_expire_and_begins_nothing_while_it_doubts) {
  now.cluster = kNoon;
  now.doubted = true;
  JobRow old = with(waiting(JobUid{1}), [](Job& j) {
    j.catch_up.window = minutes(5);
    j.on.edit()["disk"] = "ssd";
  });
  JobRow whole = with(hourly(JobUid{2}, "whole"), [](Job& j) { j.everywhere = true; });
  whole.plan.next.reset();
  JobRow other = hourly(JobUid{3}, "other");
  other.plan.next = kNoon + minutes(7);
  tell(file_of({old, whole, other}));
  next_answer.changed = {old, whole, other};
  answer_beat();
  EXPECT_EQ(written(), "nothing");
  now.doubted = false;
  tick();
  EXPECT_NE(asked<RegisterAsk>(), nullptr);
  answer(RegisterAnswer{});
  EXPECT_EQ(asked<DecideAsk>()->changes.size(), 2U);
  answer(granted());
  pass(seconds(1));
  ASSERT_NE(asked<DecideAsk>(), nullptr);
  EXPECT_EQ(asked<DecideAsk>()->lapses.size(), 1U);
}

TEST_F(EnginePlanTest, decides_nothing_before_it_believes_a_time) {
  now.timeless = true;
  now.cluster = kNoon;
  live({hourly(JobUid{1})});
  EXPECT_EQ(written(), "nothing");
  EXPECT_EQ(engine->next_wakeup(now), now.boot + seconds(5));
  now.timeless = false;
  tick();
  EXPECT_NE(asked<DecideAsk>(), nullptr);
}

}  // namespace
}  // namespace cronce
