// Runs the transcripts of test/golden/reads, and what docs/operations.md shows.
#include "test/reads/reads.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/json.h"
#include "node/settings.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

TEST_F(Reads, Transcripts) {
  const auto paths = transcripts_in("test/golden/reads");
  EXPECT_FALSE(paths.empty());
  for (const std::string& path : paths) check_file(path, false, clock_);
}

TEST_F(Reads, WhatThePageShows) { check_file("docs/operations.md", true, clock_); }

/// Ten minutes later nothing was decided, and nobody was heard of.
TEST_F(Reads, WhenNobodyIsAlive) {
  clock_.advance(std::chrono::minutes{10});
  expect("cronce nodes", "10m5s ago, lease over");
  expect("cronce why heartbeat next", "due, not decided yet");
  expect("cronce why heartbeat next",
         "it was due 7m30s ago, and nobody has decided it yet: no node is alive");
  expect("cronce why heartbeat 2026-03-29T05:00:00Z", "no node is alive");
  expect("cronce jobs heartbeat", "due");
}

/// Nobody has decided anything for three hours: what a node that comes now would make of it.
TEST_F(Reads, ADryRunTellsWhatIsOwed) {
  const std::string deploy = "cronce run --dry-run test/reads/deploy.yaml";
  clock_.advance(std::chrono::hours{3});
  expect(deploy, "runs the newest of 18, skips 17 as missed");
  expect(deploy, "skips 3 as paused");
  expect(deploy + " --json",
         R"("runs_now":["2026-03-29T07:00:00Z"],"skips_now":17,"skip_reason":"missed",)"
         R"("next":"2026-03-29T07:10:00Z")");
}

TEST_F(Reads, ADryRunWritesNothing) {
  const auto read = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string path = folder_.file("cronce.db");
  const std::string before = read(path);
  expect("cronce run --dry-run test/reads/deploy.yaml", "nothing was done");
  EXPECT_EQ(read(path), before);
  const std::string none = folder_.file("none.db");
  const std::string state = folder_.file("state");
  expect("cronce run --dry-run --state " + state + " --store sqlite:" + none +
             " test/reads/deploy.yaml",
         "there is no store at " + none + " yet: it would be made\n");
  for (const auto& entry : fs::directory_iterator(fs::path(none).parent_path())) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("none.db")) << entry.path();
  }
  EXPECT_FALSE(fs::exists(state));
}

/// Another schedule, and a history that keeps little.
TEST_F(Reads, AfterADeploy) {
  story_->deploy(
      "jobs:\n"
      "  slow-report: {schedule: {every: 20m}, run: ./report}\n"
      "  heartbeat: {schedule: '*/10 * * * *', run: ./beat, history: {succeeded: 1, skipped: "
      "1}}\n");
  expect("cronce history slow-report", "2026-03-29T01:30:00Z to 2026-03-29T03:30:00Z (5 slots)");
  expect("cronce why heartbeat 2026-03-28T22:00:00Z", "its record was purged");
  expect("cronce why slow-report 2026-03-28T20:40:00Z", "nobody owed this slot");
  expect("cronce nodes", "web-2 offers another version of jobs.yaml");
  expect("cronce jobs", "retired (--all)");
  expect("cronce jobs --all", "import");
  expect("cronce show import", "no file defines it any more");
  expect("cronce why slow-report last", "revision 1 of the job");
}

TEST_F(Reads, ACopyMustBeAdopted) {
  const std::string copy = folder_.file("copy.db");
  const std::string named = " --store sqlite:" + copy;
  expect("cronce backup " + copy, "before it is used: cronce adopt" + named + "\n");
  expect("cronce backup " + copy, "there is a file of that name");
  expect("cronce jobs" + named, "cronce adopt" + named);
  expect("cronce adopt --json" + named, "\"epoch\":2");
  expect("cronce jobs" + named, "slow-report");
  expect("cronce history slow-report" + named, "lost: regressed");
  const std::string backfill = "cronce backfill flaky --from 2026-03-29T00:00:00Z" + named;
  expect(backfill + " --dry-run",
         "2026-03-29T02:00:00Z  skipped: missed  left out: it may have run");
  expect(backfill + " --dry-run", "0 of 5 slots would run");
  expect(backfill, "5 slots left out");
  EXPECT_EQ(run_line("cronce adopt --store sqlite:" + folder_.file("none.db"), clock_).exit_code,
            kExitUnavailable);
}

