// The commands that steer jobs, on the store of the story: what they print (test/golden/steer, each
// on a store of its own), and what they leave in it.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "base/host.h"
#include "client/steering.h"
#include "node/hint.h"
#include "test/reads/reads.h"

namespace cronce {
namespace {

class Transcript : public Reads, public testing::WithParamInterface<std::string> {};

TEST_P(Transcript, IsWhatIsPrinted) { check_file(GetParam(), false, clock_); }

std::string file_name(const testing::TestParamInfo<std::string>& info) {
  const std::size_t begin = info.param.rfind('/') + 1;
  return info.param.substr(begin, info.param.rfind('.') - begin);
}

INSTANTIATE_TEST_SUITE_P(Steer, Transcript, testing::ValuesIn(transcripts_in("test/golden/steer")),
                         file_name);

class Steer : public Reads {
 protected:
  JobRow row(const std::string& name) {
    const auto jobs = store_->jobs();
    for (const JobRow& job : *jobs) {
      if (job.definition->name.text() == name && !job.whole) return job;
    }
    ADD_FAILURE() << name;
    return JobRow{JobUid{}, Job{*parse_job_name("nobody"), {}, {}}};
  }
  std::vector<Intervention> done_to(const std::string& name) {
    return store_->past(row(name).uid).value().interventions;
  }
};

/// A node that watches would look now; for what was refused there is no need to.
TEST_F(Steer, WakesTheNodesWhenSomethingWasDone) {
  Hint node({"sqlite:" + folder_.file("cronce.db"), ""});
  for (const char* command :
       {"cronce trigger heartbeat", "cronce pause flaky", "cronce resume cleanup",
        "cronce cancel slow-report", "cronce release import"}) {
    EXPECT_FALSE(node.heard());
    EXPECT_EQ(exit_code_of(command), kExitDone) << command;
    EXPECT_TRUE(node.heard()) << command;
  }
  EXPECT_EQ(exit_code_of("cronce backfill slow-report last"), kExitTryLater);
  EXPECT_EQ(exit_code_of("cronce jobs"), kExitDone);
  EXPECT_FALSE(node.heard());
}

/// What the commands print they have read before: this is what the store has.
TEST_F(Steer, IsRecordedWithWhoAndWhy) {
  expect("cronce trigger heartbeat --request-id r1 --note 'just so'", "asked for");
  const auto done = done_to("heartbeat");
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].by, (By{"anna@web-1", "just so"}));
  EXPECT_EQ(done[0].run->request, "r1");
  expect("cronce trigger heartbeat --request-id r1", "was asked for before");
  EXPECT_EQ(done_to("heartbeat").size(), 1U) << "one request, one run";
  EXPECT_EQ(row("heartbeat").pending.size(), 1U);
}

TEST_F(Steer, WhoItWasIsTheUserAndTheHost) {
  unsetenv("CRONCE_WHO");
  unsetenv("SUDO_USER");
  expect("cronce pause heartbeat", "is paused");
  setenv("SUDO_USER", "alice", 1);
  expect("cronce pause heartbeat", "stays paused");
  unsetenv("SUDO_USER");
  const auto done = done_to("heartbeat");
  ASSERT_EQ(done.size(), 2U);
  EXPECT_TRUE(done[0].by.who.ends_with("@" + host_name())) << done[0].by.who;
  EXPECT_EQ(done[1].by.who, "alice as " + done[0].by.who);
}

TEST_F(Steer, ANamedShareIsSteeredAlone) {
  expect("cronce trigger clean-tmp --request-id r1", "clean-tmp/web-2@manual/r1: asked for");
  expect("cronce trigger clean-tmp/web-1 --request-id r2", "clean-tmp/web-1@manual/r2: asked for");
  std::size_t waiting = 0;
  const auto jobs = store_->jobs();
  for (const JobRow& job : *jobs) {
    if (job.whole) waiting += job.pending.size();
  }
  EXPECT_EQ(waiting, 3U);
}

/// A request is found however much has happened since: its row is one of a job's many.
TEST_F(Steer, ARequestIsKnownBehindTenThousandNewerRows) {
  expect("cronce trigger heartbeat --request-id old", "asked for, request old");
  sqlite3* tool = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.file("cronce.db").c_str(), &tool), SQLITE_OK);
  const auto plant = [&](const std::string& sql) {
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(tool, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  };
  const std::string now = std::to_string(clock_.wall().time_since_epoch().count());
  plant("BEGIN; CREATE TEMP TABLE more AS SELECT * FROM runs WHERE space = 0 AND job = " +
        std::to_string(row("heartbeat").uid.value) + " LIMIT 1; UPDATE more SET slot = " + now);
  for (int i = 0; i < 10'001; ++i) {
    plant("UPDATE more SET slot = slot + 1000; INSERT INTO runs SELECT * FROM more");
  }
  plant("COMMIT");
  sqlite3_close(tool);
  expect("cronce trigger heartbeat --request-id old", "was asked for before");
  expect("cronce why heartbeat old", "heartbeat@manual/old");
}

