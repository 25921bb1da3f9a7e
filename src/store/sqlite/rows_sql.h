// The statements of rows.h, each beside its name.
#pragma once

#include "store/sqlite/rows.h"

namespace cronce::sqlite {

#define NODE_COLUMNS "node, ended, ended_at, remembered"
#define RUN_COLUMNS                                                                                \
  "job, space, slot, request, attempt, kind, state, reason, key, due, fence, incarnation, "        \
  "node, claimed_at, started_at, finished_at, exit_code, concurrency, stop, deferred, confirmed, " \
  "decided_by, decided_at, revision, env"
#define OPEN "state IN ('pending', 'held', 'running')"  // as the index runs_open says it

struct Rows::Statements {
  explicit Statements(const Database& database) : db(database) {}

  const Database& db;
  Statement meta{
      db,
      "SELECT oldest_writer, id, device, inode, birth, machine, epoch, greatest, closed, "
      "position, trail, remembered, clock_word, clock_word_at, accepted, changes, last_uid, "
      "last_key_fence FROM meta"};
  Statement insert_meta{
      db,
      "INSERT INTO meta (one, id, schema, oldest_writer, device, inode, birth, machine, epoch, "
      "greatest, closed, position, trail, remembered, clock_word, clock_word_at, accepted, "
      "changes, "
      "last_uid, last_key_fence) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?)"};
  Statement update_meta{db,
                        "UPDATE meta SET device = ?, inode = ?, birth = ?, machine = ?, epoch = ?, "
                        "greatest = ?, closed = ?, position = ?, trail = ?, remembered = ?, "
                        "clock_word = ?, clock_word_at = ?, accepted = ?, "
                        "changes = ?, last_uid = ?, last_key_fence = ?"};

  // Nodes and sources.
  Statement living_nodes{db, "SELECT " NODE_COLUMNS " FROM nodes WHERE ended = 0"};
  Statement nodes_since{db, "SELECT " NODE_COLUMNS " FROM nodes WHERE changed > ?"};
  Statement nodes_named{db, "SELECT " NODE_COLUMNS " FROM nodes WHERE name = ?"};
  Statement node{db, "SELECT " NODE_COLUMNS " FROM nodes WHERE incarnation = ?"};
  Statement sources{db,
                    "SELECT source, digest, generation, numbered FROM sources WHERE changed > ?"};
  Statement digests{db, "SELECT digest FROM digests WHERE source = ?"};

  // Jobs.
  Statement job{db,
                "SELECT definition, revision, whole, member, paused, pause_until, pause_note, "
                "only_exec, since, turn, cursor, next, label, version, zone_data, moved_by, "
                "fence_count, runs_started, busy_until, floor, purged, succeeded, changes FROM "
                "jobs JOIN definitions USING (uid) WHERE uid = ?"};
  Statement job_sources{db, "SELECT source, digest FROM job_sources WHERE uid = ?"};
  Statement job_named{db, "SELECT uid FROM definitions WHERE name = ? AND whole IS NULL"};
  Statement all_jobs{db, "SELECT uid FROM jobs"};
  Statement jobs_since{db, "SELECT uid FROM jobs WHERE changed > ?"};
  Statement news{db, "SELECT uid FROM jobs WHERE changed > ? AND changes > ?"};
  Statement members{db, "SELECT uid FROM definitions WHERE whole = ?"};
  Statement jobs_of{db, "SELECT uid FROM job_sources WHERE source = ?"};
  Statement count_jobs{
      db,
      "SELECT count(*) FROM job_sources JOIN definitions USING (uid) WHERE source = ? "
      "AND digest = ? AND whole IS NULL"};
  Statement jobs_after{db, "SELECT uid FROM jobs WHERE uid > ? ORDER BY uid LIMIT ?"};

  // Runs and ranges.
  Statement open_runs{db, "SELECT " RUN_COLUMNS
                          ", progress, output_tail FROM runs INDEXED BY runs_open WHERE " OPEN
                          " AND job = ?"};
  Statement live_runs{db, "SELECT " RUN_COLUMNS
                          ", progress, output_tail FROM runs INDEXED BY runs_open WHERE " OPEN
                          " AND state = 'running'"};
  Statement live_runs_of{db, "SELECT " RUN_COLUMNS
                             ", progress, output_tail FROM runs INDEXED BY runs_open WHERE " OPEN
                             " AND job = ? AND state = 'running'"};
  Statement attempts{db,
                     "SELECT " RUN_COLUMNS
                     ", progress, output_tail FROM runs WHERE job = ? AND space = ? AND slot = ? "
                     "AND request = ?"};
  Statement slots{
      db, "SELECT " RUN_COLUMNS
          ", progress, output_tail FROM runs WHERE job = ? AND space = 0 AND slot BETWEEN ? "
          "AND ?"};
  Statement history{db, "SELECT " RUN_COLUMNS " FROM runs WHERE job = ?"};
  Statement newest_slot{
      db, "SELECT slot FROM runs WHERE job = ? AND space = 0 ORDER BY slot DESC LIMIT 1"};
  Statement succeeded_before{db,
                             "SELECT slot FROM runs WHERE job = ? AND space = 0 AND slot < ? AND "
                             "state = 'succeeded' ORDER BY slot DESC LIMIT 1"};
  Statement range_before{db,
                         "SELECT job, first, last, count, reason, decided_by, decided_at, revision "
                         "FROM ranges WHERE job = ? AND first "
                         "<= ? ORDER BY first DESC LIMIT 1"};
  Statement ranges{db,
                   "SELECT job, first, last, count, reason, decided_by, decided_at, revision FROM "
                   "ranges WHERE job = ?"};

