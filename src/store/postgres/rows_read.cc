// Reading rows.
#include <map>
#include <utility>

#include "base/check.h"
#include "model/codec.h"
#include "store/postgres/batch.h"
#include "store/postgres/run_columns.h"
#include "store/postgres/sql.h"

namespace cronce::postgres {
namespace {

#define PG_WHOLE_RUN PG_RUN ", encode(r.progress, 'hex'), encode(r.output_tail, 'hex')"
#define PG_NODES "SELECT node, ended, ended_at, remembered FROM cronce.nodes WHERE ns = $1::integer"
#define PG_RANGES                                                                                \
  "SELECT job, first, last, count, reason, decided_by, decided_at, revision FROM cronce.ranges " \
  "WHERE ns = $1::integer"
#define PG_KEYS                                                                                    \
  "SELECT key, state, fence, incarnation, owner, encode(result, 'hex'), expires FROM cronce.keys " \
  "WHERE ns = $1::integer"

constexpr const char* kAllSources =
    "SELECT s.source, s.digest, s.generation, s.numbered, d.digest FROM cronce.sources s LEFT JOIN "
    "cronce.digests d USING (ns, source) WHERE ns = $1::integer";
#define PG_TOUCHED_SINCE                                                                \
  "(SELECT DISTINCT ns, unnest(jobs) AS uid FROM cronce.writes WHERE ns = $1::integer " \
  "AND position > $2::bigint OFFSET 0) AS v"
constexpr const char* kLiveRuns =
    PG_LIVE("(SELECT * FROM cronce.jobs WHERE ns = $1::integer AND open <> '{}' OFFSET 0) AS j");
// Writes are forgotten after a while: for who was here before that, all jobs are looked at.
#define PG_KNOWS_SINCE \
  "EXISTS (SELECT FROM cronce.writes WHERE ns = $1::integer AND position <= $2::bigint)"
constexpr const char* kNews =
    "SELECT uid FROM cronce.jobs WHERE ns = $1::integer AND changed > $2::bigint AND changes > "
    "$3::bigint AND NOT " PG_KNOWS_SINCE " UNION ALL SELECT uid FROM " PG_TOUCHED_SINCE
    " JOIN cronce.jobs USING (ns, uid) WHERE changes > $3::bigint AND " PG_KNOWS_SINCE;

// As given_rows() for jobs whose uids are in one array.
#define PG_THESE_JOBS \
  "(SELECT $1::integer AS ns, * FROM unnest($2::bigint[]) AS v(uid) OFFSET 0) AS v"

StoredRun read_whole_run(Reader& in) {
  StoredRun found = read_run(in);
  found.run.progress = in.next<Bytes>().text;
  found.run.output_tail = in.next<Bytes>().text;
  return found;
}

void each_run(Reader in, const Rows::FoundRun& found) {
  while (in.row()) found(read_whole_run(in));
}

void each_live(Reader in, const Rows::FoundRun& found) {
  while (in.row()) {
    StoredRun live;
    live.run.state = RunState::running;
    RunId& id = live.run.id;
    in.into(id.job, id.space, id.slot, id.request, id.attempt, live.run.incarnation, live.group,
            live.stop, live.confirmed);
    found(std::move(live));
  }
}

void each_node(Reader in, const Rows::FoundNode& found) {
  while (in.row()) {
    embedded::NodeRow row{decoded(decode_node(in.next<std::string>()))};
    in.into(row.ended, row.ended_at, row.remembered);
    found(std::move(row));
  }
}

/// A row for each digest; those of a source come together.
void each_source(Reader in, const Rows::FoundSource& found) {
  std::map<std::string, embedded::SourceRow> sources;
  while (in.row()) {
    embedded::SourceRow& row = sources[in.next<std::string>()];
    std::optional<std::string> seen;
    in.into(row.digest, row.generation, row.numbered, seen);
    if (seen) row.seen.insert(*std::move(seen));
  }
  for (auto& [source, row] : sources) found(std::string(source), std::move(row));
}

void each_range(Reader in, const Rows::FoundRange& found) {
  while (in.row()) {
    const auto job = in.next<JobUid>();
    const auto from = in.next<Time>();
    embedded::RangeRow row;
    in.into(row.to, row.count, row.reason, row.decided.by, row.decided.at, row.decided.revision);
    found(job, from, row);
  }
}

void each_key(Reader in, const Rows::FoundKey& found) {
  while (in.row()) {
    auto key = in.next<std::string>();
    embedded::KeyRow row;
    in.into(row.state, row.fence, row.incarnation, row.owner);
    row.result = in.next<Bytes>().text;
    in.into(row.expires);
    found(std::move(key), std::move(row));
  }
}

template <class T>
std::optional<T> first_of(const PostgresRows& rows) {
  Reader in(rows);
  return in.row() ? std::optional(in.next<T>()) : std::nullopt;
}

StoredJob read_job(Reader& in) {
  const auto uid = in.next<JobUid>();
  StoredJob found{{uid, decoded(decode_job(in.next<std::string>()))}};
  JobRow& row = found.row;
  bool paused = false;
  Pause pause;
  Knowledge pointed_by;
  std::string moved_by, member;
  std::optional<Time> succeeded;
  in.into(row.revision, row.whole, member, paused, pause.until, pause.note, row.only_exec,
          row.since, row.plan.turn, row.plan.cursor, row.plan.next, row.plan.label,
          pointed_by.version, pointed_by.zone_data, moved_by, row.fence_count, row.runs_started,
          row.busy_until, row.floor, row.purged, succeeded, found.changes, found.newest);
  row.member = std::move(member);
  row.succeeded = succeeded.value_or(kMinTime);
  if (paused) row.pause = std::move(pause);
  row.pointed_by = std::move(pointed_by);
  row.moved_by = std::move(moved_by);
  return found;
}

}  // namespace

Rows::Rows(Session& session, std::string name_space)
    : session_(session), namespace_(std::move(name_space)), batch_(std::make_unique<Batch>()) {}

Rows::~Rows() = default;

std::vector<PostgresRows> Rows::ask_all(const std::vector<PostgresStatement>& statements) {
  if (assumes_) throw Unknown{};
  return session_.run(statements);
}

PostgresRows Rows::ask(std::string sql, std::vector<Value> values) {
  return std::move(ask_all({{std::move(sql), std::move(values)}}).front());
}

Reader Rows::since(std::int64_t position, std::string_view kind) const {
  CHECK(turn_ && position == known_);
  return {*turn_, kind};
}

void Rows::living_nodes(const FoundNode& found) {
  each_node(ask(PG_NODES " AND NOT ended", {ns_}), found);
}

void Rows::nodes_since(std::int64_t position, const FoundNode& found) {
  each_node(since(position, kNodesTold), found);
}

void Rows::nodes_named(const std::string& name, const FoundNode& found) {
  each_node(ask(PG_NODES " AND name = $2", {ns_, name}), found);
}

void Rows::node(const Incarnation& incarnation, const FoundNode& found) {
  each_node(ask(PG_NODES " AND incarnation = $2::uuid", {ns_, text_of(incarnation)}), found);
}

void Rows::sources(std::int64_t position, const FoundSource& found) {
  if (position == kEver) return each_source(ask(kAllSources, {ns_}), found);
  each_source(since(position, kSourcesTold), found);
}

void Rows::jobs(const std::vector<JobUid>& uids, const std::function<void(StoredJob&&)>& found) {
  const std::vector<Value> values{ns_, array_of(uids)};
  const auto rows = session_.run(
      {{"SELECT uid, d.definition, d.revision, d.whole, d.member, d.paused, d.pause_until, "
        "d.pause_note, d.only_exec, d.since, j.turn, j.cursor, j.next, j.label, j.version, "
        "j.zone_data, j.moved_by, j.fence_count, j.runs_started, j.busy_until, j.floor, j.purged, "
        "j.succeeded, j.changes, (SELECT slot FROM cronce.runs r WHERE r.ns = j.ns AND r.job = "
        "j.uid AND r.space = 0 ORDER BY slot DESC LIMIT 1) FROM " PG_THESE_JOBS
        " JOIN cronce.jobs j USING (ns, uid) JOIN cronce.definitions d USING (ns, uid)",
        values},
       {"SELECT uid, source, digest FROM " PG_THESE_JOBS " JOIN cronce.job_sources USING (ns, uid)",
        values},
       {"SELECT NOT EXISTS (SELECT FROM cronce.runs o WHERE o.ns = r.ns AND o.job = r.job AND "
        "o.space = r.space AND o.slot = r.slot AND o.request = r.request AND o.attempt <> "
        "r.attempt), " PG_WHOLE_RUN
        " FROM " PG_OPEN(PG_THESE_JOBS " JOIN cronce.jobs j USING (ns, uid)"),
        values}});
  std::map<JobUid, std::map<std::string, std::string>> sources;
  for (Reader in(rows[1]); in.row();) {
    auto& of_job = sources[in.next<JobUid>()];
    auto source = in.next<std::string>();
    of_job[std::move(source)] = in.next<std::string>();
  }
  std::map<JobUid, std::vector<StoredRun>> open;
  for (Reader in(rows[2]); in.row();) {
    const bool is_only = in.next<bool>();
    StoredRun run = read_whole_run(in);
    run.is_only = is_only;
    open[run.run.id.job].push_back(std::move(run));
  }
  for (Reader in(rows[0]); in.row();) {
    StoredJob job = read_job(in);
    job.row.sources = std::move(sources[job.row.uid]);
    job.open = std::move(open[job.row.uid]);
    found(std::move(job));
  }
}

std::vector<JobUid> Rows::uids(Reader in) {
  std::vector<JobUid> found;
  while (in.row()) found.push_back(in.next<JobUid>());
  return found;
}

std::vector<JobUid> Rows::jobs_named(const std::vector<std::string>& names) {
  return uids(
      ask("SELECT uid FROM cronce.definitions WHERE ns = $1::integer AND name = "
          "ANY($2::text[]) AND whole IS NULL",
          {ns_, array_of(names)}));
}

std::vector<JobUid> Rows::all_jobs() {
  return uids(ask("SELECT uid FROM cronce.jobs WHERE ns = $1::integer", {ns_}));
}

std::vector<JobUid> Rows::jobs_since(std::int64_t position) {
  return uids(since(position, kJobsTold));
}

std::vector<JobUid> Rows::news(std::int64_t position, std::uint64_t changes) {
  return uids(ask(kNews, {ns_, text_of(position), text_of(changes)}));
}

std::vector<JobUid> Rows::members(JobUid whole) {
  return uids(
      ask("SELECT uid FROM cronce.definitions WHERE ns = $1::integer AND whole = $2::bigint",
          {ns_, text_of(whole)}));
}

std::vector<JobUid> Rows::jobs_of(const std::string& source) {
  return uids(ask("SELECT uid FROM cronce.job_sources WHERE ns = $1::integer AND source = $2",
                  {ns_, source}));
}

std::size_t Rows::count_jobs(const std::string& source, const std::string& digest) {
  return *first_of<std::uint64_t>(
      ask("SELECT count(*) FILTER (WHERE whole IS NULL) FROM (SELECT ns, uid FROM "
          "cronce.job_sources WHERE ns = $1::integer AND source = $2 AND digest = $3 OFFSET 0) AS "
          "v JOIN cronce.definitions USING (ns, uid)",
          {ns_, source, digest}));
}

std::vector<JobUid> Rows::jobs_after(JobUid uid, std::int64_t limit) {
  return uids(
      ask("SELECT uid FROM cronce.jobs WHERE ns = $1::integer AND uid > $2::bigint ORDER BY "
          "uid LIMIT $3::bigint",
          {ns_, text_of(uid), text_of(limit)}));
}

void Rows::live_runs(const FoundRun& found) { each_live(ask(kLiveRuns, {ns_}), found); }

/// They came when the transaction began.
void Rows::live_runs(const std::set<JobUid>& /*unread*/, const FoundRun& found) {
  CHECK(live_);
  each_live(*live_, found);
}

void Rows::attempts(const RunId& any, const FoundRun& found) {
  each_run(ask("SELECT " PG_WHOLE_RUN
               " FROM cronce.runs r WHERE ns = $1::integer AND job = $2::bigint AND space = "
               "$3::smallint AND slot = $4::bigint AND request = $5",
               {ns_, text_of(any.job), text_of(any.space), text_of(any.slot), any.request}),
           found);
}

void Rows::slots(JobUid job, Time from, Time to, const FoundRun& found) {
  each_run(ask("SELECT " PG_WHOLE_RUN
               " FROM cronce.runs r WHERE ns = $1::integer AND job = $2::bigint AND space = 0 AND "
               "slot BETWEEN $3::bigint AND $4::bigint",
               {ns_, text_of(job), text_of(from), text_of(to)}),
           found);
}

void Rows::history(const std::vector<JobUid>& jobs, const FoundRun& found) {
  const auto rows = ask("SELECT job, space, slot, request, attempt, state, due FROM " PG_THESE_JOBS
                        " JOIN cronce.runs r ON r.ns = v.ns AND r.job = v.uid",
                        {ns_, array_of(jobs)});
  for (Reader in(rows); in.row();) {
    Run run;
    in.into(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.state,
            run.due);
    found({std::move(run)});
  }
}

std::optional<Time> Rows::newest_slot(JobUid job) {
  return first_of<Time>(
      ask("SELECT slot FROM cronce.runs WHERE ns = $1::integer AND job = "
          "$2::bigint AND space = 0 ORDER BY slot DESC LIMIT 1",
          {ns_, text_of(job)}));
}

std::optional<Time> Rows::succeeded_before(JobUid job, Time slot) {
  return first_of<Time>(
      ask("SELECT slot FROM cronce.runs WHERE ns = $1::integer AND job = $2::bigint AND space = 0 "
          "AND slot < $3::bigint AND state = 'succeeded' ORDER BY slot DESC LIMIT 1",
          {ns_, text_of(job), text_of(slot)}));
}

void Rows::range_before(JobUid job, Time slot, const FoundRange& found) {
  each_range(
      ask(PG_RANGES " AND job = $2::bigint AND first <= $3::bigint ORDER BY first DESC LIMIT 1",
          {ns_, text_of(job), text_of(slot)}),
      found);
}

void Rows::ranges(const std::vector<JobUid>& jobs, const FoundRange& found) {
  each_range(ask(PG_RANGES " AND job = ANY($2::bigint[])", {ns_, array_of(jobs)}), found);
}

void Rows::key(const std::string& key, const FoundKey& found) {
  each_key(ask(PG_KEYS " AND key = $2", {ns_, key}), found);
}

void Rows::keys_of(const Incarnation& owner, const FoundKey& found) {
  each_key(ask(PG_KEYS " AND incarnation = $2::uuid AND state = 'running'", {ns_, text_of(owner)}),
           found);
}

void Rows::ended_keys(Time now, const FoundKey& found) {
  each_key(ask(PG_KEYS " AND expires <= $2::bigint AND state IN ('done', 'failed')",
               {ns_, text_of(now)}),
           found);
}

std::optional<std::uint64_t> Rows::sequence(const embedded::LaneId& lane) {
  if (lane.first != asker_) throw Unknown{};
  const auto known = sequences_.find(lane);
  return known == sequences_.end() ? std::nullopt : std::optional(known->second);
}

embedded::Lane Rows::lane(const embedded::LaneId& id) {
  embedded::Lane lane;
  const auto rows =
      ask("SELECT sequence, epoch, outcome_of, outcome FROM cronce.lanes WHERE ns = "
          "$1::integer AND incarnation = $2::uuid AND lane = $3::bigint",
          {ns_, text_of(id.first), text_of(id.second)});
  Reader in(rows);
  if (!in.row()) return lane;
  in.into(lane.sequence, lane.epoch, lane.last.sequence);
  lane.last.outcome = decoded(decode_outcome(in.next<std::string>()));
  return lane;
}

JobPast Rows::past(JobUid job) {
  const std::vector<Value> values{ns_, text_of(job)};
  const auto rows = ask_all(
      {{"SELECT since, until, revision, definition FROM cronce.former WHERE ns = $1::integer AND "
        "job = $2::bigint ORDER BY n",
        values},
       {"SELECT at, what, again, until, who, why, run, space, slot, request, attempt FROM "
        "cronce.interventions WHERE ns = $1::integer AND job = $2::bigint ORDER BY n",
        values}});
  JobPast past;
  for (Reader in(rows[0]); in.row();) {
    Time since{}, until{};
    std::uint64_t revision = 0;
    in.into(since, until, revision);
    past.definitions.push_back(
        {since, until, revision, decoded(decode_job(in.next<std::string>()))});
  }
  for (Reader in(rows[1]); in.row();) {
    Intervention& one = past.interventions.emplace_back();
    RunId run;
    in.into(one.at, one.what, one.again, one.until, one.by.who, one.by.why, run.job, run.space,
            run.slot, run.request, run.attempt);
    if (run.job != JobUid{}) one.run = std::move(run);
  }
  return past;
}

#undef PG_WHOLE_RUN
#undef PG_TOUCHED_SINCE
#undef PG_THESE_JOBS
#undef PG_KNOWS_SINCE
#undef PG_NODES
#undef PG_RANGES
#undef PG_KEYS

}  // namespace cronce::postgres
