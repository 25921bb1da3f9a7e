// Tables of an older program, with rows in them.
#include <latch>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/inspect.h"
#include "store/open_store.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/schema.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/postgres_server.h"

namespace cronce {
namespace {

/// What the last step changed, as it was before: rows of a store at work.
constexpr const char* kOfVersionOne = R"sql(
INSERT INTO cronce.stores (namespace, id, place, epoch, greatest, closed, position, trail,
    remembered, clock_word, accepted, changes, last_uid, last_key_fence)
  SELECT 'old', '00000000000000000000000000000001', (SELECT system_identifier::text FROM
    pg_control_system()) || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8), 1, 1, false, 7,
    '6.a 7.b ', 0, 0, NULL, 3, 1, 0;
INSERT INTO cronce.lanes SELECT ns, '00000000000000000000000000000002', 0, 1, 1, 1,
  '{"v":1,"sweep":[]}' FROM cronce.stores;
INSERT INTO cronce.runs (ns, job, space, slot, request, attempt, kind, state, reason, key, due,
    node, deferred, confirmed, decided_by, revision, env, progress, output_tail)
  SELECT ns, 1, 0, slot, '', 1, 'scheduled', 'succeeded', '', 'k', slot, '', false, false, '', 1,
    '', '', '' FROM cronce.stores, unnest('{10, 20}'::bigint[]) AS slot;
)sql";

void make_tables(postgres::Session& session, std::int64_t version, const std::string& rows) {
  for (const std::string& sql :
       {postgres::schema_sql(version), "DO $do$ BEGIN " + rows + " END $do$;\n"}) {
    session.run({{sql.substr(0, sql.size() - 2), {}}});
  }
}

TEST(PostgresMigration, of_tables_with_rows_in_them_keeps_what_they_say) {
  const test::PostgresServer server;
  const PostgresStoreSettings settings{{server.conninfo()}, "old"};
  postgres::Session session(settings.server);
  session.connect();
  make_tables(session, 1, kOfVersionOne);

  ManualClock clock{kStart};
  Rng rng{1};
  auto store = PostgresStore::connect(settings, std::make_unique<embedded::OwnClock>(clock), rng);
  ASSERT_TRUE(store) << store.error().message;
  const auto runs = (*store)->runs({});
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->size(), 2U);
  Client client(**store, rng, clock);
  const auto beaten = client.beat();
  EXPECT_TRUE(beaten) << beaten.error().message;
  EXPECT_TRUE(client.enroll(kStart, {"j"}).ok());
  const auto outcome = session.run({{"SELECT outcome FROM cronce.lanes ORDER BY incarnation", {}}});
  EXPECT_EQ(outcome.front().text(0, 0), R"({"v":1,"sweep":[]})");
}

/// A job with runs that are open and that are not, and one without: what is open, and what is not.
constexpr const char* kOfVersionThree = R"sql(
INSERT INTO cronce.stores (namespace, id, place, epoch, greatest, closed, position, trail,
    remembered, clock_word, accepted, changes, last_uid, last_key_fence)
  VALUES ('old', '00000000000000000000000000000001', '', 1, 1, false, 7, '', 0, 0, NULL, 3, 2, 0);
INSERT INTO cronce.jobs SELECT ns, uid, 1, 0, NULL, NULL, '', '', '', 0, 0, 0, 0, 1, NULL, 1, 1
  FROM cronce.stores, unnest('{1, 2}'::bigint[]) AS uid;
INSERT INTO cronce.runs (ns, job, space, slot, request, attempt, kind, state, reason, key, due,
    node, deferred, confirmed, decided_by, revision, env, progress, output_tail)
  SELECT ns, 1, space, slot, request, 1, 'scheduled', state, '', 'k', slot, '', false, false, '',
    1, '', '', '' FROM cronce.stores, (VALUES (0, 10, '', 'succeeded'), (0, 20, '', 'held'),
    (0, 30, '', 'running'), (1, 0, 'a "b", \c', 'pending'), (1, 0, 'd', 'lost'))
    AS v(space, slot, request, state);
)sql";

