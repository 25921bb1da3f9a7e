#include "store/sqlite/schema.h"

#include <array>

#include <fmt/format.h>

namespace cronce::sqlite {
namespace {

constexpr std::int64_t kApplication = 0x63726F6E;  // "cron": tells our files from other databases

// `changed` is the store's position when a row was written last: a process that knows the file up
// to a position reads what came after it. Every change of a run is one of its job's row too. What
// is read with every step stands apart from definitions, which are long and change seldom.
//
// Runs are kept by job, so that the history of one job lies together; those that have not ended are
// found by an index that holds nothing else.
constexpr const char* kFirst = R"sql(
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id BLOB NOT NULL, schema INTEGER NOT NULL, oldest_writer INTEGER NOT NULL,
  device INTEGER NOT NULL, inode INTEGER NOT NULL, birth INTEGER NOT NULL, machine TEXT NOT NULL,
  epoch INTEGER NOT NULL, greatest INTEGER NOT NULL, closed INTEGER NOT NULL,
  position INTEGER NOT NULL, trail TEXT NOT NULL, remembered INTEGER NOT NULL,
  clock_word INTEGER NOT NULL,
  accepted INTEGER,
  changes INTEGER NOT NULL, last_uid INTEGER NOT NULL, last_key_fence INTEGER NOT NULL);
CREATE TABLE nodes (
  incarnation BLOB PRIMARY KEY, name TEXT NOT NULL, node TEXT NOT NULL, ended INTEGER NOT NULL,
  ended_at INTEGER NOT NULL, remembered INTEGER NOT NULL, changed INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX nodes_changed ON nodes (changed);
CREATE INDEX nodes_name ON nodes (name);
CREATE INDEX nodes_living ON nodes (ended) WHERE ended = 0;
CREATE TABLE lanes (
  incarnation BLOB NOT NULL, lane INTEGER NOT NULL, sequence INTEGER NOT NULL,
  epoch INTEGER NOT NULL, last INTEGER NOT NULL, outcome TEXT NOT NULL,
  PRIMARY KEY (incarnation, lane)) WITHOUT ROWID;
CREATE TABLE sources (
  source TEXT PRIMARY KEY, digest TEXT NOT NULL, generation INTEGER NOT NULL,
  numbered INTEGER NOT NULL, changed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE digests (
  source TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (source, digest)) WITHOUT ROWID;
CREATE TABLE jobs (
  uid INTEGER PRIMARY KEY, turn INTEGER NOT NULL, cursor INTEGER NOT NULL, next INTEGER,
  label INTEGER, version TEXT NOT NULL, zone_data TEXT NOT NULL, moved_by TEXT NOT NULL,
  fence_count INTEGER NOT NULL, runs_started INTEGER NOT NULL, busy_until INTEGER NOT NULL,
  floor INTEGER NOT NULL, purged INTEGER NOT NULL, changes INTEGER NOT NULL,
  changed INTEGER NOT NULL);
CREATE INDEX jobs_changed ON jobs (changed);
CREATE TABLE definitions (
  uid INTEGER PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL, revision INTEGER NOT NULL,
  whole INTEGER, member TEXT NOT NULL, paused INTEGER NOT NULL, pause_until INTEGER,
  pause_note TEXT NOT NULL, only_exec INTEGER NOT NULL);
CREATE INDEX definitions_name ON definitions (name) WHERE whole IS NULL;
CREATE INDEX definitions_whole ON definitions (whole) WHERE whole IS NOT NULL;
CREATE TABLE job_sources (
  uid INTEGER NOT NULL, source TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (uid, source)) WITHOUT ROWID;
CREATE INDEX job_sources_source ON job_sources (source, digest);
CREATE TABLE runs (
  job INTEGER NOT NULL, space INTEGER NOT NULL, slot INTEGER NOT NULL, request TEXT NOT NULL,
  attempt INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
  key TEXT NOT NULL, due INTEGER NOT NULL, fence INTEGER, incarnation BLOB, node TEXT NOT NULL,
  claimed_at INTEGER, started_at INTEGER, finished_at INTEGER, exit_code INTEGER,
  decided_by TEXT NOT NULL, decided_at INTEGER, revision INTEGER NOT NULL,
  concurrency TEXT, stop TEXT, deferred INTEGER NOT NULL, confirmed INTEGER NOT NULL, progress TEXT NOT NULL,
  output_tail TEXT NOT NULL,
  PRIMARY KEY (job, space, slot, request, attempt)) WITHOUT ROWID;
CREATE INDEX runs_open ON runs (state, job) WHERE state IN ('pending', 'held', 'running');
CREATE INDEX runs_by_time ON runs (CASE space WHEN 0 THEN slot ELSE due END);
CREATE INDEX runs_troubles ON runs (CASE space WHEN 0 THEN slot ELSE due END)
  WHERE state IN ('failed', 'timed_out', 'cancelled', 'lost');
CREATE TABLE ranges (
  job INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
  reason TEXT NOT NULL, decided_by TEXT NOT NULL, decided_at INTEGER, revision INTEGER NOT NULL,
  PRIMARY KEY (job, first)) WITHOUT ROWID;
CREATE INDEX ranges_by_time ON ranges (last);
CREATE TABLE keys (
  key TEXT PRIMARY KEY, state TEXT NOT NULL, fence INTEGER NOT NULL, incarnation BLOB NOT NULL,
  owner TEXT NOT NULL, result TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX keys_running ON keys (incarnation) WHERE state = 'running';
CREATE INDEX keys_ended ON keys (expires) WHERE state IN ('done', 'failed');
)sql";

// What a job was, and what people did. What was before this step nobody knows: a definition counts
// from where its job stood then. A program that does not know of it would leave holes.
constexpr const char* kSecond = R"sql(
ALTER TABLE jobs ADD COLUMN succeeded INTEGER;
ALTER TABLE definitions ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN env TEXT NOT NULL DEFAULT '';
UPDATE definitions SET since = (SELECT cursor FROM jobs WHERE jobs.uid = definitions.uid);
UPDATE jobs SET succeeded =
  (SELECT max(slot) FROM runs WHERE job = uid AND space = 0 AND state = 'succeeded');
CREATE TABLE former (
  job INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, revision INTEGER NOT NULL,
  definition TEXT NOT NULL);
CREATE INDEX former_of_job ON former (job);
CREATE TABLE interventions (
  job INTEGER NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL, again INTEGER NOT NULL,
  until INTEGER, who TEXT NOT NULL, why TEXT NOT NULL, run INTEGER NOT NULL,
  space INTEGER NOT NULL, slot INTEGER NOT NULL, request TEXT NOT NULL, attempt INTEGER NOT NULL);
CREATE INDEX interventions_of_job ON interventions (job);
)sql";

constexpr const char* kThird = R"sql(
ALTER TABLE meta ADD COLUMN clock_word_at INTEGER NOT NULL DEFAULT 0;
)sql";

/// A step that an older program could not live with raises kOldestWriter to its own version. Rows
/// are written by the names of their columns: one that is added with a default can be lived with.
constexpr std::array kSteps{kFirst, kSecond, kThird};
constexpr std::int64_t kOldestWriter = 2;

std::int64_t pragma(const Database& database, const char* sql) {
  Statement statement(database, sql);
  statement.with().row();
  const auto value = statement.next<std::int64_t>();
  statement.reset();
  return value;
}

}  // namespace

