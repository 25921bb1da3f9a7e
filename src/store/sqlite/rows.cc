// Reading rows.
#include "store/sqlite/rows.h"

#include "model/codec.h"

namespace cronce::sqlite {
namespace {

#define RUN_COLUMNS                                                                         \
  "job, space, slot, request, attempt, kind, state, reason, key, due, fence, incarnation, " \
  "node, claimed_at, started_at, finished_at, exit_code, concurrency, stop, deferred, confirmed"

/// All but what history() leaves out.
StoredRun read_run(Statement& in) {
  StoredRun found;
  Run& run = found.run;
  in.into(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.kind,
          run.state, run.reason, run.key, run.due, run.fence, run.incarnation, run.node,
          run.claimed_at, run.started_at, run.finished_at, run.exit_code, found.group, found.stop,
          found.deferred, found.confirmed);
  return found;
}

StoredRun read_whole_run(Statement& in) {
  StoredRun found = read_run(in);
  in.into(found.run.progress, found.run.output_tail);
  return found;
}

void each_run(Statement& in, const Rows::Found& found) {
  while (in.row()) found(read_whole_run(in));
}

void each_range(Statement& in, const Rows::FoundRange& found) {
  while (in.row()) {
    const auto job = in.next<JobUid>();
    const auto from = in.next<Time>();
    embedded::RangeRow row;
    in.into(row.to, row.count, row.reason);
    found(job, from, row);
  }
}

void each_key(Statement& in, const Rows::FoundKey& found) {
  while (in.row()) {
    auto key = in.next<std::string>();
    embedded::KeyRow row;
    in.into(row.state, row.fence, row.incarnation, row.owner, row.result, row.expires);
    found(std::move(key), std::move(row));
  }
}

template <class T>
T decoded(Result<T> result) {
  if (!result) throw DatabaseError{result.error()};
  return *std::move(result);
}

}  // namespace

Rows::Rows(const Database& db)
    : database_(db),
      meta_(db,
            "SELECT id, device, inode, birth, machine, epoch, greatest, closed, position, "
            "remembered, clock_word, accepted, changes, last_uid, last_key_fence FROM meta"),
      insert_meta_(
          db, "INSERT INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      update_meta_(
          db,
          "UPDATE meta SET device = ?, inode = ?, birth = ?, machine = ?, epoch = ?, "
          "greatest = ?, closed = ?, position = ?, remembered = ?, clock_word = ?, accepted = ?, "
          "changes = ?, last_uid = ?, last_key_fence = ?"),
      nodes_(db, "SELECT node, ended, ended_at, remembered FROM nodes WHERE changed > ?"),
      sources_(db, "SELECT source, digest, generation, numbered FROM sources WHERE changed > ?"),
      digests_(db, "SELECT digest FROM digests WHERE source = ?"),
      jobs_(db,
            "SELECT uid, definition, revision, whole, member, paused, pause_until, pause_note, "
            "only_exec, turn, cursor, next, label, version, zone_data, moved_by, fence_count, "
            "runs_started, busy_until, floor, purged, changes FROM jobs JOIN definitions USING "
            "(uid) WHERE changed > ? ORDER BY uid"),
      job_sources_(db, "SELECT source, digest FROM job_sources WHERE uid = ?"),
      open_of_job_(db, "SELECT " RUN_COLUMNS
                       ", progress, output_tail FROM runs WHERE job = ? AND state IN ('pending', "
                       "'held', 'running')"),
      open_(db, "SELECT " RUN_COLUMNS
                ", progress, output_tail FROM runs WHERE state IN ('pending', 'held', 'running')"),
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
                    "SELECT job, first, last, count, reason FROM ranges WHERE job = ? AND first "
                    "<= ? ORDER BY first DESC LIMIT 1"),
      ranges_(db, "SELECT job, first, last, count, reason FROM ranges WHERE job = ?"),
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
      write_node_(db, "REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?)"),
      write_source_(db, "REPLACE INTO sources VALUES (?, ?, ?, ?, ?)"),
      write_digest_(db, "INSERT OR IGNORE INTO digests VALUES (?, ?)"),
      write_job_(db,
                 "INSERT INTO jobs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
                 "?14, ?15) ON CONFLICT (uid) DO UPDATE SET turn = ?2, cursor = ?3, next = ?4, "
                 "label = ?5, version = ?6, zone_data = ?7, moved_by = ?8, fence_count = ?9, "
                 "runs_started = ?10, busy_until = ?11, floor = ?12, purged = ?13, changes = ?14, "
                 "changed = ?15"),
      write_definition_(db, "REPLACE INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      clear_job_sources_(db, "DELETE FROM job_sources WHERE uid = ?"),
      write_job_source_(db, "INSERT INTO job_sources VALUES (?, ?, ?)"),
      insert_run_(
          db,
          "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
          "?, ?, ?, ?)"),
      update_run_(db,
                  "UPDATE runs SET kind = ?6, state = ?7, reason = ?8, key = ?9, due = ?10, fence "
                  "= ?11, incarnation = ?12, node = ?13, claimed_at = ?14, started_at = ?15, "
                  "finished_at = ?16, exit_code = ?17, concurrency = ?18, stop = ?19, deferred = "
                  "?20, confirmed = ?21, progress = ?22, output_tail = ?23 WHERE job = ?1 AND "
                  "space = ?2 AND slot = "
                  "?3 AND request = ?4 AND attempt = ?5"),
      remove_run_(db,
                  "DELETE FROM runs WHERE job = ? AND space = ? AND slot = ? AND request = ? AND "
                  "attempt = ?"),
      write_range_(db, "REPLACE INTO ranges VALUES (?, ?, ?, ?, ?)"),
      remove_range_(db, "DELETE FROM ranges WHERE job = ? AND first = ?"),
      write_key_(db, "REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)"),
      remove_key_(db, "DELETE FROM keys WHERE key = ?"),
      write_lane_(db, "REPLACE INTO lanes VALUES (?, ?, ?, ?, ?, ?)"),
      find_runs_(db, "SELECT " RUN_COLUMNS
                     ", progress, output_tail FROM runs WHERE job BETWEEN ?1 AND ?2 AND CASE space "
                     "WHEN 0 THEN slot ELSE due END BETWEEN ?3 AND ?4 ORDER BY job, space, slot, "
                     "request, attempt LIMIT ?5"),
      find_ranges_(db,
                   "SELECT job, first, last, count, reason FROM ranges WHERE job BETWEEN ?1 AND ?2 "
                   "AND last >= ?3 AND first <= ?4 ORDER BY job, first LIMIT ?5") {}

Meta Rows::meta() {
  Meta meta;
  if (!meta_.with().row()) {
    throw DatabaseError{{Code::corrupt, "the store's file has lost its first row"}};
  }
  meta_.into(meta.id, meta.place.device, meta.place.inode, meta.place.birth, meta.place.machine,
             meta.epoch, meta.greatest, meta.closed, meta.position, meta.remembered,
             meta.clock_word, meta.accepted, meta.changes, meta.last_uid, meta.last_key_fence);
  meta_.reset();
  return meta;
}

void Rows::nodes(std::int64_t since, const std::function<void(embedded::NodeRow&&)>& found) {
  nodes_.with(since);
  while (nodes_.row()) {
    embedded::NodeRow row{decoded(decode_node(nodes_.next<std::string>()))};
    nodes_.into(row.ended, row.ended_at, row.remembered);
    found(std::move(row));
  }
}

void Rows::sources(std::int64_t since,
                   const std::function<void(std::string&&, embedded::SourceRow&&)>& found) {
  sources_.with(since);
  while (sources_.row()) {
    auto source = sources_.next<std::string>();
    embedded::SourceRow row;
    sources_.into(row.digest, row.generation, row.numbered);
    digests_.with(source);
    while (digests_.row()) row.seen.insert(digests_.next<std::string>());
    found(std::move(source), std::move(row));
  }
}

StoredJob Rows::read_job() {
  const auto uid = jobs_.next<JobUid>();
  StoredJob found{{uid, decoded(decode_job(jobs_.next<std::string>()))}};
  JobRow& row = found.row;
  bool paused = false;
  Pause pause;
  jobs_.into(row.revision, row.whole, row.member, paused, pause.until, pause.note, row.only_exec,
             row.plan.turn, row.plan.cursor, row.plan.next, row.plan.label, row.pointed_by.version,
             row.pointed_by.zone_data, row.moved_by, row.fence_count, row.runs_started,
             row.busy_until, row.floor, row.purged, found.changes);
  if (paused) row.pause = std::move(pause);
  job_sources_.with(uid);
  while (job_sources_.row()) {
    auto source = job_sources_.next<std::string>();
    row.sources[std::move(source)] = job_sources_.next<std::string>();
  }
  return found;
}

void Rows::jobs(std::int64_t since, const std::function<void(StoredJob&&)>& found) {
  jobs_.with(since);
  while (jobs_.row()) found(read_job());
}

void Rows::open_runs(JobUid job, const Found& found) { each_run(open_of_job_.with(job), found); }

void Rows::open_runs(const Found& found) { each_run(open_.with(), found); }

void Rows::attempts(const RunId& any, const Found& found) {
  each_run(attempts_.with(any.job, any.space, any.slot, any.request), found);
}

void Rows::slots(JobUid job, Time from, Time to, const Found& found) {
  each_run(slots_.with(job, from, to), found);
}

void Rows::history(JobUid job, const Found& found) {
  history_.with(job);
  while (history_.row()) found(read_run(history_));
}

std::optional<Time> Rows::newest_slot(JobUid job) {
  if (!newest_slot_.with(job).row()) return std::nullopt;
  const auto slot = newest_slot_.next<Time>();
  newest_slot_.reset();
  return slot;
}

void Rows::range_before(JobUid job, Time slot, const FoundRange& found) {
  each_range(range_before_.with(job, slot), found);
}

void Rows::ranges(JobUid job, const FoundRange& found) { each_range(ranges_.with(job), found); }

void Rows::key(const std::string& key, const FoundKey& found) { each_key(key_.with(key), found); }

void Rows::keys_of(const Incarnation& owner, const FoundKey& found) {
  each_key(keys_of_.with(owner), found);
}

void Rows::ended_keys(Time now, const FoundKey& found) { each_key(ended_keys_.with(now), found); }

std::optional<std::uint64_t> Rows::sequence(const embedded::LaneId& lane) {
  if (!sequence_.with(lane.first, lane.second).row()) return std::nullopt;
  const auto sequence = sequence_.next<std::uint64_t>();
  sequence_.reset();
  return sequence;
}

embedded::Lane Rows::lane(const embedded::LaneId& id) {
  embedded::Lane lane;
  if (!lane_.with(id.first, id.second).row()) return lane;
  lane_.into(lane.sequence, lane.epoch, lane.last.sequence);
  lane.last.outcome = decoded(decode_outcome(lane_.next<std::string>()));
  lane_.reset();
  return lane;
}

std::vector<Run> Rows::runs(const RunFilter& filter) {
  const JobUid least{filter.job ? filter.job->value : 0};
  const JobUid most{filter.job ? filter.job->value : ~std::uint64_t{0} >> 1U};
  std::vector<Run> found;
  const auto limit = [&] { return static_cast<std::int64_t>(filter.limit - found.size()); };
  each_run(find_runs_.with(least, most, filter.from, filter.to, limit()),
           [&](StoredRun&& row) { found.push_back(std::move(row.run)); });
  each_range(find_ranges_.with(least, most, filter.from, filter.to, limit()),
             [&](JobUid job, Time from, const embedded::RangeRow& row) {
               found.push_back(embedded::row_of(job, from, row));
             });
  return found;
}

}  // namespace cronce::sqlite
