// The statements.
#include "store/sqlite/rows.h"

namespace cronce::sqlite {

#define NODE_COLUMNS "node, ended, ended_at, remembered"
#define RUN_COLUMNS                                                                                \
  "job, space, slot, request, attempt, kind, state, reason, key, due, fence, incarnation, "        \
  "node, claimed_at, started_at, finished_at, exit_code, concurrency, stop, deferred, confirmed, " \
  "decided_by, decided_at, revision"
#define OPEN "state IN ('pending', 'held', 'running')"  // as the index runs_open says it

Rows::Rows(const Database& db)
    : meta_(db,
            "SELECT oldest_writer, id, device, inode, birth, machine, epoch, greatest, closed, "
            "position, remembered, clock_word, accepted, changes, last_uid, last_key_fence FROM "
            "meta"),
      insert_meta_(
          db,
          "INSERT INTO meta (one, id, schema, oldest_writer, device, inode, birth, machine, epoch, "
          "greatest, closed, position, remembered, clock_word, accepted, changes, last_uid, "
          "last_key_fence) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      update_meta_(
          db,
          "UPDATE meta SET device = ?, inode = ?, birth = ?, machine = ?, epoch = ?, "
          "greatest = ?, closed = ?, position = ?, remembered = ?, clock_word = ?, accepted = ?, "
          "changes = ?, last_uid = ?, last_key_fence = ?"),
      living_nodes_(db, "SELECT " NODE_COLUMNS " FROM nodes WHERE ended = 0"),
      nodes_since_(db, "SELECT " NODE_COLUMNS " FROM nodes WHERE changed > ?"),
      nodes_named_(db, "SELECT " NODE_COLUMNS " FROM nodes WHERE name = ?"),
      node_(db, "SELECT " NODE_COLUMNS " FROM nodes WHERE incarnation = ?"),
      sources_(db, "SELECT source, digest, generation, numbered FROM sources WHERE changed > ?"),
      digests_(db, "SELECT digest FROM digests WHERE source = ?"),
      job_(db,
           "SELECT definition, revision, whole, member, paused, pause_until, pause_note, "
           "only_exec, turn, cursor, next, label, version, zone_data, moved_by, fence_count, "
           "runs_started, busy_until, floor, purged, changes FROM jobs JOIN definitions USING "
           "(uid) WHERE uid = ?"),
      job_sources_(db, "SELECT source, digest FROM job_sources WHERE uid = ?"),
      job_named_(db, "SELECT uid FROM definitions WHERE name = ? AND whole IS NULL"),
      all_jobs_(db, "SELECT uid FROM jobs"),
      jobs_since_(db, "SELECT uid FROM jobs WHERE changed > ?"),
      news_(db, "SELECT uid FROM jobs WHERE changed > ? AND changes > ?"),
      members_(db, "SELECT uid FROM definitions WHERE whole = ?"),
      jobs_of_(db, "SELECT uid FROM job_sources WHERE source = ?"),
      count_jobs_(db,
                  "SELECT count(*) FROM job_sources JOIN definitions USING (uid) WHERE source = ? "
                  "AND digest = ? AND whole IS NULL"),
      jobs_after_(db, "SELECT uid FROM jobs WHERE uid > ? ORDER BY uid LIMIT ?"),
      open_runs_(db,
                 "SELECT " RUN_COLUMNS ", progress, output_tail FROM runs WHERE job = ? AND " OPEN),
      live_runs_(db, "SELECT " RUN_COLUMNS
                     ", progress, output_tail FROM jobs JOIN runs ON job = uid WHERE changed > ? "
                     "AND " OPEN " AND state = 'running'"),
      attempts_(db, "SELECT " RUN_COLUMNS
                    ", progress, output_tail FROM runs WHERE job = ? AND space = ? AND slot = ? "
                    "AND request = ?"),
      slots_(db, "SELECT " RUN_COLUMNS
                 ", progress, output_tail FROM runs WHERE job = ? AND space = 0 AND slot BETWEEN ? "
                 "AND ?"),
      history_(db, "SELECT " RUN_COLUMNS " FROM runs WHERE job = ?"),
      newest_slot_(db,
                   "SELECT slot FROM runs WHERE job = ? AND space = 0 ORDER BY slot DESC LIMIT 1"),
      range_before_(db,
                    "SELECT job, first, last, count, reason, decided_by, decided_at, revision FROM "
                    "ranges WHERE job = ? AND first "
                    "<= ? ORDER BY first DESC LIMIT 1"),
      ranges_(db,
              "SELECT job, first, last, count, reason, decided_by, decided_at, revision FROM "
              "ranges WHERE job = ?"),
      key_(db,
           "SELECT key, state, fence, incarnation, owner, result, expires FROM keys WHERE key = ?"),
      keys_of_(db,
               "SELECT key, state, fence, incarnation, owner, result, expires FROM keys WHERE "
               "incarnation = ? AND state = 'running'"),
      ended_keys_(db,
                  "SELECT key, state, fence, incarnation, owner, result, expires FROM keys WHERE "
                  "expires <= ? AND state IN ('done', 'failed')"),
      sequence_(db, "SELECT sequence FROM lanes WHERE incarnation = ? AND lane = ?"),
      lane_(db,
            "SELECT sequence, epoch, last, outcome FROM lanes WHERE incarnation = ? AND lane = ?"),
      write_node_(
          db,
          "INSERT INTO nodes (incarnation, name, node, ended, ended_at, remembered, changed) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (incarnation) DO UPDATE SET "
          " name = ?2, node = ?3, ended = ?4, ended_at = ?5, remembered = ?6, "
          "changed = ?7"),
      write_source_(db,
                    "REPLACE INTO sources (source, digest, generation, numbered, changed) VALUES "
                    "(?, ?, ?, ?, ?)"),
      write_digest_(db, "INSERT OR IGNORE INTO digests (source, digest) VALUES (?, ?)"),
      write_job_(db,
                 "INSERT INTO jobs (uid, turn, cursor, next, label, version, zone_data, moved_by, "
                 "fence_count, runs_started, busy_until, floor, purged, changes, changed) "
                 "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
                 "?14, ?15) ON CONFLICT (uid) DO UPDATE SET turn = ?2, cursor = ?3, next = ?4, "
                 "label = ?5, version = ?6, zone_data = ?7, moved_by = ?8, fence_count = ?9, "
                 "runs_started = ?10, busy_until = ?11, floor = ?12, purged = ?13, changes = ?14, "
                 "changed = ?15"),
      write_definition_(
          db,
          "REPLACE INTO definitions (uid, name, definition, revision, whole, member, paused, "
          "pause_until, pause_note, only_exec) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      clear_job_sources_(db, "DELETE FROM job_sources WHERE uid = ?"),
      write_job_source_(db, "INSERT INTO job_sources (uid, source, digest) VALUES (?, ?, ?)"),
      insert_run_(db, "INSERT INTO runs (" RUN_COLUMNS
                      ", progress, output_tail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                      "?, ?, ?, ?, ?, ?, ?, ?, "
                      "?, ?, ?, ?)"),
      update_run_(db,
                  "UPDATE runs SET kind = ?6, state = ?7, reason = ?8, key = ?9, due = ?10, fence "
                  "= ?11, incarnation = ?12, node = ?13, claimed_at = ?14, started_at = ?15, "
                  "finished_at = ?16, exit_code = ?17, concurrency = ?18, stop = ?19, deferred = "
                  "?20, confirmed = ?21, decided_by = ?22, decided_at = ?23, revision = ?24, "
                  "progress = ?25, "
                  "output_tail = ?26 WHERE job = ?1 AND "
                  "space = ?2 AND slot = "
                  "?3 AND request = ?4 AND attempt = ?5"),
      remove_run_(db,
                  "DELETE FROM runs WHERE job = ? AND space = ? AND slot = ? AND request = ? AND "
                  "attempt = ?"),
      write_range_(
          db,
          "REPLACE INTO ranges (job, first, last, count, reason, decided_by, decided_at, revision) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      remove_range_(db, "DELETE FROM ranges WHERE job = ? AND first = ?"),
      write_key_(db,
                 "REPLACE INTO keys (key, state, fence, incarnation, owner, result, expires) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?)"),
      remove_key_(db, "DELETE FROM keys WHERE key = ?"),
      write_lane_(db,
                  "REPLACE INTO lanes (incarnation, lane, sequence, epoch, last, outcome) VALUES "
                  "(?, ?, ?, ?, ?, ?)") {}

}  // namespace cronce::sqlite