Versions versions_of(const Database& database) {
  Versions found;
  Statement statement(database, "SELECT schema, oldest_writer FROM meta");
  if (statement.with().row()) statement.into(found.schema, found.oldest_writer);
  statement.reset();
  return found;
}

bool has_schema(Database& database) {
  const std::int64_t application = pragma(database, "PRAGMA application_id");
  const std::int64_t tables = pragma(database, "SELECT count(*) FROM sqlite_schema");
  if (application == kApplication) return tables > 0;
  if (tables == 0) return false;
  throw DatabaseError{{Code::invalid, "this is a database of another program"}};
}

const Schema& our_schema() {
  static const Schema schema{kSteps, kOldestWriter};
  return schema;
}

void check_writer(std::int64_t oldest_writer, const Schema& schema) {
  if (oldest_writer <= static_cast<std::int64_t>(schema.steps.size())) return;
  throw DatabaseError{
      {Code::invalid, fmt::format("the store was written by a newer program: it needs one that "
                                  "knows schema {}, this one knows {}",
                                  oldest_writer, schema.steps.size())}};
}

void migrate(Database& database, const Schema& schema) {
  const Versions found = has_schema(database) ? versions_of(database) : Versions{};
  const auto ours = static_cast<std::int64_t>(schema.steps.size());
  check_writer(found.oldest_writer, schema);
  for (std::int64_t version = found.schema; version < ours; ++version) {
    database.run(schema.steps[static_cast<std::size_t>(version)]);
  }
  if (found.schema == 0) {
    database.run(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
  } else if (found.schema < ours) {
    Statement(database, "UPDATE meta SET schema = ?, oldest_writer = max(oldest_writer, ?)")
        .with(ours, schema.oldest_writer)
        .run();
  }
}

}  // namespace cronce::sqlite
