// Reading rows.
#include "model/codec.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/schema.h"

namespace cronce::sqlite {
namespace {

template <class T>
T decoded(Result<T> result) {
  if (!result) throw DatabaseError{result.error()};
  return *std::move(result);
}

/// All but what history() leaves out.
StoredRun read_run(Statement& in) {
  StoredRun found;
  Run& run = found.run;
  in.into(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.kind,
          run.state, run.reason, run.key, run.due, run.fence, run.incarnation, run.node,
          run.claimed_at, run.started_at, run.finished_at, run.exit_code, found.group, found.stop,
          found.deferred, found.confirmed, run.decided.by, run.decided.at, run.decided.revision);
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
  if (!meta_.with().row()) {
    throw DatabaseError{{Code::corrupt, "the store's file has lost its first row"}};
  }
  check_writer(meta_.next<std::int64_t>());  // it may have changed while the file was open
  meta_.into(meta.id, meta.place.device, meta.place.inode, meta.place.birth, meta.place.machine,
             meta.epoch, meta.greatest, meta.closed, meta.position, meta.remembered,
             meta.clock_word, meta.accepted, meta.changes, meta.last_uid, meta.last_key_fence);
  meta_.reset();
  return meta;
}

void Rows::living_nodes(const FoundNode& found) { each_node(living_nodes_.with(), found); }

void Rows::nodes_since(std::int64_t position, const FoundNode& found) {
  each_node(nodes_since_.with(position), found);
}

void Rows::nodes_named(const std::string& name, const FoundNode& found) {
  each_node(nodes_named_.with(name), found);
}

void Rows::node(const Incarnation& incarnation, const FoundNode& found) {
  each_node(node_.with(incarnation), found);
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

std::optional<StoredJob> Rows::job(JobUid uid) {
  if (!job_.with(uid).row()) return std::nullopt;
  StoredJob found{{uid, decoded(decode_job(job_.next<std::string>()))}};
  JobRow& row = found.row;
  bool paused = false;
  Pause pause;
  job_.into(row.revision, row.whole, row.member, paused, pause.until, pause.note, row.only_exec,
            row.plan.turn, row.plan.cursor, row.plan.next, row.plan.label, row.pointed_by.version,
            row.pointed_by.zone_data, row.moved_by, row.fence_count, row.runs_started,
            row.busy_until, row.floor, row.purged, found.changes);
  job_.reset();
  if (paused) row.pause = std::move(pause);
  job_sources_.with(uid);
  while (job_sources_.row()) {
    auto source = job_sources_.next<std::string>();
    row.sources[std::move(source)] = job_sources_.next<std::string>();
  }
  return found;
}

std::vector<JobUid> Rows::uids(Statement& statement) {
  std::vector<JobUid> found;
  while (statement.row()) found.push_back(statement.next<JobUid>());
  return found;
}

std::optional<JobUid> Rows::job_named(const std::string& name) {
  const auto found = uids(job_named_.with(name));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<JobUid> Rows::all_jobs() { return uids(all_jobs_.with()); }

std::vector<JobUid> Rows::jobs_since(std::int64_t position) {
  return uids(jobs_since_.with(position));
}

std::vector<JobUid> Rows::news(std::int64_t position, std::uint64_t changes) {
  return uids(news_.with(position, changes));
}

std::vector<JobUid> Rows::members(JobUid whole) { return uids(members_.with(whole)); }

std::vector<JobUid> Rows::jobs_of(const std::string& source) { return uids(jobs_of_.with(source)); }

std::size_t Rows::count_jobs(const std::string& source, const std::string& digest) {
  count_jobs_.with(source, digest).row();
  const auto count = count_jobs_.next<std::uint64_t>();
  count_jobs_.reset();
  return count;
}

std::vector<JobUid> Rows::jobs_after(JobUid uid, std::int64_t limit) {
  return uids(jobs_after_.with(uid, limit));
}

void Rows::open_runs(JobUid job, const Found& found) { each_run(open_runs_.with(job), found); }

void Rows::live_runs(std::int64_t since, const Found& found) {
  each_run(live_runs_.with(since), found);
}

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

}  // namespace cronce::sqlite
