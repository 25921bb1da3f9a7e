// What a step of the PostgreSQL store costs, and what it does when others were faster.
#include <cstdio>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "store/open_store.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/server_clock.h"
#include "test/postgres/mirror_check.h"
#include "test/support/client.h"
#include "test/support/fault_proxy.h"
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

  /// After that a door knows of this job what it needs to judge the next slot without a question.
  void run_once(PostgresStore& store, Client& client, std::size_t job) {
    clock_.advance(seconds{10});
    const auto granted = claims(client.decide({store.jobs().value().at(job)}, clock_.wall()));
    EXPECT_TRUE(client.finish(granted).ok());
  }

  /// The jobs when their next slots are due: both doors know the same.
  std::vector<JobRow> both_look(PostgresStore& store, PostgresStore& other) {
    clock_.advance(seconds{10});
    EXPECT_EQ(store.jobs().value().size(), other.jobs().value().size());
    return store.jobs().value();
  }

  static std::string difference(PostgresStore& store) {
    return PostgresMirrorCheck(settings()).difference(store);
  }

  /// What the server says to somebody else: the first column of the first row.
  static std::string ask(const std::string& sql) {
    PostgresSettings patient = settings().server;
    patient.answer_timeout = seconds{20};
    const auto connection = *PostgresConnection::connect(patient);
    const std::vector<PostgresStatement> statements{{sql, {}}};
    const auto answered = connection->run(statements);
    EXPECT_TRUE(answered) << (answered ? "" : answered.error().error.message);
    const bool is_row = answered && (*answered)[0].size() > 0;
    return is_row ? std::string((*answered)[0].text(0, 0)) : std::string();
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

/// What one transaction waits for and then reads would be an error to a stricter one.
TEST_F(PostgresStoreTest, does_not_depend_on_what_transactions_are_by_default) {
  const auto plain = connect();
  Client one = node(*plain);
  enroll(one, 2);
  PostgresStoreSettings strict = settings();
  strict.server.conninfo += " options='-c default_transaction_isolation=serializable'";
  auto connected =
      PostgresStore::connect(strict, std::make_unique<embedded::OwnClock>(clock_), rng_);
  ASSERT_TRUE(connected) << connected.error().message;
  PostgresStore& store = **connected;
  Client two = node(store);
  run_once(store, two, 0);
  run_once(store, two, 1);
  clock_.advance(seconds{10});
  const auto jobs = store.jobs().value();
  EXPECT_EQ(claims(one.decide({jobs[0]}, clock_.wall())).size(), 1U);
  const auto refused = two.decide({jobs[0]}, clock_.wall());  // compared, and taken again
  ASSERT_TRUE(refused.ok()) << refused.error().message;
  EXPECT_EQ(refused->answer.entries.at(0).refused, Refused::moved);
  EXPECT_EQ(round_trips(
                store, [&] { EXPECT_EQ(claims(two.decide({jobs[1]}, clock_.wall())).size(), 1U); }),
            1U);
  EXPECT_EQ(difference(store), "");
}

/// While the server has no statistics of a namespace it believes that reading all of it is cheap.
TEST_F(PostgresStoreTest, reads_no_more_of_the_ledger_because_it_is_long) {
  if (std::stoi(ask("SHOW server_version_num")) < 150'000) {
    GTEST_SKIP() << "NOT TESTED: how much is read, which a server before 15 counts too late";
  }
  const auto rows_read = [&] {
    while (ask("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND "
               "pid <> pg_backend_pid()") != "0") {
      std::this_thread::yield();  // what was read is counted when its reader has gone
    }
    return std::stoll(
        ask("SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0) FROM "
            "pg_stat_user_tables WHERE schemaname = 'cronce'"));
  };
  const auto decide_and_finish = [&] {
    const auto store = connect();
    Client one = node(*store);
    enroll(one, 300);
    const auto before = store->jobs().value();
    clock_.advance(seconds{10});
    const auto granted = claims(one.decide(before, clock_.wall()));
    EXPECT_EQ(granted.size(), 300U);
    EXPECT_EQ(connect()->jobs().value().size(), 300U);  // somebody who only looks
    EXPECT_TRUE(one.finish(granted).ok());
  };
  decide_and_finish();
  ask("ALTER TABLE cronce.runs SET (autovacuum_enabled = off)");
  ask("INSERT INTO cronce.runs SELECT c.* FROM cronce.runs r JOIN cronce.stores USING (ns), "
      "generate_series(1, 40000) AS n, jsonb_populate_record(r, jsonb_build_object('slot', r.slot "
      "- n)) AS c WHERE namespace = '" +
      settings().name_space + "' AND r.job = (SELECT max(job) FROM cronce.runs WHERE ns = r.ns)");
  const auto before = rows_read();
  decide_and_finish();
  const auto read = rows_read() - before;
  std::printf("%lld rows read\n", read);
  EXPECT_GT(read, 600);  // it has been counted by now
  EXPECT_LT(read, 12'000);
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

/// The first of two writes is known to whoever made it, and not to whoever made the second; which
/// is still the later one.
TEST_F(PostgresStoreTest, sees_what_another_has_written_after_its_own) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 2);
  run_once(*other, two, 0);
  run_once(*other, two, 1);
  const JobUid first = store->jobs().value().at(0).uid;
  const std::vector<RunId> none{{first, Space::slot, kStart, "", Attempt{1}}};
  ASSERT_TRUE(store->take(one.next(), none).ok());  // now the first door knows of this job too
  const auto jobs = both_look(*store, *other);
  EXPECT_EQ(claims(two.decide({jobs[1]}, clock_.wall())).size(), 1U);
  EXPECT_EQ(round_trips(*store, [&] { EXPECT_TRUE(one.decide({jobs[0]}, clock_.wall()).ok()); }),
            1U);
  const auto refused = two.decide({jobs[0]}, clock_.wall());
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->answer.entries.at(0).refused, Refused::moved);
}

