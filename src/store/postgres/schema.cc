#include "store/postgres/schema.h"

#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/values.h"

namespace cronce::postgres {
namespace {

// Rows are as those of the SQLite store (store/sqlite/schema.cc), each with the number of its
// namespace first. Times are milliseconds since 1970 in UTC; `runs` as people read it is the view
// `ledger`. Texts that a job has written may be any bytes.
//
// Whoever writes holds the row of its namespace in `stores`: writes of a namespace come one after
// the other, and `changed`, its position at the time, orders them for those who read.
constexpr const char* kFirst = R"sql(
CREATE TABLE cronce.stores (
  ns integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, namespace text NOT NULL UNIQUE,
  id uuid NOT NULL, place text NOT NULL, epoch bigint NOT NULL, greatest bigint NOT NULL,
  closed boolean NOT NULL, position bigint NOT NULL, trail text NOT NULL,
  remembered bigint NOT NULL, clock_word bigint NOT NULL, accepted bigint,
  changes bigint NOT NULL, last_uid bigint NOT NULL, last_key_fence bigint NOT NULL)
  WITH (fillfactor = 10);
CREATE TABLE cronce.nodes (
  ns integer NOT NULL, incarnation uuid NOT NULL, name text NOT NULL, node text NOT NULL,
  ended boolean NOT NULL, ended_at bigint NOT NULL, remembered boolean NOT NULL,
  changed bigint NOT NULL, PRIMARY KEY (ns, incarnation));
CREATE INDEX nodes_changed ON cronce.nodes (ns, changed);
CREATE INDEX nodes_name ON cronce.nodes (ns, name);
CREATE INDEX nodes_living ON cronce.nodes (ns) WHERE NOT ended;
CREATE TABLE cronce.lanes (
  ns integer NOT NULL, incarnation uuid NOT NULL, lane bigint NOT NULL, sequence bigint NOT NULL,
  epoch bigint NOT NULL, last bigint NOT NULL, outcome bytea NOT NULL,
  PRIMARY KEY (ns, incarnation, lane)) WITH (fillfactor = 50);
CREATE TABLE cronce.sources (
  ns integer NOT NULL, source text NOT NULL, digest text NOT NULL, generation bigint NOT NULL,
  numbered boolean NOT NULL, changed bigint NOT NULL, PRIMARY KEY (ns, source));
CREATE TABLE cronce.digests (
  ns integer NOT NULL, source text NOT NULL, digest text NOT NULL,
  PRIMARY KEY (ns, source, digest));
CREATE TABLE cronce.jobs (
  ns integer NOT NULL, uid bigint NOT NULL, turn bigint NOT NULL, cursor bigint NOT NULL,
  next bigint, label bigint, version text NOT NULL, zone_data text NOT NULL,
  moved_by text NOT NULL, fence_count bigint NOT NULL, runs_started bigint NOT NULL,
  busy_until bigint NOT NULL, floor bigint NOT NULL, purged bigint NOT NULL, succeeded bigint,
  changes bigint NOT NULL, changed bigint NOT NULL, PRIMARY KEY (ns, uid))
  WITH (fillfactor = 70);
CREATE INDEX jobs_changed ON cronce.jobs (ns, changed);
CREATE TABLE cronce.definitions (
  ns integer NOT NULL, uid bigint NOT NULL, name text NOT NULL, definition text NOT NULL,
  revision bigint NOT NULL, whole bigint, member text NOT NULL, paused boolean NOT NULL,
  pause_until bigint, pause_note text NOT NULL, only_exec boolean NOT NULL, since bigint NOT NULL,
  PRIMARY KEY (ns, uid));
CREATE INDEX definitions_name ON cronce.definitions (ns, name) WHERE whole IS NULL;
CREATE INDEX definitions_whole ON cronce.definitions (ns, whole) WHERE whole IS NOT NULL;
CREATE TABLE cronce.job_sources (
  ns integer NOT NULL, uid bigint NOT NULL, source text NOT NULL, digest text NOT NULL,
  PRIMARY KEY (ns, uid, source));
CREATE INDEX job_sources_source ON cronce.job_sources (ns, source, digest);
CREATE TABLE cronce.runs (
  ns integer NOT NULL, job bigint NOT NULL, space smallint NOT NULL, slot bigint NOT NULL,
  request text NOT NULL, attempt bigint NOT NULL, kind text NOT NULL, state text NOT NULL,
  reason text NOT NULL, key text NOT NULL, due bigint NOT NULL, fence bigint, incarnation uuid,
  node text NOT NULL, claimed_at bigint, started_at bigint, finished_at bigint, exit_code bigint,
  concurrency text, stop text, deferred boolean NOT NULL, confirmed boolean NOT NULL,
  decided_by text NOT NULL, decided_at bigint, revision bigint NOT NULL, env text NOT NULL,
  progress bytea NOT NULL, output_tail bytea NOT NULL,
  PRIMARY KEY (ns, job, space, slot, request, attempt)) WITH (fillfactor = 80);
CREATE INDEX runs_open ON cronce.runs (ns, job) WHERE state IN ('pending', 'held', 'running');
CREATE INDEX runs_by_time ON cronce.runs (ns, (CASE space WHEN 0 THEN slot ELSE due END));
CREATE TABLE cronce.ranges (
  ns integer NOT NULL, job bigint NOT NULL, first bigint NOT NULL, last bigint NOT NULL,
  count bigint NOT NULL, reason text NOT NULL, decided_by text NOT NULL, decided_at bigint,
  revision bigint NOT NULL, PRIMARY KEY (ns, job, first));
CREATE INDEX ranges_by_time ON cronce.ranges (ns, last);
CREATE TABLE cronce.keys (
  ns integer NOT NULL, key text NOT NULL, state text NOT NULL, fence bigint NOT NULL,
  incarnation uuid NOT NULL, owner text NOT NULL, result bytea NOT NULL, expires bigint NOT NULL,
  PRIMARY KEY (ns, key));
CREATE INDEX keys_running ON cronce.keys (ns, incarnation) WHERE state = 'running';
CREATE INDEX keys_ended ON cronce.keys (ns, expires) WHERE state IN ('done', 'failed');
CREATE TABLE cronce.former (
  ns integer NOT NULL, n bigint GENERATED ALWAYS AS IDENTITY, job bigint NOT NULL,
  since bigint NOT NULL, until bigint NOT NULL, revision bigint NOT NULL, definition text NOT NULL,
  PRIMARY KEY (ns, job, n));
CREATE TABLE cronce.interventions (
  ns integer NOT NULL, n bigint GENERATED ALWAYS AS IDENTITY, job bigint NOT NULL,
  at bigint NOT NULL, what text NOT NULL, again boolean NOT NULL, until bigint, who text NOT NULL,
  why text NOT NULL, run bigint NOT NULL, space smallint NOT NULL, slot bigint NOT NULL,
  request text NOT NULL, attempt bigint NOT NULL, PRIMARY KEY (ns, job, n));
CREATE FUNCTION cronce.expect(holds boolean) RETURNS void LANGUAGE plpgsql AS $fn$
BEGIN
  IF holds IS NOT TRUE THEN RAISE SQLSTATE 'CR001' USING MESSAGE = 'not as expected'; END IF;
END $fn$;
CREATE FUNCTION cronce.await(judged bigint) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE ahead bigint := judged - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  PERFORM cronce.expect(ahead BETWEEN -1000 AND 50);
  IF ahead > 0 THEN PERFORM pg_sleep(ahead / 1000.0); END IF;
END $fn$;
CREATE VIEW cronce.ledger AS
  SELECT s.namespace, d.name AS job, d.member AS share,
         CASE r.space WHEN 0 THEN to_timestamp(r.slot / 1000.0) END AS slot,
         nullif(r.request, '') AS request, r.attempt, r.kind, r.state, r.reason, r.node, r.fence,
         to_timestamp(r.due / 1000.0) AS due, to_timestamp(r.claimed_at / 1000.0) AS claimed_at,
         to_timestamp(r.started_at / 1000.0) AS started_at,
         to_timestamp(r.finished_at / 1000.0) AS finished_at, r.exit_code
    FROM cronce.runs r JOIN cronce.stores s USING (ns)
    JOIN cronce.definitions d ON d.ns = r.ns AND d.uid = r.job;
)sql";

// What a write has touched is kept by the write: an index of the jobs by their last one would have
// to be written with each of them. No index that a write could take for its key begins with the
// namespace: to a server without statistics it would be as good for finding one row, and all rows
// of the namespace be looked at for each. As a bigint it is another column, which only those ask
// for who want the newest of a namespace.
constexpr const char* kSecond = R"sql(
ALTER TABLE cronce.stores ADD COLUMN clock_word_at bigint NOT NULL DEFAULT 0;
CREATE TABLE cronce.writes (
  ns integer NOT NULL, position bigint NOT NULL, word text NOT NULL, jobs bigint[] NOT NULL,
  PRIMARY KEY (ns, position));
DROP INDEX cronce.jobs_changed, cronce.definitions_name, cronce.definitions_whole,
  cronce.job_sources_source, cronce.runs_by_time, cronce.ranges_by_time;
CREATE INDEX definitions_name ON cronce.definitions (name, ns) WHERE whole IS NULL;
CREATE INDEX definitions_whole ON cronce.definitions (whole, ns) WHERE whole IS NOT NULL;
CREATE INDEX job_sources_source ON cronce.job_sources (source, digest, ns);
CREATE INDEX runs_by_time ON cronce.runs
  ((ns::bigint), (CASE space WHEN 0 THEN slot ELSE due END));
CREATE INDEX ranges_by_time ON cronce.ranges ((ns::bigint), last);
ALTER TABLE cronce.lanes ALTER outcome TYPE text USING convert_from(outcome, 'UTF8');
)sql";

