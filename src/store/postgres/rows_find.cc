// What `query` asks of the ledger: rows by job, time and state, newest first.
#include <algorithm>
#include <limits>
#include <utility>

#include "model/codec.h"
#include "store/postgres/rows.h"
#include "store/postgres/run_columns.h"

namespace cronce::postgres {
namespace {

#define PG_TIME "CASE r.space WHEN 0 THEN r.slot ELSE r.due END"

// $1 namespace, $2 from, $3 to, $4 limit, $5 states, $6 last attempts only, $7 with output, $8 job
#define PG_FOUND                                                                            \
  "SELECT " PG_RUN                                                                          \
  ", encode(r.progress, 'hex'), CASE WHEN $7::boolean THEN encode(r.output_tail, 'hex') "   \
  "ELSE '' END FROM cronce.runs r WHERE ($5::text[] IS NULL OR r.state = ANY($5::text[])) " \
  "AND (NOT $6::boolean OR NOT EXISTS (SELECT FROM cronce.runs l WHERE l.ns = r.ns AND "    \
  "l.job = r.job AND l.space = r.space AND l.slot = r.slot AND l.request = r.request AND "  \
  "l.attempt > r.attempt)) AND "
#define NEWEST_FIRST                                                                       \
  " DESC, r.job DESC, r.space DESC, r.slot DESC, r.request COLLATE \"C\" DESC, r.attempt " \
  "DESC LIMIT $4::bigint"

// The rows of one job lie together in the order of their slots.
constexpr const char* kSlotsOfJob = PG_FOUND
    "r.ns = $1::integer AND r.job = $8::bigint AND r.space = 0 AND r.slot BETWEEN $2::bigint AND "
    "$3::bigint ORDER BY r.slot" NEWEST_FIRST;
constexpr const char* kOthersOfJob = PG_FOUND
    "r.ns = $1::integer AND r.job = $8::bigint AND r.space > 0 AND r.due BETWEEN $2::bigint AND "
    "$3::bigint ORDER BY r.due" NEWEST_FIRST;

// By the indexes runs_by_time and ranges_by_time, as they name the namespace.
constexpr const char* kOfAllJobs =
    PG_FOUND "r.ns::bigint = $1::bigint AND " PG_TIME
             " BETWEEN $2::bigint AND $3::bigint ORDER BY " PG_TIME NEWEST_FIRST;
constexpr const char* kRangesFound =
    "SELECT job, first, last, count, reason, decided_by, decided_at, revision FROM cronce.ranges "
    "WHERE ns::bigint = $1::bigint AND last >= $2::bigint AND first <= $3::bigint AND ($5::bigint "
    "IS NULL OR job = $5::bigint) ORDER BY last DESC, job DESC, first DESC LIMIT $4::bigint";

Value states_of(const RunFilter& filter) {
  if (filter.states.empty()) return std::nullopt;
  return array_of(filter.states);
}

bool wants_ranges(const RunFilter& filter) {
  const auto& states = filter.states;
  return states.empty() ||
         std::find(states.begin(), states.end(), RunState::skipped) != states.end();
}

void add_runs(const PostgresRows& rows, std::vector<Run>& found) {
  for (Reader in(rows); in.row();) {
    Run& run = found.emplace_back(std::move(read_run(in).run));
    run.progress = in.next<Bytes>().text;
    run.output_tail = in.next<Bytes>().text;
  }
}

void add_ranges(const PostgresRows& rows, std::vector<Run>& found) {
  for (Reader in(rows); in.row();) {
    const auto job = in.next<JobUid>();
    const auto from = in.next<Time>();
    embedded::RangeRow row;
    in.into(row.to, row.count, row.reason, row.decided.by, row.decided.at, row.decided.revision);
    found.push_back(embedded::row_of(job, from, row));
  }
}

}  // namespace

embedded::StoredRun read_run(Reader& in) {
  embedded::StoredRun found;
  Run& run = found.run;
  in.into(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.kind,
          run.state, run.reason, run.key, run.due, run.fence, run.incarnation, run.node,
          run.claimed_at, run.started_at, run.finished_at, run.exit_code, found.group, found.stop,
          found.deferred, found.confirmed, run.decided.by, run.decided.at, run.decided.revision);
  run.env = decoded(decode_env(in.next<std::string>()));
  return found;
}

std::vector<Run> Rows::find(const RunFilter& filter) {
  constexpr std::size_t kAll = std::numeric_limits<std::int64_t>::max();
  const Value limit = text_of(std::uint64_t{std::min(filter.limit, kAll)});
  std::vector<Value> values{ns_,
                            text_of(filter.from),
                            text_of(filter.to),
                            limit,
                            states_of(filter),
                            text_of(filter.last_attempts),
                            text_of(filter.output)};
  std::vector<PostgresStatement> statements;
  if (filter.job) {
    values.push_back(text_of(*filter.job));
    statements = {{kSlotsOfJob, values}, {kOthersOfJob, values}};
  } else {
    statements = {{kOfAllJobs, values}};
  }
  const std::size_t of_runs = statements.size();
  if (wants_ranges(filter)) {
    statements.push_back({kRangesFound,
                          {ns_, text_of(filter.from), text_of(filter.to), limit,
                           filter.job ? Value(text_of(*filter.job)) : std::nullopt}});
  }
  const auto rows = session_.run(statements);
  std::vector<Run> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < of_runs) {
      add_runs(rows[i], found);
    } else {
      add_ranges(rows[i], found);
    }
  }
  std::sort(found.begin(), found.end(), embedded::is_newer);
  if (found.size() > filter.limit) found.resize(filter.limit);
  return found;
}

#undef PG_TIME
#undef PG_FOUND
#undef NEWEST_FIRST

}  // namespace cronce::postgres