TEST(PostgresMigration, names_the_open_runs_of_a_job_and_lets_no_older_program_write) {
  const test::PostgresServer server;
  const PostgresStoreSettings settings{{server.conninfo()}, "old"};
  postgres::Session session(settings.server);
  session.connect();
  make_tables(session, 3, kOfVersionThree);
  Rng rng{1};
  ManualClock clock{kStart};
  const auto store =
      PostgresStore::connect(settings, std::make_unique<embedded::OwnClock>(clock), rng);
  ASSERT_TRUE(store) << store.error().message;
  const auto open = session.run(
      {{"SELECT j.uid, o.space, o.slot, o.request, o.attempt FROM cronce.jobs j CROSS JOIN LATERAL "
        "unnest(j.open::cronce.run_id[]) AS o ORDER BY 1, 2, 3",
        {}}});
  std::vector<std::string> found;
  for (postgres::Reader in(open.front()); in.row();) {
    std::string& row = found.emplace_back();
    for (int i = 0; i < 5; ++i) row += in.next<std::string>() + "|";
  }
  EXPECT_EQ(found, (std::vector<std::string>{"1|0|20||1|", "1|0|30||1|", "1|1|0|a \"b\", \\c|1|"}));
  // As the last of them wrote its lane with everything else.
  const std::vector<PostgresStatement> lane{
      {"INSERT INTO cronce.lanes (ns, incarnation, lane, sequence, epoch, last, outcome) VALUES "
       "(1, "
       "'00000000000000000000000000000002', 0, 1, 1, 1, '')",
       {}}};
  EXPECT_THROW(session.run(lane), postgres::StoreError);
  EXPECT_THROW(session.run({{"SELECT * FROM cronce.turn('old', false, 0)", {}}}),
               postgres::StoreError);
}

/// A node that starts, and a person who pipes what `cronce store sql` prints.
TEST(PostgresMigration, of_many_at_once_is_made_by_one_of_them) {
  const test::PostgresServer server;
  constexpr int kMany = 6;
  std::latch ready(kMany);
  std::atomic<int> made = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < kMany; ++i) {
    all.emplace_back([&] {
      postgres::Session session({server.conninfo()});
      session.connect();
      ready.arrive_and_wait();
      try {
        make_tables(session, postgres::schema_version(), "");
        ++made;
      } catch (const postgres::StoreError& failure) {
        ADD_FAILURE() << failure.error.message;
      }
    });
  }
  for (std::thread& one : all) one.join();
  EXPECT_EQ(made, kMany);
  EXPECT_EQ(server.ask("SELECT version FROM cronce.schema"),
            std::to_string(postgres::schema_version()));
}

/// One that looks or commands leaves them to the programs that may be at work with them.
TEST(PostgresMigration, is_made_by_nodes_alone) {
  const test::PostgresServer server({.fsync = true});
  postgres::Session session({server.conninfo()});
  session.connect();
  make_tables(session, 3, kOfVersionThree);
  Rng rng{1};
  const ManualClock clock{kStart};
  const auto refused =
      open_store(server.conninfo(), {.name_space = "old", .make = false}, clock, rng);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
  EXPECT_EQ(refused.error().message,
            "the tables in schema cronce are of an older program (version 3, this one needs 4): "
            "the next node that is started brings them up to date, and so does cronce store sql | "
            "psql");
  const StoreFacts facts = inspect_store(server.conninfo(), "old", clock);
  EXPECT_EQ(facts.trouble, StoreTrouble::none) << facts.message;
  EXPECT_EQ(facts.schema, 3);
  EXPECT_FALSE(facts.was_read());
  EXPECT_EQ(server.ask("SELECT version FROM cronce.schema"), "3");
  const auto node = open_store(server.conninfo(), {.name_space = "old"}, clock, rng);
  EXPECT_TRUE(node) << node.error().message;
  EXPECT_EQ(server.ask("SELECT version FROM cronce.schema"), "4");
}

TEST(PostgresMigration, is_the_owners_where_a_role_may_only_write) {
  const test::PostgresServer server({.fsync = true});
  postgres::Session session({server.conninfo()});
  session.connect();
  make_tables(session, 3, kOfVersionThree);
  session.run({{"CREATE ROLE app LOGIN PASSWORD 'app'", {}},
               {"GRANT USAGE ON SCHEMA cronce TO app", {}},
               {"GRANT ALL ON ALL TABLES IN SCHEMA cronce TO app", {}}});
  Rng rng{1};
  const ManualClock clock{kStart};
  const std::string url = fmt::format("postgresql://app:app@127.0.0.1:{}/postgres", server.port());
  const auto refused = open_store(url, {.name_space = "old"}, clock, rng);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the tables in schema cronce are of an older program (version 3, this one needs 4), "
            "and user app may not change them: its owner can: cronce store sql --grant app | psql "
            "postgres");
}

}  // namespace
}  // namespace cronce