// How a transaction begins (cronce.turn, which is cronce.begin_turn by now). One that writes is
// alone from here on: it has waited for the row of its namespace, and looks each row up by its key,
// whatever the statistics say: what a write costs does not depend on how long the ledger is, and
// plain scans of an index also clear it of what has ended. A claim counts when it is on the disk,
// whatever the database's default says, and that the server did not wait for its standby must be
// heard; who holds the namespace and says no more, or hears no more, must not hold it for long.
// None of it outlives the transaction.
//
// One that compares goes on only if what was judged by is what there is: the same history of the
// same store on the same server, none of the jobs it looked at written after the `known` position,
// its asker alive, nothing of its lane between, the time by which it was judged not long ago. Jobs
// that it writes are compared as they are written.
//
// It tells what the store is (two rows of kind 0), with the time when the request came, time and
// place after the wait (of a standby nobody can say what comes), and whether a transaction that no
// statement begins would do as well. Then what was written after the known position (cronce.news):
// nodes (1), sources (2) and jobs (3), until the fourth step also live runs (4).
//
// All are volatile: each of their statements sees what was there after the wait. The plans of a
// function are kept, whoever needed them first; so those of the news are made under settings of
// their own.
constexpr const char* kThird = R"sql(
CREATE FUNCTION cronce.clock() RETURNS bigint LANGUAGE sql VOLATILE AS $fn$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$fn$;
CREATE FUNCTION cronce.place() RETURNS text LANGUAGE sql VOLATILE AS $fn$
  SELECT (SELECT system_identifier::text FROM pg_control_system()) || '.' ||
    left(pg_walfile_name(pg_current_wal_lsn()), 8)
