// What a step of the PostgreSQL store costs, and what it does when others were faster.
#include <gtest/gtest.h>

#include "store/postgres/postgres_store.h"
#include "test/postgres/mirror_check.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/postgres_server.h"

namespace cronce {
namespace {

using std::chrono::seconds;

class PostgresStoreTest : public ::testing::Test {
 protected:
  /// A namespace for each test.
  static PostgresStoreSettings settings() {
    static const test::PostgresServer server;
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return {{server.socket_conninfo()}, test->name()};
  }

  std::unique_ptr<PostgresStore> connect() {
    auto store =
        PostgresStore::connect(settings(), std::make_unique<embedded::OwnClock>(clock_), rng_);
    return store ? *std::move(store) : nullptr;
  }

  /// A node that has beaten.
  Client node(PostgresStore& store) {
    Client client(store, rng_, clock_);
    EXPECT_TRUE(client.beat().ok());
    return client;
  }

  void enroll(Client& client, int jobs) {
    std::vector<std::string> names;
    for (int i = 0; i < jobs; ++i) names.push_back("job" + std::to_string(i));
    ASSERT_TRUE(client.enroll(clock_.wall(), names).ok());
  }

  /// Of those that it was asked for: what each became.
  static std::vector<Claim> claims(const Result<Written<DecideAnswers>>& decided) {
    EXPECT_TRUE(decided.ok());
    return decided ? Client::claims_of(decided->answer) : std::vector<Claim>{};
  }

  static std::string difference(PostgresStore& store) {
    return PostgresMirrorCheck(settings()).difference(store);
  }

  /// How often the server is asked for what is done.
  template <class Act>
  static std::uint64_t round_trips(const PostgresStore& store, const Act& act) {
    const auto before = PostgresMirrorCheck::round_trips(store);
    act();
    return PostgresMirrorCheck::round_trips(store) - before;
  }

  ManualClock clock_{kStart};
  Rng rng_{1};
};

TEST_F(PostgresStoreTest, decides_a_batch_in_one_round_trip_and_finishes_it_in_another) {
  const auto store = connect();
  Client one = node(*store);
  enroll(one, 100);
  for (int round = 0; round < 3; ++round) {
    clock_.advance(seconds{10});
    const auto jobs = store->jobs().value();
    std::vector<Claim> granted;
    EXPECT_EQ(round_trips(*store, [&] { granted = claims(one.decide(jobs, clock_.wall())); }), 1U);
    EXPECT_EQ(granted.size(), 100U);
    EXPECT_EQ(round_trips(*store, [&] { EXPECT_TRUE(one.finish(granted).ok()); }), 1U);
    EXPECT_EQ(difference(*store), "");
    ASSERT_TRUE(store->sweep(one.next(), {}).ok());  // holds the namespace, and leaves it known
  }
}

TEST_F(PostgresStoreTest, asks_no_second_time_because_others_have_written_meanwhile) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 20);
  clock_.advance(seconds{10});
  auto jobs = store->jobs().value();
  const std::vector<JobRow> mine(jobs.begin(), jobs.begin() + 10);
  const std::vector<JobRow> theirs(jobs.begin() + 10, jobs.end());
  ASSERT_TRUE(one.decide({mine[0]}, clock_.wall()).ok());  // its lane and these jobs are known here

  const auto others = claims(two.decide(theirs, clock_.wall()));
  ASSERT_EQ(others.size(), 10U);
  const std::vector<JobRow> rest(mine.begin() + 1, mine.end());
  ASSERT_EQ(claims(one.decide(rest, clock_.wall())).size(), 9U);
  ASSERT_TRUE(two.finish(others).ok());
  clock_.advance(seconds{10});
  jobs = other->jobs().value();
  ASSERT_EQ(claims(two.decide({jobs.begin() + 10, jobs.end()}, clock_.wall())).size(), 10U);
  const std::vector<JobRow> again(jobs.begin(), jobs.begin() + 10);
  EXPECT_EQ(round_trips(*store, [&] { ASSERT_TRUE(one.decide(again, clock_.wall()).ok()); }), 1U);
  EXPECT_EQ(difference(*store), "");
}

TEST_F(PostgresStoreTest, grants_a_slot_once_whoever_knows_less) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 1);
  for (int round = 0; round < 4; ++round) {
    clock_.advance(seconds{10});
    const auto jobs = store->jobs().value();
    const auto seen = other->jobs().value();  // both know the same
    auto& first = round % 2 == 0 ? one : two;
    auto& second = round % 2 == 0 ? two : one;
    const auto granted = claims(first.decide(jobs, clock_.wall()));
    ASSERT_EQ(granted.size(), 1U);
    const auto refused = second.decide(seen, clock_.wall());
    ASSERT_TRUE(refused.ok());
    EXPECT_EQ(refused->answer.entries.at(0).refused, Refused::moved);
    EXPECT_TRUE(first.finish(granted).ok());
    EXPECT_EQ(difference(round % 2 == 0 ? *store : *other), "");
  }
}

/// What is known here says that it lives.
TEST_F(PostgresStoreTest, grants_nothing_to_a_node_that_others_have_ended) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 1);
  clock_.advance(seconds{10});
  const auto jobs = store->jobs().value();
  ASSERT_TRUE(one.decide({}, clock_.wall()).ok());
  const std::vector<SweepEntry> ended{{one.self().incarnation, one.self().beat}};
  ASSERT_TRUE(other->sweep(two.next(), ended)->answer.at(0).ended);
  const auto refused = one.decide(jobs, clock_.wall());
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->answer.entries.at(0).refused, Refused::ended);
}

/// A request that was on its way for long: the lane has gone on without it.
TEST_F(PostgresStoreTest, applies_no_write_that_the_lane_has_overtaken) {
  const auto store = connect(), late = connect();
  Client one = node(*store);
  enroll(one, 1);
  clock_.advance(seconds{10});
  const auto jobs = store->jobs().value();
  Client same = one;  // the same lane, and what it knew then
  ASSERT_TRUE(same.at(*late).decide({}, clock_.wall()).ok());
  const auto overtaken = one.at(*store).decide(jobs, clock_.wall());
  ASSERT_FALSE(overtaken.ok());
  EXPECT_EQ(overtaken.error().code, Code::conflict);
}

TEST_F(PostgresStoreTest, goes_by_the_clock_of_the_server) {
  const Clock& here = system_clock();
  auto store = PostgresStore::connect(settings(), here, rng_);
  ASSERT_TRUE(store.ok());
  ManualClock wrong{here.wall() - std::chrono::hours{1}};
  Client one(**store, rng_, wrong);
  const Time told = one.beat()->store_time;
  EXPECT_LT(std::chrono::abs(told - here.wall()), seconds{60});
  ASSERT_TRUE(one.enroll(told, {"j"}).ok());
  const auto jobs = (*store)->jobs().value();
  ASSERT_EQ(jobs.size(), 1U);
  // A slot that comes, whatever this node's clock says.
  const auto refused = one.decide(jobs, told + std::chrono::hours{1});
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->answer.entries.at(0).refused, Refused::future);
}

}  // namespace
}  // namespace cronce
