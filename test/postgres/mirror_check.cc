#include "test/postgres/mirror_check.h"

#include "test/support/tables_difference.h"

namespace cronce {
namespace {

// Of a namespace that is not there nothing is copied: the other one is emptied.
constexpr const char* kCreateCopy = R"sql(
CREATE OR REPLACE FUNCTION public.copy_rows(one integer, other integer) RETURNS void
LANGUAGE plpgsql AS $fn$
DECLARE t text; c text;
BEGIN
  FOR t IN SELECT relname FROM pg_class WHERE relnamespace = 'cronce'::regnamespace
      AND relkind = 'r' AND relname NOT IN ('stores', 'schema') LOOP
    EXECUTE format('DELETE FROM cronce.%I WHERE ns = $1', t) USING other;
    CONTINUE WHEN one IS NULL;
    SELECT string_agg(quote_ident(attname), ', ') INTO c FROM pg_attribute
      WHERE attrelid = ('cronce.' || t)::regclass AND attnum > 0 AND attname <> 'ns';
    EXECUTE format('INSERT INTO cronce.%1$I (ns, %2$s) OVERRIDING SYSTEM VALUE '
                   'SELECT $2, %2$s FROM cronce.%1$I WHERE ns = $1', t, c) USING one, other;
  END LOOP;
END $fn$)sql";

constexpr const char* kCopyRows =
    "SELECT public.copy_rows((SELECT ns FROM cronce.stores WHERE namespace = $1), "
    "(SELECT ns FROM cronce.stores WHERE namespace = $2))";

#define COLUMNS                                                                   \
  "id, place, epoch, greatest, closed, position, trail, remembered, clock_word, " \
  "clock_word_at, accepted, changes, last_uid, last_key_fence"

constexpr const char* kMakeOther =
    "INSERT INTO cronce.stores (namespace, " COLUMNS ") SELECT $2, " COLUMNS
    " FROM cronce.stores WHERE namespace = $1 ON CONFLICT (namespace) DO NOTHING";
constexpr const char* kCopyMeta = "UPDATE cronce.stores SET (" COLUMNS ") = (SELECT " COLUMNS
                                  " FROM cronce.stores WHERE namespace = $1) WHERE namespace = $2";

// Runs that have not ended and that no job names, and those that a job names and that have.
constexpr const char* kMisnamed =
    "SELECT FROM (SELECT r.job AS uid, (r.space, r.slot, r.request, r.attempt)::cronce.run_id AS "
    "run FROM cronce.runs r JOIN cronce.stores s USING (ns) WHERE s.namespace = $1 AND r.state IN "
    "('pending', 'held', 'running')) AS a FULL JOIN (SELECT j.uid, unnest(j.open::cronce.run_id[]) "
    "AS run FROM cronce.jobs j JOIN cronce.stores s USING (ns) WHERE s.namespace = $1) AS b USING "
    "(uid, run) WHERE a.run IS NULL OR b.run IS NULL LIMIT 1";

/// As it is where that is not known.
void drop_live(embedded::Tables& tables, const std::set<JobUid>& of) {
  const auto is_one = [&](const RunId& run) { return of.contains(run.job); };
  for (auto& [incarnation, runs] : tables.held) {
    std::erase_if(runs, [&](const auto& entry) { return is_one(entry.first); });
  }
  std::erase_if(tables.held, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [group, runs] : tables.groups) std::erase_if(runs, is_one);
  std::erase_if(tables.stops, [&](const auto& entry) { return is_one(entry.first); });
  std::erase_if(tables.confirmed, is_one);
}

}  // namespace

PostgresMirrorCheck::PostgresMirrorCheck(const PostgresStoreSettings& settings)
    : namespace_(settings.name_space), server_(settings) {
  server_.session.connect();
  server_.session.run({{"SELECT pg_advisory_xact_lock(1)", {}}, {kCreateCopy, {}}});
}

std::uint64_t PostgresMirrorCheck::round_trips(const PostgresStore& store) {
  return store.server_->session.round_trips();
}

std::string PostgresMirrorCheck::difference(PostgresStore& store) {
  embedded::Mirror& mirror = server_.mirror;
  mirror.forget();
  server_.rows.begin(postgres::Rows::Use::read, postgres::Rows::kEver, {}, {});
  mirror.refresh();
  mirror.fetch_all_jobs();
  drop_live(mirror.tables(), store.server_->mirror.unread());
  const embedded::Tables& held = store.server_->mirror.tables();
  std::string found = cronce::difference(held, mirror.tables());
  for (const auto& [id, lane] : held.lanes) {
    const embedded::Lane stored = server_.rows.lane(id);  // an older one is read again when used
    if (lane.sequence == stored.sequence && !is_same(lane, stored)) found += " lanes";
  }
  if (server_.session.run({{kMisnamed, {namespace_}}}).front().size() > 0) found += " open";
  server_.rows.end();
  return found;
}

std::size_t PostgresMirrorCheck::count_writes() {
  const auto rows = server_.session.run(
      {{"SELECT count(*) FROM cronce.writes JOIN cronce.stores USING (ns) WHERE namespace = $1",
        {namespace_}}});
  postgres::Reader in(rows.front());
  in.row();
  return in.next<std::uint64_t>();
}

void PostgresMirrorCheck::empty(const StoreId& id) {
  const embedded::Meta meta{id};
  server_.session.run(
      {{kCopyRows, {"", namespace_}},
       {"UPDATE cronce.stores SET id = $2::uuid, epoch = 1, greatest = 1, closed = false, position "
        "= 0, trail = '', remembered = $3::bigint, clock_word = 0, clock_word_at = 0, accepted = "
        "NULL, "
        "changes = 0, last_uid = 0, last_key_fence = 0 WHERE namespace = $1",
        postgres::values_of(namespace_, id, meta.remembered)},
       {"UPDATE cronce.stores SET place = (SELECT place FROM cronce.stores ORDER BY ns LIMIT 1) "
        "WHERE namespace = $1",
        {namespace_}}});
}

void PostgresMirrorCheck::copy(const std::string& from, const std::string& to) {
  server_.session.run({{kMakeOther, {from, to}}, {kCopyMeta, {from, to}}, {kCopyRows, {from, to}}});
}

void PostgresMirrorCheck::move_elsewhere() {
  server_.session.run(
      {{"UPDATE cronce.stores SET place = 'elsewhere' WHERE namespace = $1", {namespace_}}});
}

}  // namespace cronce