$fn$;
CREATE FUNCTION cronce.news(self integer, known bigint)
RETURNS TABLE (kind integer, c1 text, c2 text, c3 text, c4 text, c5 text, c6 text, c7 text, c8 text,
  c9 text, c10 text)
LANGUAGE plpgsql VOLATILE
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
SET enable_bitmapscan = off SET jit = off
AS $fn$
BEGIN
  RETURN QUERY SELECT 1, n.node, n.ended::text, n.ended_at::text, n.remembered::text, NULL, NULL,
      NULL, NULL, NULL, NULL
    FROM cronce.nodes n WHERE n.ns = self AND n.changed > known;
  RETURN QUERY SELECT 2, s.source, s.digest, s.generation::text, s.numbered::text, d.digest, NULL,
      NULL, NULL, NULL, NULL
    FROM cronce.sources s LEFT JOIN cronce.digests d USING (ns, source)
    WHERE s.ns = self AND s.changed > known;
  RETURN QUERY SELECT 3, v.uid::text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM (SELECT DISTINCT unnest(w.jobs) AS uid FROM cronce.writes w
      WHERE w.ns = self AND w.position > known OFFSET 0) AS v;
  RETURN QUERY SELECT 4, r.job::text, r.space::text, r.slot::text, r.request, r.attempt::text,
      r.incarnation::text, r.concurrency, r.stop, r.confirmed::text, NULL
    FROM (SELECT DISTINCT w.ns, unnest(w.jobs) AS uid FROM cronce.writes w
      WHERE w.ns = self AND w.position > known OFFSET 0) AS v
    JOIN cronce.runs r ON r.ns = v.ns AND r.job = v.uid
    WHERE r.state IN ('pending', 'held', 'running') AND r.state = 'running';
END $fn$;
CREATE FUNCTION cronce.turn(
  name text, to_write boolean, known bigint, compares boolean DEFAULT false,
  self integer DEFAULT NULL, store uuid DEFAULT NULL,
  of_epoch bigint DEFAULT NULL, of_greatest bigint DEFAULT NULL, of_remembered bigint DEFAULT NULL,
  of_clock_word bigint DEFAULT NULL, of_accepted bigint DEFAULT NULL,
  of_last_uid bigint DEFAULT NULL, of_last_key_fence bigint DEFAULT NULL,
  of_word text DEFAULT NULL, unmoved boolean DEFAULT NULL, looked_at bigint[] DEFAULT NULL,
  asker uuid DEFAULT NULL, on_lane bigint DEFAULT NULL, after bigint DEFAULT NULL,
  judged bigint DEFAULT NULL)