/// Of a store with a past, by the clock that stands still; the rest of it is of this host.
TEST_F(Reads, DoctorFindsWhatWaitsForAPersonAndWhoIsSilent) {
  const std::string doctor = "cronce doctor --state " + folder_.file("state");
  expect(doctor, "warning  a run waits for a person: import 2026-03-28T22:15:00Z\n");
  expect(doctor, "2 nodes alive: web-1, web-2");
  expect(doctor + " --json", R"({"check":"held","severity":"warning","found":"a run waits)");
  EXPECT_EQ(run_line(doctor, clock_).exit_code, kExitFound);
  clock_.advance(std::chrono::minutes{10});
  expect(doctor, "node web-1 was not heard of for 10m5s");
  expect(doctor, "no node is alive, and jobs are overdue: ");
}

/// What they run would be started a second time.
TEST_F(Reads, AStoreWithLivingNodesIsNotAdopted) {
  expect("cronce adopt", "2 nodes of this store are alive");
  EXPECT_EQ(run_line("cronce adopt", clock_).exit_code, kExitRefused);
  clock_.advance(std::chrono::minutes{10});
  expect("cronce adopt", "epoch 2");
}

/// The one run of the story that has not ended.
class Follows : public Reads {
 protected:
  Follows() {
    row_ = store_->runs({.states = {RunState::running}}).value().at(0);
    const auto getenv_of = [](const char* name) -> const char* { return std::getenv(name); };
    log_ = run_log_path(find_places({}, getenv_of), row_.id);
    fs::create_directories(fs::path(log_).parent_path());
  }

  void end_run() const {
    const FinishEntry end{row_.id, *row_.fence, *row_.incarnation, RunState::succeeded,
                          Reason::none};
    EXPECT_TRUE(store_->finish({Incarnation{{9, 9}}, 0, 1}, std::vector{end}));
  }

  static constexpr const char* kEnded = "cronce: slow-report@2026-03-29T04:00:00Z succeeded";
  cronce::Run row_;
  std::string log_;
};

/// Whatever the reader has seen when the run ends, it prints all of it.
TEST_F(Follows, UntilTheRunHasEnded) {
  golden::Outcome outcome;
  std::thread reader([&] { outcome = run_line("cronce logs slow-report -f", clock_); });
  std::ofstream(log_) << "page 1\n";
  fs::rename(log_, log_ + ".1");
  std::ofstream(log_) << "page 2\n";
  end_run();
  reader.join();
  EXPECT_EQ(outcome.lines, (std::vector<std::string>{"page 1", "page 2", kEnded}));
}