  // Keys and lanes.
  Statement key{
      db, "SELECT key, state, fence, incarnation, owner, result, expires FROM keys WHERE key = ?"};
  Statement keys_of{db,
                    "SELECT key, state, fence, incarnation, owner, result, expires FROM keys WHERE "
                    "incarnation = ? AND state = 'running'"};
  Statement ended_keys{
      db,
      "SELECT key, state, fence, incarnation, owner, result, expires FROM keys WHERE "
      "expires <= ? AND state IN ('done', 'failed')"};
  Statement sequence{db, "SELECT sequence FROM lanes WHERE incarnation = ? AND lane = ?"};
  Statement lane{
      db, "SELECT sequence, epoch, last, outcome FROM lanes WHERE incarnation = ? AND lane = ?"};

  // What was.
  Statement former{db,
                   "SELECT since, until, revision, definition FROM former WHERE job = ? ORDER BY "
                   "rowid"};
  Statement interventions{
      db,
      "SELECT at, what, again, until, who, why, run, space, slot, request, attempt FROM "
      "interventions WHERE job = ? ORDER BY rowid"};
  Statement write_former{
      db, "INSERT INTO former (job, since, until, revision, definition) VALUES (?, ?, ?, ?, ?)"};
  Statement write_intervention{
      db,
      "INSERT INTO interventions (job, at, what, again, until, who, why, run, space, slot, "
      "request, attempt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement remove_former{db, "DELETE FROM former WHERE job = ? AND until < ?"};
  Statement remove_interventions{db, "DELETE FROM interventions WHERE job = ? AND at < ?"};

  // Writing.
  Statement write_node{
      db,
      "INSERT INTO nodes (incarnation, name, node, ended, ended_at, remembered, changed) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (incarnation) DO UPDATE SET "
      " name = ?2, node = ?3, ended = ?4, ended_at = ?5, remembered = ?6, "
      "changed = ?7"};
  Statement write_source{
      db,
      "REPLACE INTO sources (source, digest, generation, numbered, changed) VALUES "
      "(?, ?, ?, ?, ?)"};
  Statement write_digest{db, "INSERT OR IGNORE INTO digests (source, digest) VALUES (?, ?)"};
  Statement write_job{
      db,
      "INSERT INTO jobs (uid, turn, cursor, next, label, version, zone_data, moved_by, "
      "fence_count, runs_started, busy_until, floor, purged, succeeded, changes, changed) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
      "?14, ?15, ?16) ON CONFLICT (uid) DO UPDATE SET turn = ?2, cursor = ?3, next = ?4, "
      "label = ?5, version = ?6, zone_data = ?7, moved_by = ?8, fence_count = ?9, "
      "runs_started = ?10, busy_until = ?11, floor = ?12, purged = ?13, succeeded = ?14, "
      "changes = ?15, changed = ?16"};
  Statement write_definition{
      db,
      "REPLACE INTO definitions (uid, name, definition, revision, whole, member, paused, "
      "pause_until, pause_note, only_exec, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement clear_job_sources{db, "DELETE FROM job_sources WHERE uid = ?"};
  Statement write_job_source{db, "INSERT INTO job_sources (uid, source, digest) VALUES (?, ?, ?)"};
  Statement insert_run{db,
                       "INSERT INTO runs (" RUN_COLUMNS
                       ", progress, output_tail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?)"};
  Statement update_run{
      db,
      "UPDATE runs SET kind = ?6, state = ?7, reason = ?8, key = ?9, due = ?10, fence "
      "= ?11, incarnation = ?12, node = ?13, claimed_at = ?14, started_at = ?15, "
      "finished_at = ?16, exit_code = ?17, concurrency = ?18, stop = ?19, deferred = "
      "?20, confirmed = ?21, decided_by = ?22, decided_at = ?23, revision = ?24, env = ?25, "
      "progress = ?26, output_tail = ?27 WHERE job = ?1 AND "
      "space = ?2 AND slot = "
      "?3 AND request = ?4 AND attempt = ?5"};
  Statement remove_run{
      db,
      "DELETE FROM runs WHERE job = ? AND space = ? AND slot = ? AND request = ? AND "
      "attempt = ?"};
  Statement write_range{
      db,
      "REPLACE INTO ranges (job, first, last, count, reason, decided_by, decided_at, revision) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement remove_range{db, "DELETE FROM ranges WHERE job = ? AND first = ?"};
  Statement write_key{db,
                      "REPLACE INTO keys (key, state, fence, incarnation, owner, result, expires) "
                      "VALUES (?, ?, ?, ?, ?, ?, ?)"};
  Statement remove_key{db, "DELETE FROM keys WHERE key = ?"};
  Statement write_lane{
      db,
      "REPLACE INTO lanes (incarnation, lane, sequence, epoch, last, outcome) VALUES "
      "(?, ?, ?, ?, ?, ?)"};
};

#undef NODE_COLUMNS
#undef RUN_COLUMNS
#undef OPEN

}  // namespace cronce::sqlite