RETURNS TABLE (kind integer, c1 text, c2 text, c3 text, c4 text, c5 text, c6 text, c7 text, c8 text,
  c9 text, c10 text)
LANGUAGE plpgsql VOLATILE AS $fn$
DECLARE
  came CONSTANT bigint := cronce.clock();
  here text;
  this cronce.stores;
BEGIN
  PERFORM
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off'
      THEN 'on' ELSE current_setting('synchronous_commit') END, true),
    set_config('client_min_messages', 'warning', true),
    set_config('idle_in_transaction_session_timeout', '3s', true),
    set_config('tcp_user_timeout', '3s', true), set_config('tcp_keepalives_idle', '2', true),
    set_config('tcp_keepalives_interval', '1', true),
    set_config('tcp_keepalives_count', '2', true);
  IF to_write THEN
    PERFORM
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('jit', 'off', true);
    IF judged IS NOT NULL THEN PERFORM cronce.await(judged); END IF;
    PERFORM FROM cronce.stores WHERE namespace = name FOR UPDATE;
  END IF;
  IF NOT pg_is_in_recovery() THEN
    here := cronce.place();
  END IF;
  IF compares THEN
    PERFORM cronce.expect(
      EXISTS (SELECT FROM cronce.stores s WHERE s.ns = self AND s.id = store AND s.place = here
        AND s.epoch = of_epoch AND s.greatest = of_greatest AND NOT s.closed
        AND s.remembered = of_remembered AND s.clock_word = of_clock_word
        AND s.accepted IS NOT DISTINCT FROM of_accepted AND s.last_uid = of_last_uid
        AND s.last_key_fence = of_last_key_fence AND (of_word = '' OR EXISTS (SELECT FROM
          cronce.writes WHERE ns = self AND position = known AND word = of_word))
        AND (NOT unmoved OR s.position = known))
      AND NOT EXISTS (SELECT FROM (SELECT self AS ns, * FROM unnest(looked_at) AS v(uid) OFFSET 0)
        AS v JOIN cronce.jobs USING (ns, uid) WHERE changed > known)
      AND EXISTS (SELECT FROM cronce.nodes WHERE ns = self AND incarnation = asker AND NOT ended)
      AND coalesce((SELECT sequence FROM cronce.lanes WHERE ns = self AND incarnation = asker
        AND lane = on_lane), 0) = after
      AND (judged IS NULL OR judged > cronce.clock() - 3000));
  END IF;
  SELECT * INTO this FROM cronce.stores s WHERE s.namespace = name;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY VALUES
    (0, this.ns::text, this.id::text, this.place, this.epoch::text, this.greatest::text,
      this.closed::text, this.position::text, coalesce((SELECT w.word FROM cronce.writes w WHERE
      w.ns = this.ns AND w.position = known), '') || this.trail, this.remembered::text,
      this.clock_word::text),
    (0, this.clock_word_at::text, this.accepted::text, this.changes::text,
      this.last_uid::text, this.last_key_fence::text, came::text, cronce.clock()::text, here,
      (current_setting('default_transaction_isolation') = 'read committed' AND
      current_setting('default_transaction_read_only') = 'off')::text, NULL);
  IF known <> this.position THEN
    RETURN QUERY SELECT * FROM cronce.news(this.ns, known);
  END IF;
END $fn$;
)sql";

// A job names its runs that have not ended. An index of them would have to be told when one ends,
// and so would all others: a row that is in no index anew is written where it was, if there is
// room.
//
// A program that does not keep the names must not start or end a run any more, also one that is
// connected: that of the last version finds no turn, and those before it must write the lanes as
// they were. Which runs of others live is asked for only where it is looked at: it is no news.
constexpr const char* kFourth = R"sql(
LOCK TABLE cronce.stores IN ACCESS EXCLUSIVE MODE;
CREATE TYPE cronce.run_id AS (space smallint, slot bigint, request text, attempt bigint);
ALTER TABLE cronce.jobs ADD COLUMN open text NOT NULL DEFAULT '{}';
UPDATE cronce.jobs j SET open = v.open FROM (SELECT r.ns, r.job,
    array_agg((r.space, r.slot, r.request, r.attempt)::cronce.run_id)::text AS open
    FROM cronce.runs r WHERE r.state IN ('pending', 'held', 'running') GROUP BY r.ns, r.job) AS v
  WHERE j.ns = v.ns AND j.uid = v.job;