/// What is known here says that there is no such slot.
TEST_F(PostgresStoreTest, takes_what_another_has_put_in_line_since_it_looked) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 1);
  clock_.advance(seconds{10});
  const auto first = claims(two.decide(other->jobs().value(), clock_.wall()));
  ASSERT_TRUE(two.finish(first).ok());
  clock_.advance(seconds{10});
  const JobRow job = store->jobs().value().at(0);
  const Time slot = *job.plan.next;
  DecideEntry entry{job.uid, job.plan.turn, slot, slot, {}, {{slot, slot}}, slot + seconds{10}, {}};
  entry.runs[0].how = SlotToRun::How::enqueue;
  const auto decided = store->decide(one.next(), {{entry}, {}, {}});
  ASSERT_EQ(decided->answer.entries.at(0).runs.at(0).state, RunState::pending);
  const std::vector<RunId> waiting{{job.uid, Space::slot, slot, "", Attempt{1}}};
  const auto taken = other->take(two.next(), waiting);
  ASSERT_TRUE(taken.ok());
  EXPECT_TRUE(taken->answer.at(0).claim.has_value());
  EXPECT_EQ(difference(*other), "");
}

/// The older run's claim names the newest slot that succeeded before it, which has to be read: what
/// had been counted by then must not be counted again.
TEST_F(PostgresStoreTest, leaves_nothing_of_a_step_that_it_takes_again) {
  const auto store = connect();
  Client one = node(*store);
  Job job = job_every_ten_seconds("j");
  job.everywhere = true;
  job.overlap = Overlap::allow;
  job.catch_up = {CatchUp::Mode::all, std::nullopt, 100};
  const RegisterAsk ask{"jobs", "1", std::nullopt, {{job, kStart, std::nullopt, std::nullopt}}, {}};
  ASSERT_TRUE(store->enroll(one.next(), ask).ok());
  const JobUid whole = store->jobs().value().at(0).uid;
  const Time first = kStart + seconds{10}, second = kStart + seconds{20};
  ASSERT_TRUE(store->decide(one.next(), {{}, {}, {JoinMember{whole, kStart, first}}}).ok());
  const auto share = [&] { return store->jobs().value().at(1); };
  clock_.advance(seconds{25});
  const auto line_up = SlotToRun::How::enqueue;
  const DecideEntry entry{share().uid,
                          share().plan.turn,
                          first,
                          second,
                          {},
                          {{first, first, line_up}, {second, second, line_up}},
                          second + seconds{10},
                          {}};
  ASSERT_TRUE(store->decide(one.next(), {{entry}, {}, {}}).ok());
  const std::vector<RunId> newer{{share().uid, Space::slot, second, "", Attempt{1}}};
  const std::vector<RunId> older{{share().uid, Space::slot, first, "", Attempt{1}}};
  const auto taken = store->take(one.next(), newer);
  ASSERT_TRUE(one.finish({*taken->answer.at(0).claim}).ok());
  ASSERT_TRUE(store->take(one.next(), older)->answer.at(0).claim.has_value());
  EXPECT_EQ(share().runs_started, 2);
  EXPECT_EQ(difference(*store), "");
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

/// What is known here says that there is room in the group.
TEST_F(PostgresStoreTest, lets_no_more_into_a_group_though_their_jobs_have_not_changed) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  RegisterAsk ask{"jobs", "1", std::nullopt, {}, {}};
  for (const char* name : {"first", "second"}) {
    Job job = job_every_ten_seconds(name);
    job.concurrency = Concurrency{"group", 1};
    ask.jobs.push_back({job, kStart, kStart + seconds{10}, std::nullopt});
  }
  ASSERT_TRUE(store->enroll(one.next(), ask).ok());
  run_once(*store, one, 0);
  run_once(*other, two, 1);
  const auto jobs = both_look(*store, *other);
  EXPECT_EQ(claims(one.decide({jobs[0]}, clock_.wall())).size(), 1U);
  EXPECT_EQ(claims(two.decide({jobs[1]}, clock_.wall())).size(), 0U);
  EXPECT_EQ(difference(*other), "");
}

