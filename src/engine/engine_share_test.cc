// Jobs that run everywhere: their shares begin, act and end.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const JobUid kWhole{1};

class EngineShareTest : public EngineTest {
 protected:
  static JobRow whole() {
    JobRow row = with(hourly(kWhole), [](Job& j) { j.everywhere = true; });
    row.plan.next.reset();
    return row;
  }
  static JobRow share(JobUid uid, const std::string& member) {
    JobRow row = with(hourly(uid), [](Job& j) { j.everywhere = true; });
    row.whole = kWhole;
    row.member = member;
    row.pointed_by = Knowledge{"1.0.0", ""};
    return row;
  }
  template <class T>
  const T* change() const {
    const auto* ask = asked<DecideAsk>();
    return ask == nullptr || ask->changes.empty() ? nullptr : std::get_if<T>(&ask->changes.front());
  }
};

TEST_F(EngineShareTest, begins_its_share_with_the_first_slot_from_now_on) {
  live({whole()});
  ASSERT_NE(change<JoinMember>(), nullptr);
  EXPECT_EQ(*change<JoinMember>(), (JoinMember{kWhole, now.cluster, kNoon}));
  answer(granted());
  next_answer.changed = {share(JobUid{2}, "self")};
  answer_beat();
  pass(seconds(5));
  EXPECT_EQ(written(), "nothing");
  now.cluster = kNoon;
  tick();
  EXPECT_EQ(asked<DecideAsk>()->entries.front().job, JobUid{2});
}

TEST_F(EngineShareTest, begins_none_where_it_does_not_fit) {
  for (const char* what : {"label", "role", "leaving", "digest"}) {
    restart([&](EngineSettings& s) { s.self.works = what != std::string("role"); });
    JobRow row = whole();
    if (what == std::string("label")) row = with(row, [](Job& j) { j.on.edit()["disk"] = "ssd"; });
    if (what == std::string("leaving")) tell(LeaveAsked{});
    if (what == std::string("digest")) tell(Offered{{"jobs", {}, {}}, "d2"});
    live({row});
    if (asked<RegisterAsk>() != nullptr) answer(RegisterAnswer{});
    pass(seconds(1));
    EXPECT_EQ(change<JoinMember>(), nullptr) << what;
  }
}

TEST_F(EngineShareTest, decides_its_own_share_at_once_whoever_else_lives) {
  for (const bool schedules : {true, false}) {
    restart([&](EngineSettings& s) { s.self.schedules = schedules; });
    others.clear();
    for (std::uint64_t node = 7; node <= 12; ++node) add_node(node);
    now.cluster = kNoon - minutes(1);
    live({whole(), share(JobUid{2}, "self")});
    now.cluster = kNoon;
    tick();
    ASSERT_NE(asked<DecideAsk>(), nullptr) << schedules;
    EXPECT_EQ(asked<DecideAsk>()->entries.front().runs.front().how, SlotToRun::How::run);
  }
}

TEST_F(EngineShareTest, leaves_the_shares_of_others_alone) {
  add_node(7);
  live({whole(), share(JobUid{2}, "self"), share(JobUid{3}, "n7")});
  now.cluster = kNoon;
  tick();
  ASSERT_EQ(asked<DecideAsk>()->entries.size(), 1U);
  answer(granted());
  now.cluster += minutes(10);
  pass(seconds(5));
  answer_beats();
  EXPECT_EQ(written(), "nothing");
}

// How long its node has been gone the store knows; this node may have started a minute ago.
TEST_F(EngineShareTest, asks_for_the_end_of_shares_whose_nodes_are_gone_now_and_then) {
  live({whole(), share(JobUid{2}, "self"), share(JobUid{3}, "gone")});
  ASSERT_NE(change<EndMember>(), nullptr);
  EXPECT_EQ(change<EndMember>()->job, JobUid{3});
  EXPECT_EQ(change<EndMember>()->turn, Turn{1});
  answer(refused(Refused::busy));
  now.cluster = kNoon - hours(2);  // no slot comes between
  int asks = 0;
  const auto refuse = [&] {
    if (asked<DecideAsk>() == nullptr) return Outcome{std::vector<SweepAnswer>{}};  // a purge
    ++asks;
    return Outcome{refused(Refused::busy)};
  };
  run_for(minutes(59), refuse);
  EXPECT_EQ(asks, 0);
  run_for(minutes(2), refuse);
  EXPECT_EQ(asks, 1);
}

TEST_F(EngineShareTest, watches_shares_that_it_learns_of_later) {
  live({whole(), share(JobUid{2}, "self")});
  learn(share(JobUid{3}, "gone"));
  EXPECT_NE(change<EndMember>(), nullptr);
}

TEST_F(EngineShareTest, counts_what_an_absent_share_owes) {
  JobRow gone = share(JobUid{3}, "gone");
  gone.plan.next = kNoon - hours(5);
  live({whole(), share(JobUid{2}, "self"), gone});
  ASSERT_NE(change<EndMember>(), nullptr);
  EXPECT_EQ(change<EndMember>()->covered, 5);
  EXPECT_EQ(change<EndMember>()->next, kNoon);
}

TEST_F(EngineShareTest, ends_its_share_before_it_leaves) {
  live({whole(), share(JobUid{2}, "self")});
  tell(LeaveAsked{});
  answer_beats();
  pass(seconds(5));
  ASSERT_NE(change<EndMember>(), nullptr) << written();
  EXPECT_EQ(change<EndMember>()->job, JobUid{2});
  answer(granted());
  answer_beats();
  pass(milliseconds(300));
  answer_beats();
  ASSERT_NE(asked<std::vector<SweepEntry>>(), nullptr) << written();
  answer(std::vector<SweepAnswer>{{true, 0}});
  EXPECT_EQ(ordered<Left>().size(), 1U);
}

TEST_F(EngineShareTest, counts_again_what_its_share_owes_if_a_slot_came_between) {
  live({whole(), share(JobUid{2}, "self")});
  tell(LeaveAsked{});
  answer_beat();
  ASSERT_NE(change<EndMember>(), nullptr) << written();
  answer(refused(Refused::future));
  for (int i = 0; i < 10 && change<EndMember>() == nullptr; ++i) {
    pass(milliseconds(100));
    answer_beats();
  }
  EXPECT_NE(change<EndMember>(), nullptr) << written();
}

TEST_F(EngineShareTest, does_not_wait_for_a_beat_between_the_end_of_its_share_and_its_own) {
  live({whole(), share(JobUid{2}, "self")});
  tell(LeaveAsked{});
  answer_beat();
  ASSERT_NE(change<EndMember>(), nullptr) << written();
  answer(granted());
  const Duration ended = now.boot;
  while (now.boot < ended + milliseconds(400) && !write) {
    pass(engine->next_wakeup(now) - now.boot);
    answer_beats();
  }
  EXPECT_NE(asked<std::vector<SweepEntry>>(), nullptr) << written();
}

TEST_F(EngineShareTest, decides_nothing_of_its_share_while_it_leaves) {
  live({whole(), share(JobUid{2}, "self")});
  tell(LeaveAsked{});
  now.cluster = kNoon;
  pass(milliseconds(100));
  EXPECT_EQ(written(), "nothing");
}

}  // namespace
}  // namespace cronce