/// Until somebody has read that it is away, a tool has the file for itself.
TEST_F(Follows, WhileTheStoreIsAway) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::FILE* out = fdopen(ends[1], "w");
  std::FILE* in = fdopen(ends[0], "r");
  std::ofstream(log_) << "page 1\n";
  std::thread reader([&] {
    run_cli(std::vector<std::string>{"logs", "slow-report", "-f"}, {stdin, out, out, clock_});
    std::fclose(out);
  });
  const auto read_line = [&] {
    std::array<char, 1'024> line{};
    return std::string(std::fgets(line.data(), line.size(), in) == nullptr ? "" : line.data());
  };
  EXPECT_EQ(read_line(), "page 1\n");
  sqlite3* tool = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.file("cronce.db").c_str(), &tool), SQLITE_OK);
  sqlite3_busy_timeout(tool, 60'000);
  ASSERT_EQ(sqlite3_exec(tool, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_TRUE(read_line().starts_with("cronce: the store does not answer, and is asked again"));
  sqlite3_close(tool);
  end_run();
  EXPECT_EQ(read_line(), kEnded + std::string("\n"));
  reader.join();
  std::fclose(in);
}

/// What verify finds of the heartbeat, line by line.
std::vector<std::string> findings(const ManualClock& clock) {
  std::vector<std::string> found;
  for (const std::string& line :
       run_line("cronce verify heartbeat --late 1d --json", clock).lines) {
    const auto value = json::parse(line).value().as_object();
    if (!value.contains("finding")) continue;
    found.push_back(std::string(value.at("finding").as_string()) + " " +
                    std::string(value.at("slot").as_string()));
  }
  return found;
}

/// The judge of the others must be able to object: each fault is planted, and no other is found.
TEST_F(Reads, VerifyFindsExactlyWhatIsPlanted) {
  sqlite3* tool = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.file("cronce.db").c_str(), &tool), SQLITE_OK);
  const auto plant = [&](const std::string& sql) {
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(tool, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  };
  const auto slot = [](const char* text) {
    return std::to_string(parse_time(text).value().time_since_epoch().count());
  };
  const std::string of = " job = (SELECT uid FROM definitions WHERE name = 'heartbeat') ";
  EXPECT_EQ(findings(clock_), std::vector<std::string>{});
  plant("DELETE FROM runs WHERE" + of + "AND slot = " + slot("2026-03-28T21:30:00Z"));
  EXPECT_EQ(findings(clock_), std::vector<std::string>{"missing 2026-03-28T21:30:00Z"});
  plant("CREATE TEMP TABLE again AS SELECT * FROM runs WHERE" + of +
        "AND slot = " + slot("2026-03-28T22:00:00Z") +
        "; UPDATE again SET attempt = 2, started_at = started_at + 60000, due = due + 60000, "
        "finished_at = finished_at + 60000; INSERT INTO runs SELECT * FROM again");
  EXPECT_EQ(findings(clock_), (std::vector<std::string>{"missing 2026-03-28T21:30:00Z",
                                                        "duplicate 2026-03-28T22:00:00Z"}));
  plant("UPDATE runs SET finished_at = finished_at + 601000 WHERE" + of +
        "AND slot = " + slot("2026-03-28T22:10:00Z"));
  EXPECT_EQ(findings(clock_), (std::vector<std::string>{"missing 2026-03-28T21:30:00Z",
                                                        "duplicate 2026-03-28T22:00:00Z",
                                                        "overlapping 2026-03-28T22:20:00Z"}));
  sqlite3_close(tool);
}

/// Nobody else decides for it, and when it has been gone for a day its slots are settled at once.
TEST_F(Reads, VerifyNeitherMissesNorPraisesWhatWaitsForANodeThatIsAway) {
  clock_.advance(std::chrono::hours{1});
  const std::string verify = "cronce verify clean-tmp --late 1d";
  expect(verify, "; web-2 is away: its slots from 2026-03-29T04:45:00Z on are not settled\n");
  expect(verify, ": none missing, none twice; 2 wait for nodes that are away\n");
  expect(verify + " --json", R"("waiting":"2026-03-29T04:45:00Z")");
  EXPECT_EQ(exit_code_of(verify), kExitDone);
  clock_.advance(std::chrono::hours{25});
  expect(verify, "missing      2026-03-29T04:45:00Z  nothing is recorded of it\n");
  EXPECT_EQ(exit_code_of(verify), kExitFound);
}

/// Those of whom nothing was heard lately are not among the newest rows of all.
TEST_F(Reads, JobsNameTheNewestRunOfEachHoweverOldItIs) {
  for (const char* job : {"migrate", "nightly-billing", "clean-tmp/web-2", "heartbeat"}) {
    const auto all = run_line("cronce jobs --json", clock_).lines;
    const auto one = run_line(std::string("cronce jobs --json ") + job, clock_).lines;
    EXPECT_NE(std::find(all.begin(), all.end(), one.at(0)), all.end()) << job;
  }
}

}  // namespace
}  // namespace cronce
