#include "engine/forecast.h"

#include <functional>

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using Fate = JobForecast::Fate;
using std::chrono::hours;

Job define(const std::string& name, const std::string& cron = "0 * * * *") {
  Job job{.name = parse_job_name(name).value(),
          .schedule = ScheduleSpec{.elements = {CronSpec{cron}}, .timezone = "UTC"}};
  job.command = ShellCommand{.line = "true"};
  return job;
}

/// One file, the rows of a store, and noon.
class Forecasts : public testing::Test {
 protected:
  void offer(Job job) { offers_.front().set.jobs.emplace_back(std::move(job)); }

  JobRow& store(Job job, const std::string& source = "jobs") {
    JobRow row{JobUid{rows_.size() + 1}, std::move(job)};
    row.sources.edit()[source] = "old";
    row.plan = {Turn{1}, now_ - hours{1}, now_ + hours{1}, {}};
    return rows_.emplace_back(std::move(row));
  }

  Forecast look() const { return forecast(offers_, rows_, "here", now_); }
  JobForecast only() const {
    const auto jobs = look().jobs;
    EXPECT_EQ(jobs.size(), 1U);
    return jobs.at(0);
  }

  Time now_ = utc("2026-03-28T12:00:30Z");
  Time noon_ = utc("2026-03-28T12:00:00Z");
  std::vector<Offered> offers_{{{"jobs", std::nullopt, {}}, "new"}};
  std::vector<JobRow> rows_;
};

TEST_F(Forecasts, ANewJobBeginsWithItsNextSlot) {
  offer(define("billing"));
  const JobForecast job = only();
  EXPECT_EQ(job.fate, Fate::created);
  EXPECT_FALSE(job.settles);
  EXPECT_EQ(job.next, noon_ + hours{1});
  EXPECT_EQ(look().sources.at(0).registered, std::nullopt);
}

TEST_F(Forecasts, AKnownJobIsLeftAsItIs) {
  offer(define("billing"));
  store(define("billing"));
  EXPECT_EQ(only().fate, Fate::unchanged);
  EXPECT_EQ(only().next, now_ + hours{1});  // the stored one
  EXPECT_EQ(look().sources.at(0).registered, "old");
}

TEST_F(Forecasts, AChangeIsNamedByTheKeysOfTheFile) {
  Job job = define("billing");
  job.command = ShellCommand{.line = "false"};
  job.timeout = hours{2};
  job.schedule.timezone = "Europe/Berlin";
  offer(job);
  store(define("billing"));
  EXPECT_EQ(only().fate, Fate::changed);
  EXPECT_EQ(only().changes, (std::vector<std::string>{"timezone", "run", "timeout"}));
}

TEST_F(Forecasts, WhatIsOwedIsCaughtUpAsTheFileSaysNow) {
  Job all = define("billing");
  all.catch_up = {CatchUp::Mode::all, std::nullopt, 10};
  offer(all);
  store(define("billing")).plan.next = noon_ - hours{2};
  const JobForecast job = only();
  ASSERT_TRUE(job.settles);
  EXPECT_EQ(job.settles->runs.size(), 3U);
  EXPECT_EQ(job.next, noon_ + hours{1});
}

TEST_F(Forecasts, WhatIsOwedWhenTheScheduleChangesIsSettledByTheOldOne) {
  Job job = define("billing", "30 * * * *");
  job.catch_up = {CatchUp::Mode::all, std::nullopt, 10};
  offer(job);
  store(define("billing")).plan.next = noon_ - hours{2};
  ASSERT_TRUE(only().settles);
  EXPECT_EQ(only().settles->runs.size(), 1U);
  EXPECT_EQ(only().settles->skipped.at(0).count, 2);
  EXPECT_EQ(only().next, utc("2026-03-28T12:30:00Z"));
}

TEST_F(Forecasts, APauseOfAPersonStays) {
  offer(define("billing"));
  JobRow& row = store(define("billing"));
  row.plan.next = noon_;
  row.pause = Pause{};
  EXPECT_TRUE(only().paused);
  ASSERT_TRUE(only().settles);
  EXPECT_EQ(only().settles->skipped.at(0).reason, Reason::paused);
}

TEST_F(Forecasts, AnotherSourceMayHaveTheSameJobButNoOther) {
  offer(define("billing"));
  store(define("billing"), "others");
  EXPECT_EQ(only().fate, Fate::unchanged);
  EXPECT_FALSE(look().sources.at(0).refused);
  rows_.clear();
  store(define("billing", "30 * * * *"), "others");
  EXPECT_EQ(only().fate, Fate::conflict);
  EXPECT_EQ(only().others, std::vector<std::string>{"others"});
  EXPECT_TRUE(look().sources.at(0).refused);
}

TEST_F(Forecasts, WhatTheFileDropsIsRetiredUnlessSomebodyElseHasIt) {
  store(define("billing"));
  EXPECT_EQ(only().fate, Fate::retired);
  EXPECT_EQ(only().next, std::nullopt);
  rows_.front().sources.edit()["others"] = "x";
  EXPECT_EQ(only().fate, Fate::leaves);
}

TEST_F(Forecasts, ARetiredJobComesBackFromNow) {
  offer(define("billing"));
  JobRow& row = store(define("billing"));
  row.sources.edit().clear();
  row.plan.next = noon_ - hours{5};
  EXPECT_EQ(only().fate, Fate::returns);
  EXPECT_FALSE(only().settles);
  EXPECT_EQ(only().next, noon_ + hours{1});
}

TEST_F(Forecasts, ARenamedJobIsNotRetired) {
  Job job = define("invoices");
  job.was = parse_job_name("billing").value();
  offer(job);
  store(define("billing"));
  EXPECT_EQ(only().fate, Fate::changed);
  EXPECT_EQ(only().changes, (std::vector<std::string>{"name", "was"}));
}

TEST_F(Forecasts, OfAJobThatRunsEverywhereTheOwnShareCounts) {
  Job job = define("clean");
  job.everywhere = true;
  offer(job);
  store(job).plan.next.reset();
  for (const char* node : {"there", "here"}) {
    JobRow& share = store(job);
    share.whole = JobUid{1};
    share.member = std::string(node);
    share.plan.next = node == std::string("here") ? noon_ : noon_ - hours{3};
  }
  ASSERT_TRUE(only().settles);
  EXPECT_EQ(only().settles->runs.size(), 1U);
  EXPECT_TRUE(only().settles->skipped.empty());
}

TEST_F(Forecasts, OfAShareThatHasEndedBeginsAnew) {
  Job job = define("clean");
  job.everywhere = true;
  offer(job);
  store(job).plan.next.reset();
  JobRow& share = store(job);
  share.whole = JobUid{1};
  share.member = "here";
  share.sources = std::map<std::string, std::string>{};
  share.plan.next.reset();
  EXPECT_FALSE(only().settles);
  EXPECT_GT(only().next.value(), noon_);
}

}  // namespace
}  // namespace cronce
