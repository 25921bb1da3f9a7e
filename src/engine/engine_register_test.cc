// The files of this node: what is registered, when again, and what is settled with it.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class EngineRegisterTest : public EngineTest {
 protected:
  static Offered offer(const std::string& source, const std::string& digest,
                       std::vector<Shared<Job>> jobs = {}) {
    return {{source, std::nullopt, std::move(jobs)}, digest};
  }
  static RegisterAnswer said(Registered what, std::vector<std::string> jobs = {}) {
    RegisterAnswer answer;
    answer.registered = what;
    answer.jobs = std::move(jobs);
    return answer;
  }
  /// `jobs d1`, or `nothing`
  std::string registers() const {
    const auto* ask = asked<RegisterAsk>();
    return ask == nullptr ? "nothing" : ask->source + " " + ask->digest;
  }
};

TEST_F(EngineRegisterTest, offers_by_beats_and_registers) {
  tell(offer("jobs", "d1", {*hourly(JobUid{1}).definition}));
  ASSERT_TRUE(beat);
  EXPECT_EQ(beat->node.digests.at("jobs"), "d1");
  answer_beat();
  ASSERT_NE(asked<RegisterAsk>(), nullptr);
  const RegisterAsk& ask = *asked<RegisterAsk>();
  EXPECT_EQ(ask.source, "jobs");
  EXPECT_EQ(ask.digest, "d1");
  ASSERT_EQ(ask.jobs.size(), 1U);
  EXPECT_EQ(ask.jobs.front().base, kNoon - minutes(1));
  EXPECT_EQ(ask.jobs.front().next, kNoon);
  EXPECT_EQ(ask.jobs.front().past, std::nullopt);
  answer(said(Registered::current));
  pass(minutes(1));
  EXPECT_EQ(registers(), "nothing");
}

TEST_F(EngineRegisterTest, keeps_a_job_of_its_own_file_once) {
  const JobRow same = hourly(JobUid{1}, "same");
  const JobRow other = hourly(JobUid{2}, "other");
  const JobRow of_others = hourly(JobUid{3}, "of-others");
  const Shared<Job> mine = Job(*same.definition);
  const Shared<Job> changed = *with(other, [](Job& j) { j.priority = 1; }).definition;
  tell(offer("jobs", "d1", {mine, changed}));
  live({same, other, of_others});
  EXPECT_EQ(engine->definition(JobUid{1}), &*mine);
  EXPECT_EQ(*engine->definition(JobUid{2}), *other.definition);
  EXPECT_EQ(*engine->definition(JobUid{3}), *of_others.definition);
}

TEST_F(EngineRegisterTest, registers_each_of_several_files_and_the_last_offer_of_each) {
  tell(offer("a", "d1"));
  tell(offer("b", "d1"));
  tell(offer("a", "d2"));
  answer_beat();
  EXPECT_EQ(registers(), "a d2");
  answer(said(Registered::current));
  EXPECT_EQ(registers(), "b d1");
  answer(said(Registered::current));
  EXPECT_EQ(registers(), "nothing");
  tell(offer("b", "d2"));
  EXPECT_EQ(registers(), "b d2");
}

TEST_F(EngineRegisterTest, an_offer_that_changed_meanwhile_is_registered_as_it_is_now) {
  tell(offer("jobs", "d1"));
  answer_beat();
  tell(offer("jobs", "d2"));
  answer(said(Registered::current));
  EXPECT_EQ(registers(), "jobs d2");
}

TEST_F(EngineRegisterTest, names_the_slot_of_an_at_that_is_over) {
  Job once = *hourly(JobUid{1}).definition;
  once.schedule.elements = {AtSpec{cronce::written("2026-01-01T11:30:00Z")}};
  tell(offer("jobs", "d1", {once}));
  answer_beat();
  EXPECT_EQ(asked<RegisterAsk>()->jobs.front().next, std::nullopt);
  EXPECT_EQ(asked<RegisterAsk>()->jobs.front().past, kNoon - minutes(30));
}

