// Tables of an older program, with rows in them.
#include <gtest/gtest.h>

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

TEST(PostgresMigration, of_tables_with_rows_in_them_keeps_what_they_say) {
  const test::PostgresServer server;
  const PostgresStoreSettings settings{{server.conninfo()}, "old"};
  postgres::Session session(settings.server);
  session.connect();
  for (const std::string& sql :
       {postgres::schema_sql(1), "DO $do$ BEGIN " + std::string(kOfVersionOne) + " END $do$;\n"}) {
    session.run({{sql.substr(0, sql.size() - 2), {}}});
  }

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

}  // namespace
}  // namespace cronce