DROP INDEX cronce.runs_open;
ALTER TABLE cronce.runs SET (fillfactor = 50);
ALTER TABLE cronce.lanes RENAME COLUMN last TO outcome_of;
ALTER FUNCTION cronce.turn RENAME TO begin_turn;
CREATE OR REPLACE FUNCTION cronce.news(self integer, known bigint)
RETURNS TABLE (kind integer, c1 text, c2 text, c3 text, c4 text, c5 text, c6 text, c7 text, c8 text,
  c9 text, c10 text)
LANGUAGE plpgsql VOLATILE
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
SET enable_bitmapscan = off SET jit = off
AS $fn$
BEGIN
  RETURN QUERY SELECT 1, n.node, n.ended::text, n.ended_at::text, n.remembered::text, NULL, NULL,
      NULL, NULL, NULL, NULL
    FROM cronce.nodes n WHERE n.ns = self AND n.changed > known;
  RETURN QUERY SELECT 2, s.source, s.digest, s.generation::text, s.numbered::text, d.digest, NULL,
      NULL, NULL, NULL, NULL
    FROM cronce.sources s LEFT JOIN cronce.digests d USING (ns, source)
    WHERE s.ns = self AND s.changed > known;
  RETURN QUERY SELECT 3, v.uid::text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM (SELECT DISTINCT unnest(w.jobs) AS uid FROM cronce.writes w
      WHERE w.ns = self AND w.position > known OFFSET 0) AS v;
END $fn$;
)sql";

/// A step that an older program could not live with raises kOldestWriter to its own version.
constexpr std::array kSteps{kFirst, kSecond, kThird, kFourth};
constexpr auto kVersion = static_cast<std::int64_t>(kSteps.size());
constexpr std::int64_t kOldestWriter = 4;

constexpr const char* kFrame = R"sql(
IF to_regnamespace('cronce') IS NULL THEN CREATE SCHEMA cronce; END IF;
CREATE TABLE IF NOT EXISTS cronce.schema (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL,
  oldest_writer bigint NOT NULL);
INSERT INTO cronce.schema (version, oldest_writer) VALUES (0, 0) ON CONFLICT DO NOTHING;
)sql";

struct Versions {
  std::int64_t schema = 0;
  std::int64_t oldest_writer = 0;
};

/// Without the schema there is nothing to ask but whether it is there.
Versions versions_of(Session& session) {
  const auto is_there = session.run({{"SELECT to_regclass('cronce.schema') IS NOT NULL", {}}});
  Reader there(is_there.front());
  if (!there.row() || !there.next<bool>()) return {};
  const auto rows = session.run({{"SELECT version, oldest_writer FROM cronce.schema", {}}});
  Versions found;
  Reader in(rows.front());
  if (in.row()) in.into(found.schema, found.oldest_writer);
  return found;
}

/// One statement of many; in it a step looks by itself whether it is still to be done.
std::string block_of(const std::string& body) { return "DO $do$ BEGIN " + body + " END $do$"; }

std::string step_sql(std::size_t step) {
  return fmt::format(
      "IF (SELECT version FROM cronce.schema) = {0} THEN {1} UPDATE cronce.schema SET version = "
      "{2}, oldest_writer = greatest(oldest_writer, {3}); END IF;",
      step, kSteps[step], step + 1, kOldestWriter);
}

}  // namespace

std::string schema_sql(std::int64_t version) {
  // Two that begin at once: the second waits, and finds all done.
  std::string body = "PERFORM pg_advisory_xact_lock(hashtext('cronce.schema'));";
  body += kFrame;
  for (std::size_t step = 0; std::cmp_less(step, version); ++step) body += step_sql(step);
  return block_of(body) + ";\n";
}

std::int64_t schema_version() { return kVersion; }

void migrate(Session& session) {
  Versions found = versions_of(session);
  if (found.schema < kVersion) {
    PostgresSettings patient = session.settings();
    patient.answer_timeout = std::chrono::minutes{10};  // with many rows it takes a while
    Session own(patient);
    own.connect();
    const std::string sql = schema_sql(kVersion);
    own.run({{sql.substr(0, sql.size() - 2), {}}});
    found = versions_of(session);
  }
  if (found.oldest_writer > kVersion) {
    throw StoreError{{Code::invalid,
                      fmt::format("the tables in schema cronce are of a newer program (version {}, "
                                  "this one knows {}): use that one",
                                  found.schema, kVersion)}};
  }
}

}  // namespace cronce::postgres