TEST_F(EngineRegisterTest, begins_above_what_the_job_has_settled) {
  JobRow ahead = hourly(JobUid{1});  // the store's clock went back
  ahead.plan = {Turn{1}, kNoon + hours(3), kNoon + hours(4), {}};
  tell(offer("jobs", "d1", {*ahead.definition}));
  next_answer.changed = {ahead};
  answer_beat();
  EXPECT_EQ(asked<RegisterAsk>()->jobs.front().base, kNoon + hours(3));
  EXPECT_EQ(asked<RegisterAsk>()->jobs.front().next, kNoon + hours(4));
}

// Two old versions are left after the newest one's only node died: one of them must come back.
TEST_F(EngineRegisterTest, does_not_wait_for_another_that_is_superseded_too) {
  add_node(7).digests["jobs"] = "d2";
  JobRow row = hourly(JobUid{1});
  row.sources.edit()["jobs"] = "d3";
  tell(offer("jobs", "d1"));
  next_answer.changed = {row};
  answer_beat();
  answer(said(Registered::superseded));
  answer_beats();
  pass(seconds(5));
  answer_beats();
  EXPECT_EQ(registers(), "jobs d1");
}

TEST_F(EngineRegisterTest, asks_again_with_a_newer_base_when_it_was_early) {
  tell(offer("jobs", "d1", {*hourly(JobUid{1}).definition}));
  answer_beat();
  now.cluster = kNoon + milliseconds(1);
  answer(said(Registered::early, {"billing"}));
  EXPECT_EQ(registers(), "nothing");
  answer_beat();
  pass(milliseconds(300));
  ASSERT_NE(asked<RegisterAsk>(), nullptr);
  EXPECT_EQ(asked<RegisterAsk>()->jobs.front().next, kNoon + hours(1));
}

TEST_F(EngineRegisterTest, leaves_conflicts_and_numbers_to_people) {
  for (const Registered what : {Registered::conflict, Registered::numbered}) {
    restart();
    tell(offer("jobs", "d1"));
    answer_beat();
    answer(said(what));
    pass(minutes(5));
    answer_beats();
    EXPECT_EQ(registers(), "nothing");
  }
}

TEST_F(EngineRegisterTest, settles_what_is_owed_by_the_old_schedule_in_the_same_step) {
  const JobRow owing = hourly(JobUid{1});
  const JobRow other = hourly(JobUid{2}, "other");
  tell(offer("jobs", "d2", {*owing.definition}));
  next_answer.changed = {owing, other};
  now.cluster = kNoon;
  answer_beat();
  EXPECT_TRUE(asked<RegisterAsk>()->settle.empty());
  answer(said(Registered::owing, {"billing"}));
  ASSERT_NE(asked<DecideAsk>(), nullptr) << "meanwhile they are decided as always";
  now.boot += milliseconds(300);
  answer(refused(Refused::moved));
  ASSERT_NE(asked<RegisterAsk>(), nullptr) << written();
  ASSERT_EQ(asked<RegisterAsk>()->settle.size(), 1U);
  const DecideEntry entry = asked<RegisterAsk>()->settle.front();
  EXPECT_EQ(entry.job, JobUid{1});
  RegisterAnswer done = said(Registered::current);
  done.settled = {{Refused::none, {Turn{2}, kNoon, kNoon + hours(1), {}}, {}, ""}};
  done.settled.front().runs = {{RunState::pending, Reason::none, {}}};
  answer(done);
  EXPECT_EQ(registers(), "nothing");
}

TEST_F(EngineRegisterTest, registers_nothing_while_it_leaves) {
  tell(LeaveAsked{});
  tell(offer("jobs", "d1"));
  answer_beat();
  EXPECT_EQ(registers(), "nothing");
}

// A deploy that changes every schedule at the moment when all of them are due.
TEST_F(EngineRegisterTest, settles_many_that_owe_in_little_time) {
  constexpr std::uint64_t kMany = 30'000;
  std::vector<std::string> names;
  for (std::uint64_t i = 1; i <= kMany; ++i) {
    names.push_back("job-" + std::to_string(i));
    next_answer.changed.push_back(hourly(JobUid{i}, names.back()));
  }
  tell(offer("jobs", "d2"));
  now.cluster = kNoon;
  answer_beat();
  answer(said(Registered::owing, names));
  now.boot += milliseconds(300);
  answer(refused(Refused::moved));
  EXPECT_EQ(asked<RegisterAsk>()->settle.size(), kMany);
}

}  // namespace
}  // namespace cronce
