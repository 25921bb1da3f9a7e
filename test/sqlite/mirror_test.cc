// What a process holds of the file: right, though it is only a part of it.
#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/mirror_check.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

class MirrorTest : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    return *SqliteStore::open_file({.path = path_}, std::make_unique<embedded::OwnClock>(clock_),
                                   rng_);
  }
  std::string difference(SqliteStore& store) { return MirrorCheck(path_).difference(store); }

  Scratch folder_;
  std::string path_ = folder_.file("store");
  ManualClock clock_{kStart};
  Rng rng_{1};
};

/// More jobs than are held: those that had to go are read again, those that others wrote too.
TEST_F(MirrorTest, of_more_jobs_than_it_holds_is_right) {
  constexpr int kJobs = 9'000;
  auto one = open(), two = open();
  Client client(*one, rng_, clock_);
  ASSERT_TRUE(client.beat());
  std::vector<std::string> names;
  for (int i = 0; i < kJobs; ++i) names.push_back("job" + std::to_string(i));
  ASSERT_TRUE(client.enroll(clock_.wall(), names));
  EXPECT_LT(MirrorCheck::tables(*one).jobs.size(), 4'200U);
  clock_.advance(10s);
  const auto rows = two->jobs().value();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kJobs));
  std::size_t claims = 0;
  for (std::size_t from = 0; from < rows.size(); from += 1'000) {
    SqliteStore& door = from % 2'000 == 0 ? *one : *two;
    const std::vector<JobRow> batch(rows.begin() + static_cast<std::ptrdiff_t>(from),
                                    rows.begin() + static_cast<std::ptrdiff_t>(from + 1'000));
    const auto decided = client.at(door).decide(batch, clock_.wall());
    ASSERT_TRUE(decided);
    claims += Client::claims_of(decided->answer).size();
    EXPECT_LT(MirrorCheck::tables(door).jobs.size(), 4'200U);
  }
  EXPECT_EQ(claims, static_cast<std::size_t>(kJobs));
  EXPECT_EQ(difference(*one), "");
  ASSERT_TRUE(two->nodes());  // it has to read first what the other wrote last
  EXPECT_EQ(difference(*two), "");
  EXPECT_EQ(client.at(*one).beat()->held.size(), static_cast<std::size_t>(kJobs));
}

/// Each beat tells what changed since the one before, whoever changed it.
TEST_F(MirrorTest, tells_each_change_once) {
  auto one = open(), two = open();
  Client client(*one, rng_, clock_), other(*two, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(other.beat());
  ASSERT_TRUE(other.enroll(clock_.wall(), {"x", "y"}));
  auto told = client.beat();
  EXPECT_EQ(told->changed.size(), 2U);
  client.knows(told->changes);
  EXPECT_TRUE(client.beat()->changed.empty());
  clock_.advance(10s);
  ASSERT_TRUE(other.decide({two->jobs().value().at(1)}, clock_.wall()));
  told = client.beat();
  ASSERT_EQ(told->changed.size(), 1U);
  EXPECT_EQ(told->changed.at(0).live.size(), 1U);
  client.knows(told->changes);
  EXPECT_TRUE(client.beat()->changed.empty());
  client.knows(0);  // as one that has forgotten all
  EXPECT_EQ(client.beat()->changed.size(), 2U);
}

/// What a beat and the claim of one slot cost, with so many jobs and another process at work.
std::pair<std::int64_t, std::int64_t> costs_with(int jobs) {
  const Scratch folder;
  ManualClock clock(kStart);
  Rng rng(1);
  const auto open = [&] {
    return *SqliteStore::open_file({.path = folder.file("store")},
                                   std::make_unique<embedded::OwnClock>(clock), rng);
  };
  auto one = open(), two = open();
  Client client(*one, rng, clock), other(*two, rng, clock);
  std::vector<std::string> names;
  for (int i = 0; i < jobs; ++i) names.push_back("job" + std::to_string(i));
  EXPECT_TRUE(other.beat());
  EXPECT_TRUE(other.enroll(clock.wall(), names));
  client.knows(client.beat()->changes);
  EXPECT_TRUE(client.beat());
  EXPECT_TRUE(other.beat());
  MirrorCheck::cost(*one);
  EXPECT_TRUE(client.beat());
  const std::int64_t beat = MirrorCheck::cost(*one);
  clock.advance(10s);
  const auto rows = two->jobs().value();
  EXPECT_TRUE(other.decide({rows.at(1)}, clock.wall()));
  EXPECT_TRUE(client.decide({rows.at(2)}, clock.wall()));
  return {beat, MirrorCheck::cost(*one)};
}

TEST_F(MirrorTest, costs_the_same_however_many_jobs_there_are) {
  const auto [beat, claim] = costs_with(10);
  const auto [beat_of_many, claim_of_many] = costs_with(2'000);
  std::printf("instructions: %ld a beat, %ld a claim\n", beat, claim);
  EXPECT_EQ(beat_of_many, beat);
  EXPECT_EQ(claim_of_many, claim);
}

// ---- the check can see --------------------------------------------------------------------------

TEST_F(MirrorTest, that_was_not_written_is_seen) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x"}));
  clock_.advance(10s);
  ASSERT_TRUE(client.decide(store->jobs().value(), clock_.wall()));
  EXPECT_EQ(difference(*store), "");
  embedded::Tables& tables = MirrorCheck::tables(*store);
  const auto differs = [&](auto& value, const auto& wrong) {
    const auto right = std::exchange(value, wrong);
    std::string found = difference(*store);
    value = right;
    return found;
  };
  JobRow& job = tables.jobs.begin()->second;
  EXPECT_EQ(differs(job.plan.turn, Turn{99}), "jobs");
  EXPECT_EQ(differs(job.fence_count, 99U), "jobs");
  EXPECT_EQ(differs(job.live, std::vector<LiveRun>{}), "jobs");
  EXPECT_EQ(differs(tables.runs.begin()->second.node, std::string("b")), "runs");
  EXPECT_EQ(differs(tables.nodes.begin()->second.ended, true), "nodes");
  EXPECT_EQ(differs(tables.changed_at.begin()->second, 99U), "changed_at");
  EXPECT_EQ(differs(tables.position, 99U), "meta");
  EXPECT_EQ(difference(*store), "");
}

TEST_F(MirrorTest, that_was_not_read_is_seen) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x"}));
  sqlite::Database(path_, nullptr).run("UPDATE jobs SET turn = turn + 1");  // and no position
  EXPECT_TRUE(client.beat());
  EXPECT_EQ(difference(*store), "jobs");
}

}  // namespace
}  // namespace cronce