/// Which runs of others live is not asked for with every write; who must know it asks.
TEST_F(PostgresStoreTest, lets_no_more_into_a_group_though_it_has_not_read_who_is_in_it) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  RegisterAsk ask{"jobs", "1", std::nullopt, {}, {}};
  for (const char* name : {"first", "second", "third"}) {
    Job job = job_every_ten_seconds(name);
    if (job.name.text() != "third") job.concurrency = Concurrency{"group", 1};
    ask.jobs.push_back({job, kStart, kStart + seconds{10}, std::nullopt});
  }
  ASSERT_TRUE(store->enroll(one.next(), ask).ok());
  run_once(*other, two, 0);
  run_once(*store, one, 1);
  run_once(*store, one, 2);
  const auto jobs = both_look(*store, *other);
  EXPECT_EQ(claims(two.decide({jobs[0]}, clock_.wall())).size(), 1U);
  EXPECT_EQ(round_trips(*store, [&] { claims(one.decide({jobs[2]}, clock_.wall())); }), 1U);
  EXPECT_EQ(claims(one.decide({jobs[1]}, clock_.wall())).size(), 0U);
  EXPECT_EQ(difference(*store), "");
}

TEST_F(PostgresStoreTest, knows_who_lives_after_a_look_and_after_a_step_that_was_undone) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 4);
  run_once(*store, one, 0);
  run_once(*other, two, 1);
  auto jobs = both_look(*store, *other);
  const auto theirs = claims(two.decide({jobs[1], jobs[2]}, clock_.wall()));
  EXPECT_EQ(theirs.size(), 2U);
  EXPECT_EQ(round_trips(*store, [&] { claims(one.decide({jobs[0]}, clock_.wall())); }), 1U);
  ASSERT_TRUE(store->jobs().ok());
  EXPECT_EQ(difference(*store), "");

  EXPECT_TRUE(two.finish({theirs[0]}).ok());
  EXPECT_EQ(claims(two.decide({jobs[3]}, clock_.wall())).size(), 1U);
  const auto refused = one.decide({jobs[3]}, clock_.wall());  // judged, undone, and judged again
  EXPECT_EQ(refused->answer.entries.at(0).refused, Refused::moved);
  EXPECT_EQ(difference(*store), "");
}