/// Another program has the file for itself, and lets go of it.
TEST_F(Steer, WhoWaitsForARunWaitsForTheStoreToo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::FILE* out = fdopen(ends[1], "w");
  std::FILE* in = fdopen(ends[0], "r");
  const auto read_line = [&] {
    std::array<char, 1'024> line{};
    return std::string(std::fgets(line.data(), line.size(), in) == nullptr ? "" : line.data());
  };
  sqlite3* tool = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.file("cronce.db").c_str(), &tool), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(tool, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(exit_code_of("cronce trigger heartbeat"), kExitUnavailable);
  int code = -1;
  std::thread waiter([&] {
    code = run_cli(std::vector<std::string>{"trigger", "heartbeat", "--request-id", "w", "--wait"},
                   {stdin, out, out, clock_});
    std::fclose(out);
  });
  EXPECT_TRUE(read_line().starts_with("cronce: the store does not answer, and is asked again"));
  sqlite3_close(tool);
  EXPECT_EQ(read_line(), "heartbeat@manual/w: asked for, request w\n");
  Steering steering(*store_, rng_, std::nullopt, [] {});
  const RunId run{row("heartbeat").uid, Space::manual, {}, "w", Attempt{1}};
  EXPECT_EQ(steering.ask(CancelRun{run, {}})->refused, Refused::none);
  EXPECT_EQ(read_line(), "cronce: heartbeat@manual/w cancelled: operator\n");
  waiter.join();
  std::fclose(in);
  EXPECT_EQ(code, kExitFound);
}

/// The pause of the story began before midnight, and nobody decides: what it covers is one range.
TEST_F(Steer, AfterAPauseThereIsOneRangeAndNothingIsOwed) {
  clock_.advance(std::chrono::hours{3});
  expect("cronce resume cleanup", "goes on from now");
  const JobRow job = row("cleanup");
  EXPECT_FALSE(job.paused());
  EXPECT_EQ(job.plan.cursor, clock_.wall());
  EXPECT_EQ(job.plan.next, parse_time("2026-03-29T08:00:00Z").value());
  const auto rows = store_->runs({.job = job.uid, .limit = 1});
  EXPECT_EQ(rows->front().count, 3);
  EXPECT_EQ(rows->front().reason, Reason::paused);
}

TEST_F(Steer, ARangeIsAskedForOldestFirstAndOnlyWhatDidNotRun) {
  expect("cronce backfill flaky --from 2026-03-28T22:00:00Z", "flaky@2026-03-29T03:00:00Z#2");
  std::vector<Time> waiting;
  for (const PendingRun& run : row("flaky").pending) waiting.push_back(run.id.slot);
  EXPECT_TRUE(std::is_sorted(waiting.begin(), waiting.end()));
  EXPECT_EQ(waiting.size(), 3U) << "00:00, 02:00 and 03:00 were missed";
}

/// Which times were slots then is told by the definition of that time.
TEST_F(Steer, ABackfillKnowsFormerSchedules) {
  story_->deploy("jobs:\n  flaky: {schedule: {every: 20m}, run: ./flaky}\n");
  expect("cronce backfill flaky --from 2026-03-28T23:30:00Z --to 2026-03-29T02:30:00Z --dry-run",
         "2 of 3 slots would run");
  expect("cronce backfill flaky 2026-03-29T02:20:00Z --again", "not a slot");
  expect("cronce backfill flaky 2026-03-29T02:00:00Z", "flaky@2026-03-29T02:00:00Z#2: asked for");
}

TEST_F(Steer, NothingIsAskedForAboveTheLimit) {
  const std::string command = "cronce backfill slow-report --from 2026-03-28T20:00:00Z --again";
  expect(command + " --limit 3", "at most 3 may at once");
  EXPECT_EQ(exit_code_of(command + " --limit 3"), kExitUsage);
  EXPECT_EQ(row("slow-report").pending.size(), 1U) << "as before";
}

/// Nodes that are silent offer nothing any more.
TEST_F(Steer, AJobIsRetiredWhenNoLivingNodeHasItsFile) {
  EXPECT_EQ(exit_code_of("cronce retire heartbeat"), kExitTryLater);
  EXPECT_FALSE(row("heartbeat").retired());
  clock_.advance(std::chrono::minutes{10});
  expect("cronce retire heartbeat --note gone", "heartbeat is retired");
  EXPECT_TRUE(row("heartbeat").retired());
  expect("cronce why heartbeat 2026-03-29T04:10:00Z", "by anna@web-1: gone");
  expect("cronce trigger heartbeat", "the job is retired");
  EXPECT_EQ(exit_code_of("cronce trigger heartbeat"), kExitNotFound);
}

/// What a clock has settled that was a year ahead comes back, but not what has a record.
TEST_F(Steer, RecedeBringsBackAPlanThatAWrongClockDroveAhead) {
  const Time now = clock_.wall();
  const Time wrong = now + std::chrono::days{365};
  expect("cronce pause migrate cleanup", "is paused");
  clock_.set(wrong);
  Steering steering(*store_, rng_, std::nullopt, [] {});
  for (const char* name : {"migrate", "cleanup"}) {
    EXPECT_EQ(steering.resume(row(name).uid, {})->refused, Refused::none);
  }
  clock_.set(now);
  EXPECT_EQ(row("migrate").plan.cursor, wrong);
  expect("cronce recede migrate --note 'the clock said 2027'",
         "migrate was settled to 2027-03-29T04:07:30Z, and is to 2026-03-29T04:07:30Z now\n");
  EXPECT_EQ(row("migrate").plan.cursor, now);
  EXPECT_EQ(done_to("migrate").back().by.why, "the clock said 2027");
  expect("cronce recede migrate", "need not recede");
  EXPECT_EQ(row("cleanup").plan.cursor, wrong);
  expect("cronce recede cleanup",
         "cleanup is settled to 2027-03-29T04:07:30Z, and cannot recede: a slot of that time has a "
         "record");
  EXPECT_EQ(exit_code_of("cronce recede cleanup"), kExitTryLater);
  EXPECT_EQ(row("cleanup").plan.cursor, wrong) << "its range reaches so far";
}

}  // namespace
}  // namespace cronce
