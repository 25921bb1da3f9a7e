// What was: former definitions, and what people did: S207-S210.
#include <gtest/gtest.h>

#include "model/words.h"
#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

/// `5-15 every 10s #1, 15-25 every 20s #2`
std::string former(World& w, JobUid job) {
  std::string text;
  const JobPast past = w.direct().past(job).value();
  for (const FormerDefinition& one : past.definitions) {
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(one.since - kStart);
    const auto until = std::chrono::duration_cast<std::chrono::seconds>(one.until - kStart);
    text += (text.empty() ? "" : ", ") + std::to_string(since.count()) + "-" +
            std::to_string(until.count()) + " " + *one.definition->user + " #" +
            std::to_string(one.revision);
  }
  return text;
}

/// `5 trigger r by ann: because`
std::string done_to(World& w, JobUid job) {
  std::string text;
  const JobPast past = w.direct().past(job).value();
  for (const Intervention& one : past.interventions) {
    const auto at = std::chrono::duration_cast<std::chrono::seconds>(one.at - kStart);
    text += (text.empty() ? "" : ", ") + std::to_string(at.count()) + " " +
            std::string(word(one.what)) + (one.run ? " " + one.run->request : "") +
            (one.until ? " until" : "") + (one.again ? " again" : "") + " by " + one.by.who + ": " +
            one.by.why;
  }
  return text;
}

/// Told apart by its user, which changes no plan.
Job by(const std::string& user) {
  Job job = job_named("j");
  job.user = user;
  return job;
}

void S207_a_definition_that_is_replaced_is_kept_with_when_it_held(World& w) {
  Actor& a = w.node("a");
  w.pass(5s);
  const JobUid j = w.job(a, by("u"));
  EXPECT_EQ(former(w, j), "");
  EXPECT_EQ(w.row(j).since, at(5));
  w.pass(10s);
  a.run(j);
  a.enroll(w.set_of("j", "2", {by("v")}));
  EXPECT_EQ(former(w, j), "5-15 u #1");
  EXPECT_EQ(w.row(j).since, at(15));
  a.enroll(w.set_of("j", "3", {by("v")}));  // nothing of this job has changed
  w.pass(4s);
  a.enroll(w.set_of("j", "4", {}));
  EXPECT_EQ(former(w, j), "5-15 u #1, 15-19 v #2");
  w.pass(6s);
  a.enroll(w.set_of("j", "5", {by("v")}));
  EXPECT_EQ(former(w, j), "5-15 u #1, 15-19 v #2");
  EXPECT_EQ(w.row(j).since, at(25));
}

void S208_of_a_share_a_definition_holds_from_its_beginning(World& w) {
  Actor& a = w.node("a");
  Job job = by("u");
  job.everywhere = true;
  const JobUid j = w.job(a, job);
  w.pass(7s);
  EXPECT_EQ(a.change(JoinMember{j, w.now(), at(10)}), Refused::none);
  const JobUid share = w.member(j, "a").value();
  EXPECT_EQ(w.row(share).since, at(7));
  w.pass(1s);
  job.user = "v";
  a.enroll(w.set_of("j", "2", {job}));
  EXPECT_EQ(former(w, share), "7-8 u #1");
  EXPECT_EQ(former(w, j), "0-8 u #1");
}

void S209_what_a_person_did_is_kept_once_with_who_and_why(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(5s);
  const By ann{"ann", "because"};
  a.control(PauseJob{j, {at(30), "x"}, ann});
  a.control(ResumeJob{j, w.now(), at(10), 0, {}, ann});
  a.control(ResumeJob{j, w.now(), at(10), 0, {}, ann});  // refused: nothing was done
  for (int i = 0; i < 2; ++i) a.control(TriggerJob{j, "r", {}, ann});
  a.control(CancelRun{request_of(j, "r"), ann});
  w.pass(6s);
  a.finish(a.start(j), RunState::succeeded);
  a.control(BackfillSlot{j, at(10), false, ann});  // refused
  a.control(BackfillSlot{j, at(10), true, ann});
  for (int i = 0; i < 2; ++i) a.control(RetireJob{j, 0, {}, {"bob", ""}});
  EXPECT_EQ(done_to(w, j),
            "5 pause until by ann: because, 5 resume by ann: because, 5 trigger r by ann: because, "
            "5 cancel r by ann: because, 11 backfill  again by ann: because, 11 retire by bob: ");
  Job job = job_named("w");
  job.everywhere = true;
  const JobUid whole = w.job(a, job);
  for (Actor* node : {&a, &w.node("b")}) {
    EXPECT_EQ(node->change(JoinMember{whole, w.now(), at(20)}), Refused::none);
  }
  a.control(TriggerJob{whole, "r", {}, ann});
  EXPECT_EQ(w.state(request_of(w.member(whole, "b").value(), "r")), "pending");
  EXPECT_EQ(done_to(w, whole), "11 trigger r by ann: because");  // once, of whichever share
}

void S210_of_what_was_only_what_is_older_than_the_history_is_purged(World& w) {
  Actor& a = w.node("a");
  Job job = by("u");
  job.history = HistoryLimits{.age = 60s};
  const JobUid j = w.job(a, job);
  job.user = "v";
  a.control(PauseJob{j, {}, {"ann", "x"}});
  w.pass(1s);
  a.enroll(w.set_of("j", "2", {job}));
  w.pass(60s);
  a.lane().sweep({});
  EXPECT_EQ(former(w, j), "0-1 u #1");
  EXPECT_EQ(done_to(w, j), "");
  w.pass(1s);
  a.control(TriggerJob{j, "r"});
  a.lane().sweep({});
  EXPECT_EQ(former(w, j), "");
  EXPECT_EQ(done_to(w, j), "62 trigger r by : ");
}

constexpr Rule kPastRules[] = {
    CRONCE_RULE(S207_a_definition_that_is_replaced_is_kept_with_when_it_held),
    CRONCE_RULE(S208_of_a_share_a_definition_holds_from_its_beginning),
    CRONCE_RULE(S209_what_a_person_did_is_kept_once_with_who_and_why),
    CRONCE_RULE(S210_of_what_was_only_what_is_older_than_the_history_is_purged),
};

}  // namespace

std::span<const Rule> past_rules() { return kPastRules; }

}  // namespace cronce::contract