/// Not by our own count: what a line between us and the server saw.
TEST_F(PostgresStoreTest, sends_two_batches_for_a_thousand_slots_and_their_ends) {
  const test::PostgresServer server;
  const test::FaultProxy line(server.port());
  const PostgresStoreSettings through{
      {fmt::format(
          "postgresql://cronce:{}@127.0.0.1:{}/postgres?sslmode=disable&gssencmode=disable",
          server.password(), line.port())},
      "line"};
  const auto connected =
      PostgresStore::connect(through, std::make_unique<embedded::OwnClock>(clock_), rng_);
  ASSERT_TRUE(connected) << connected.error().message;
  PostgresStore& store = **connected;
  Client one = node(store);
  enroll(one, 1'000);
  run_once(store, one, 0);
  clock_.advance(seconds{10});
  const auto jobs = store.jobs().value();
  const std::uint64_t before = line.batches();
  const auto granted = claims(one.decide(jobs, clock_.wall()));
  EXPECT_EQ(granted.size(), 1'000U);
  EXPECT_TRUE(one.finish(granted).ok());
  EXPECT_EQ(line.batches() - before, 2U);
}

/// As a node does it that beats on one connection and works on another.
TEST_F(PostgresStoreTest, reads_the_jobs_that_others_wrote_and_is_still_compared) {
  const auto store = connect(), beats = connect();
  Client one = node(*store);
  enroll(one, 3);
  clock_.advance(seconds{10});
  const auto jobs = store->jobs().value();
  const auto granted = claims(one.decide({jobs[0], jobs[1]}, clock_.wall()));
  ASSERT_EQ(granted.size(), 2U);
  Node self = one.self();
  ++self.beat.value;
  const std::vector<StartedRun> started{{granted[0].run, clock_.wall()}};
  ASSERT_TRUE(beats->beat({self, started, 0, std::nullopt, Beat{}}).ok());

  EXPECT_EQ(round_trips(*store, [&] { claims(one.decide({jobs[2]}, clock_.wall())); }), 1U);
  EXPECT_EQ(round_trips(*store, [&] { EXPECT_TRUE(one.finish(granted).ok()); }), 2U);
  EXPECT_EQ(difference(*store), "");
  for (const cronce::Run& run : store->runs({}).value()) {
    const bool was_told = run.id == granted[0].run;
    EXPECT_EQ(run.started_at, was_told ? std::optional(clock_.wall()) : std::nullopt);
  }
}

/// Its id is in a list of a row in a list of rows.
TEST_F(PostgresStoreTest, names_a_run_whatever_its_request_is_called) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 1);
  const JobUid job = store->jobs().value().at(0).uid;
  std::vector<RunId> runs;
  for (const char* request : {"a \"b\", \\c", "{}", "(,)", "NULL", "'"}) {
    const auto triggered = store->control(one.next(), TriggerJob{job, request});
    ASSERT_TRUE(triggered.ok());
    runs.push_back(triggered->answer.run.value());
    EXPECT_EQ(runs.back().request, request);
    EXPECT_EQ(difference(*store), "");
  }
  ASSERT_TRUE(other->take(two.next(), std::vector{runs[0]}).ok());
  EXPECT_EQ(difference(*other), "");
}

/// Those of others too, of whose jobs it has read nothing since.
TEST_F(PostgresStoreTest, ends_a_node_with_all_runs_that_it_has_not_read) {
  const auto store = connect(), other = connect();
  Client one = node(*store), two = node(*other);
  enroll(one, 3);
  run_once(*store, one, 0);
  run_once(*other, two, 1);
  const auto jobs = both_look(*store, *other);
  EXPECT_EQ(claims(two.decide({jobs[1], jobs[2]}, clock_.wall())).size(), 2U);
  EXPECT_EQ(round_trips(*store, [&] { claims(one.decide({jobs[0]}, clock_.wall())); }), 1U);
  const std::vector<SweepEntry> gone{{two.self().incarnation, two.self().beat}};
  const auto swept = store->sweep(one.next(), gone);
  ASSERT_TRUE(swept.ok());
  EXPECT_EQ(swept->answer.at(0).lost, 2);
  EXPECT_EQ(difference(*store), "");
}

/// What is judged by the time at which the request should be there is not before that time.
TEST_F(PostgresStoreTest, claims_nothing_in_the_servers_future) {
  ManualClock local{system_clock().wall()};
  auto connected = PostgresStore::connect(settings(), local, rng_);
  ASSERT_TRUE(connected) << connected.error().message;
  PostgresStore& store = **connected;
  Client one(store, rng_, local);
  ASSERT_TRUE(one.beat().ok());
  ASSERT_TRUE(one.enroll(system_clock().wall(), {"j"}).ok());
  const JobUid job = store.jobs().value().at(0).uid;
  const auto triggered = store.control(one.next(), TriggerJob{job, "r"});
  ASSERT_TRUE(triggered.ok());
  const RunId run = triggered->answer.run.value();
  RunId other = run;
  other.request = "s";
  ASSERT_TRUE(store.take(one.next(), std::vector{other}).ok());  // now the door knows of this job
  local.advance(std::chrono::milliseconds{45});
  Result<Written<std::vector<TakeAnswer>>> taken = Error{Code::unavailable, ""};
  EXPECT_EQ(round_trips(store, [&] { taken = store.take(one.next(), std::vector{run}); }), 1U);
  const Time then{Duration{std::stoll(ask("SELECT cronce.clock()"))}};
  ASSERT_TRUE(taken.ok());
  EXPECT_LE(taken->answer.at(0).claim.value().claimed_at, then);
}

