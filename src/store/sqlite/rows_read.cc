// Reading rows.
#include "model/codec.h"
#include "store/sqlite/rows_sql.h"
#include "store/sqlite/schema.h"

namespace cronce::sqlite {
namespace {

/// All but what history() leaves out.
StoredRun read_run(Statement& in) {
  StoredRun found;
  Run& run = found.run;
  in.into(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.kind,
          run.state, run.reason, run.key, run.due, run.fence, run.incarnation, run.node,
          run.claimed_at, run.started_at, run.finished_at, run.exit_code, found.group, found.stop,
          found.deferred, found.confirmed, run.decided.by, run.decided.at, run.decided.revision);
  run.env = decoded(decode_env(in.next<std::string>()));
  return found;
}

StoredRun read_whole_run(Statement& in) {
  StoredRun found = read_run(in);
  in.into(found.run.progress, found.run.output_tail);
  return found;
}

void each_run(Statement& in, const Rows::FoundRun& found) {
  while (in.row()) found(read_whole_run(in));
}

void each_node(Statement& in, const Rows::FoundNode& found) {
  while (in.row()) {
    embedded::NodeRow row{decoded(decode_node(in.next<std::string>()))};
    in.into(row.ended, row.ended_at, row.remembered);
    found(std::move(row));
  }
}

void each_range(Statement& in, const Rows::FoundRange& found) {
  while (in.row()) {
    const auto job = in.next<JobUid>();
    const auto from = in.next<Time>();
    embedded::RangeRow row;
    in.into(row.to, row.count, row.reason, row.decided.by, row.decided.at, row.decided.revision);
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

}  // namespace

Meta Rows::meta() {
  Meta meta;
  if (!sql_->meta.with().row()) {
    throw DatabaseError{{Code::corrupt, "the store's file has lost its first row"}};
  }
  check_writer(sql_->meta.next<std::int64_t>());  // it may have changed while the file was open
  sql_->meta.into(meta.id, stored_.device, stored_.inode, stored_.birth, stored_.machine,
                  meta.epoch, meta.greatest, meta.closed, meta.position, meta.trail,
                  meta.remembered, meta.clock_word, meta.clock_word_at, meta.accepted, meta.changes,
                  meta.last_uid, meta.last_key_fence);
  sql_->meta.reset();
  meta.is_here = compare(stored_, actual_) <= Moved::machine;
  return meta;
}

void Rows::living_nodes(const FoundNode& found) { each_node(sql_->living_nodes.with(), found); }

void Rows::nodes_since(std::int64_t position, const FoundNode& found) {
  each_node(sql_->nodes_since.with(position), found);
}

void Rows::nodes_named(const std::string& name, const FoundNode& found) {
  each_node(sql_->nodes_named.with(name), found);
}

void Rows::node(const Incarnation& incarnation, const FoundNode& found) {
  each_node(sql_->node.with(incarnation), found);
}

void Rows::sources(std::int64_t since, const FoundSource& found) {
  sql_->sources.with(since);
  while (sql_->sources.row()) {
    auto source = sql_->sources.next<std::string>();
    embedded::SourceRow row;
    sql_->sources.into(row.digest, row.generation, row.numbered);
    sql_->digests.with(source);
    while (sql_->digests.row()) row.seen.insert(sql_->digests.next<std::string>());
    found(std::move(source), std::move(row));
  }
}

std::optional<StoredJob> Rows::job(JobUid uid) {
  if (!sql_->job.with(uid).row()) return std::nullopt;
  StoredJob found{{uid, decoded(decode_job(sql_->job.next<std::string>()))}};
  JobRow& row = found.row;
  bool paused = false;
  Pause pause;
  Knowledge pointed_by;
  std::string moved_by, member;
  std::optional<Time> succeeded;
  sql_->job.into(row.revision, row.whole, member, paused, pause.until, pause.note, row.only_exec,
                 row.since, row.plan.turn, row.plan.cursor, row.plan.next, row.plan.label,
                 pointed_by.version, pointed_by.zone_data, moved_by, row.fence_count,
                 row.runs_started, row.busy_until, row.floor, row.purged, succeeded, found.changes);
  sql_->job.reset();
  row.member = std::move(member);
  row.succeeded = succeeded.value_or(kMinTime);
  if (paused) row.pause = std::move(pause);
  row.pointed_by = std::move(pointed_by);
  row.moved_by = std::move(moved_by);
  std::map<std::string, std::string> sources;
  sql_->job_sources.with(uid);
  while (sql_->job_sources.row()) {
    auto source = sql_->job_sources.next<std::string>();
    sources[std::move(source)] = sql_->job_sources.next<std::string>();
  }
  row.sources = std::move(sources);
  each_run(sql_->open_runs.with(uid),
           [&](StoredRun&& run) { found.open.push_back(std::move(run)); });
  found.newest = newest_slot(uid);
  return found;
}

void Rows::jobs(const std::vector<JobUid>& uids, const std::function<void(StoredJob&&)>& found) {
  for (const JobUid uid : uids) {
    if (auto row = job(uid)) found(*std::move(row));
  }
}

std::vector<JobUid> Rows::uids(Statement& statement) {
  std::vector<JobUid> found;
  while (statement.row()) found.push_back(statement.next<JobUid>());
  return found;
}

std::vector<JobUid> Rows::jobs_named(const std::vector<std::string>& names) {
  std::vector<JobUid> found;
  for (const std::string& name : names) {
    for (const JobUid uid : uids(sql_->job_named.with(name))) found.push_back(uid);
  }
  return found;
}

std::vector<JobUid> Rows::all_jobs() { return uids(sql_->all_jobs.with()); }

std::vector<JobUid> Rows::jobs_since(std::int64_t position) {
  return uids(sql_->jobs_since.with(position));
}

std::vector<JobUid> Rows::news(std::int64_t position, std::uint64_t changes) {
  return uids(sql_->news.with(position, changes));
}

std::vector<JobUid> Rows::members(JobUid whole) { return uids(sql_->members.with(whole)); }

std::vector<JobUid> Rows::jobs_of(const std::string& source) {
  return uids(sql_->jobs_of.with(source));
}

std::size_t Rows::count_jobs(const std::string& source, const std::string& digest) {
  sql_->count_jobs.with(source, digest).row();
  const auto count = sql_->count_jobs.next<std::uint64_t>();
  sql_->count_jobs.reset();
  return count;
}

std::vector<JobUid> Rows::jobs_after(JobUid uid, std::int64_t limit) {
  return uids(sql_->jobs_after.with(uid, limit));
}

void Rows::live_runs(const FoundRun& found) { each_run(sql_->live_runs.with(), found); }

void Rows::live_runs(const std::set<JobUid>& unread, const FoundRun& found) {
  for (const JobUid job : unread) each_run(sql_->live_runs_of.with(job), found);
}

void Rows::attempts(const RunId& any, const FoundRun& found) {
  each_run(sql_->attempts.with(any.job, any.space, any.slot, any.request), found);
}

void Rows::slots(JobUid job, Time from, Time to, const FoundRun& found) {
  each_run(sql_->slots.with(job, from, to), found);
}

void Rows::history(const std::vector<JobUid>& jobs, const FoundRun& found) {
  for (const JobUid job : jobs) {
    sql_->history.with(job);
    while (sql_->history.row()) found(read_run(sql_->history));
  }
}

std::optional<Time> Rows::newest_slot(JobUid job) {
  if (!sql_->newest_slot.with(job).row()) return std::nullopt;
  const auto slot = sql_->newest_slot.next<Time>();
  sql_->newest_slot.reset();
  return slot;
}

std::optional<Time> Rows::succeeded_before(JobUid job, Time slot) {
  if (!sql_->succeeded_before.with(job, slot).row()) return std::nullopt;
  const auto found = sql_->succeeded_before.next<Time>();
  sql_->succeeded_before.reset();
  return found;
}

void Rows::range_before(JobUid job, Time slot, const FoundRange& found) {
  each_range(sql_->range_before.with(job, slot), found);
}

void Rows::ranges(const std::vector<JobUid>& jobs, const FoundRange& found) {
  for (const JobUid job : jobs) each_range(sql_->ranges.with(job), found);
}

void Rows::key(const std::string& key, const FoundKey& found) {
  each_key(sql_->key.with(key), found);
}

void Rows::keys_of(const Incarnation& owner, const FoundKey& found) {
  each_key(sql_->keys_of.with(owner), found);
}

void Rows::ended_keys(Time now, const FoundKey& found) {
  each_key(sql_->ended_keys.with(now), found);
}

std::optional<std::uint64_t> Rows::sequence(const embedded::LaneId& lane) {
  if (!sql_->sequence.with(lane.first, lane.second).row()) return std::nullopt;
  const auto sequence = sql_->sequence.next<std::uint64_t>();
  sql_->sequence.reset();
  return sequence;
}

embedded::Lane Rows::lane(const embedded::LaneId& id) {
  embedded::Lane lane;
  if (!sql_->lane.with(id.first, id.second).row()) return lane;
  sql_->lane.into(lane.sequence, lane.epoch, lane.last.sequence);
  lane.last.outcome = decoded(decode_outcome(sql_->lane.next<std::string>()));
  sql_->lane.reset();
  return lane;
}

JobPast Rows::past(JobUid job) {
  JobPast past;
  sql_->former.with(job);
  while (sql_->former.row()) {
    Time since{}, until{};
    std::uint64_t revision = 0;
    sql_->former.into(since, until, revision);
    past.definitions.push_back(
        {since, until, revision, decoded(decode_job(sql_->former.next<std::string>()))});
  }
  Statement& in = sql_->interventions;
  in.with(job);
  while (in.row()) {
    Intervention& one = past.interventions.emplace_back();
    RunId run;
    in.into(one.at, one.what, one.again, one.until, one.by.who, one.by.why, run.job, run.space,
            run.slot, run.request, run.attempt);
    if (run.job != JobUid{}) one.run = std::move(run);
  }
  return past;
}

}  // namespace cronce::sqlite