/// Each of these is something that a rule goes by.
TEST_F(PostgresStoreTest, judges_again_if_anything_of_the_store_is_not_as_it_was_known) {
  int number = 0;
  for (const std::string change :
       {"", "stores SET id = '00000000-0000-0000-0000-000000000001'", "stores SET place = 'other'",
        "stores SET epoch = epoch + 1", "stores SET greatest = greatest + 1",
        "stores SET closed = true", "stores SET remembered = remembered + 1",
        "stores SET clock_word = clock_word + 1", "stores SET accepted = 1",
        "stores SET last_uid = last_uid + 1", "stores SET last_key_fence = last_key_fence + 1",
        "writes SET word = 'other'"}) {
    SCOPED_TRACE(change);
    PostgresStoreSettings own = settings();
    own.name_space = "changed-" + std::to_string(++number);
    const auto store =
        *PostgresStore::connect(own, std::make_unique<embedded::OwnClock>(clock_), rng_);
    Client one = node(*store);
    enroll(one, 1);
    const auto jobs = store->jobs().value();
    clock_.advance(seconds{10});
    if (!change.empty())
      ask(fmt::format(
          "UPDATE cronce.{} WHERE ns = (SELECT ns FROM cronce.stores WHERE namespace = '{}')",
          change, own.name_space));
    const auto trips = round_trips(*store, [&] { (void)one.decide(jobs, clock_.wall()); });
    EXPECT_EQ(trips > 1, !change.empty());
  }
}

/// Its node may be dead by then.
TEST_F(PostgresStoreTest, judges_again_if_it_had_to_wait_for_long) {
  PostgresStoreSettings patient = settings();
  patient.server.answer_timeout = seconds{20};
  const auto store = *PostgresStore::connect(patient, system_clock(), rng_);
  Client one(*store, rng_, system_clock());
  ASSERT_TRUE(one.beat().ok());
  const auto decide = [&] {
    return round_trips(*store, [&] { EXPECT_TRUE(one.decide({}, Time{}).ok()); });
  };
  EXPECT_EQ(decide(), 1U);
  std::thread holder([&] {
    ask("WITH held AS (SELECT FROM cronce.stores WHERE namespace = '" + patient.name_space +
        "' FOR UPDATE) SELECT pg_sleep(6) FROM held");
  });
  while (ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") != "1") continue;
  EXPECT_GT(decide(), 1U);
  holder.join();
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

// A client that sends half a batch and stands still would hold the namespace for as long as it
// does.
TEST_F(PostgresStoreTest, puts_out_who_holds_the_namespace_and_says_no_more) {
  PostgresStoreSettings impatient = settings();
  impatient.server.answer_timeout = seconds{1};
  const auto store =
      *PostgresStore::connect(impatient, std::make_unique<embedded::OwnClock>(clock_), rng_);
  Client one = node(*store);
  const std::string psql = "psql -X -q -d '" + impatient.server.conninfo + "' >/dev/null 2>&1";
  FILE* silent = popen(psql.c_str(), "w");
  ASSERT_NE(silent, nullptr);
  std::fputs(
      "BEGIN; SELECT 1 FROM cronce.stores FOR UPDATE; CREATE TEMP TABLE t (x text);\n"
      "COPY t FROM STDIN;\nhalf a li",
      silent);
  std::fflush(silent);
  while (one.beat().ok()) continue;  // until it holds the row
  int tries = 1;
  while (!one.beat().ok() && tries < 20) ++tries;
  EXPECT_LT(tries, 20);
  pclose(silent);
}

// What a write has touched is known for so many writes. Who was away for longer looks at all jobs,
// and nothing is missing.
TEST_F(PostgresStoreTest, tells_the_news_however_long_somebody_was_away) {
  const auto store = connect();
  const auto other = connect();
  Client one = node(*store);
  enroll(one, 3);
  one.knows(one.beat().value().changes);
  EXPECT_EQ(one.beat().value().changed.size(), 0U);
  Client two = node(*other);
  for (const int beats : {10, 1'100}) {
    clock_.advance(seconds{10});
    const std::vector<JobRow> jobs = other->jobs().value();
    claims(two.decide({jobs.front()}, clock_.wall()));
    for (int i = 0; i < beats; ++i) ASSERT_TRUE(two.beat().ok());
    const BeatAnswer told = one.beat().value();
    EXPECT_EQ(told.changed.size(), 1U) << beats;
    EXPECT_EQ(difference(*store), "") << beats;
    one.knows(told.changes);
  }
  PostgresMirrorCheck check(settings());
  EXPECT_LT(check.count_writes(), 1'100U) << "the oldest are forgotten";
}

// A beat on another connection than that of the work knows none of the jobs: they come at once.
TEST_F(PostgresStoreTest, asks_for_what_it_does_not_know_all_at_once) {
  const auto store = connect();
  const auto other = connect();
  Client one = node(*store);
  enroll(one, 100);
  one.knows(one.at(*other).beat().value().changes);
  clock_.advance(seconds{10});
  const auto granted = claims(one.at(*store).decide(store->jobs().value(), clock_.wall()));
  ASSERT_EQ(granted.size(), 100U);
  one.at(*other);
  std::size_t held = 0;
  EXPECT_LE(round_trips(*other, [&] { held = one.beat().value().held.size(); }), 8U);
  EXPECT_EQ(held, 100U);
  const auto third = connect();
  one.at(*third);
  EXPECT_LE(round_trips(*third, [&] { EXPECT_TRUE(one.finish(granted).ok()); }), 8U);
  EXPECT_EQ(difference(*third), "");
}

// The server's clock is guessed for the moment at which a request will be there. A commit that
// waited for its disk says nothing about that.
TEST(ServerClock, goes_on_from_when_the_last_request_came) {
  ManualClock local{kStart};
  postgres::ServerClock clock(local);
  const Time server = kStart + std::chrono::hours{1};
  clock.ask();
  local.advance(std::chrono::milliseconds{80});
  clock.hear(server + std::chrono::milliseconds{2}, server + std::chrono::milliseconds{30});
  EXPECT_EQ(clock.told().now, server + std::chrono::milliseconds{30});
  EXPECT_EQ(clock.guess().now, server + std::chrono::milliseconds{82});
  local.advance(seconds{1});
  EXPECT_EQ(clock.guess().now, server + std::chrono::milliseconds{1'082});
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

// A beat, on its own connection, may know of a claim that a batch has not heard of.
TEST_F(PostgresStoreTest, judges_a_job_that_is_newer_than_what_it_knows_by_all_that_came_with_it) {
  const auto store = connect();
  const auto other = connect();
  Client one = node(*store);
  Client two = node(*other);
  Job job = job_every_ten_seconds("j");
  job.overlap = Overlap::replace;
  const Time next = kStart + seconds{10};
  ASSERT_TRUE(
      other->enroll(two.next(), {"jobs", "1", std::nullopt, {{job, kStart, next, {}}}, {}}).ok());
  ASSERT_TRUE(one.beat().ok());  // now its store knows that there is such a job
  clock_.advance(seconds{10});
  const auto claimed = claims(two.decide(other->jobs().value(), clock_.wall()));
  ASSERT_EQ(claimed.size(), 1U);
  const auto jobs = other->jobs().value();
  clock_.advance(seconds{10});
  const auto decided = one.decide(jobs, clock_.wall());
  ASSERT_TRUE(decided.ok());
  ASSERT_EQ(decided->answer.entries.at(0).refused, Refused::none);
  EXPECT_EQ(decided->answer.entries.at(0).runs.at(0).state, RunState::pending);
  EXPECT_EQ(difference(*store), "");
  const auto stops = two.beat()->stops;
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].run, claimed[0].run);
}

// Up to the time of an adoption nothing is started any more.
TEST(PostgresAdoption, is_refused_while_the_clock_of_the_server_is_days_ahead) {
  const test::PostgresServer server({.fsync = true});
  const Clock& here = system_clock();
  Rng rng{1};
  ASSERT_TRUE(open_store(server.conninfo(), {}, here, rng));
  const ManualClock behind{here.wall() - std::chrono::days{2}};
  const auto refused = adopt_store(server.conninfo(), {}, behind, rng);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("adopt it when both are right"), std::string::npos);
  EXPECT_EQ(adopt_store(server.conninfo(), {}, here, rng)->epoch, Epoch{2});
}

}  // namespace
}  // namespace cronce
