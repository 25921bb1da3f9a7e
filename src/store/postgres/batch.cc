#include "store/postgres/batch.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "store/embedded/trail.h"
#include "store/postgres/shapes.h"

namespace cronce::postgres {
namespace {

constexpr const char* kUpdateMeta =
    "UPDATE cronce.stores SET place = $2, epoch = $3::bigint, greatest = $4::bigint, "
    "closed = $5::boolean, position = $6::bigint, trail = $7, remembered = $8::bigint, "
    "clock_word = $9::bigint, clock_word_at = $10::bigint, accepted = $11::bigint, "
    "changes = $12::bigint, last_uid = $13::bigint, last_key_fence = $14::bigint WHERE ns = "
    "$1::integer";

// The last thing of a write: which one it was, and whose jobs.
constexpr const char* kNoteWrite =
    "INSERT INTO cronce.writes (ns, position, word, jobs) SELECT ns, position, trail, "
    "$2::bigint[] FROM cronce.stores WHERE ns = $1::integer";
// Who has not been here for so many writes reads everything anew.
constexpr const char* kForgetWrites =
    "DELETE FROM cronce.writes WHERE ns = $1::integer AND position < (SELECT position FROM "
    "cronce.stores WHERE ns = $1::integer) - 1000";

constexpr const char* kRemoveFormer =
    "DELETE FROM cronce.former AS t USING unnest($2::bigint[], $3::bigint[]) AS v(job, before) "
    "WHERE t.ns = $1::integer AND t.job = v.job AND t.until < v.before";
constexpr const char* kRemoveInterventions =
    "DELETE FROM cronce.interventions AS t USING unnest($2::bigint[], $3::bigint[]) AS "
    "v(job, before) WHERE t.ns = $1::integer AND t.job = v.job AND t.at < v.before";

/// $2 and $3 are the position and the changes that the given ones were counted from.
std::string update_jobs_after_others() {
  const std::span all(kJobs.columns);
  std::string set;
  for (const Column& column : all.subspan(1, all.size() - 3)) {
    set += fmt::format("{0} = v.{0}, ", column.name);
  }
  return fmt::format(
      "UPDATE cronce.jobs AS t SET {}changes = CASE WHEN v.changes > $3::bigint THEN v.changes - "
      "$3::bigint + s.changes ELSE v.changes END, changed = v.changed - $2::bigint + s.position "
      "FROM {}, cronce.stores AS s WHERE t.ns = $1::integer AND s.ns = $1::integer AND t.uid = "
      "v.uid AND t.changed <= $2::bigint",
      set, arrays_from(4, all));
}

}  // namespace

void Rows::Batch::add_to(std::vector<PostgresStatement>& statements, const std::string& ns) {
  static const std::string remove_runs = kRuns.remove(), remove_ranges = kRanges.remove(),
                           remove_keys = kKeys.remove(), remove_sources = kJobSources.remove(),
                           write_nodes = kNodes.upsert(), write_lanes = kLanes.upsert(),
                           write_sources = kSources.upsert(), write_digests = kDigests.upsert(),
                           write_jobs = kJobs.upsert(), write_definitions = kDefinitions.upsert(),
                           write_job_sources = kJobSources.insert(), insert_runs = kRuns.insert(),
                           update_runs = kRuns.update(), write_ranges = kRanges.upsert(),
                           write_keys = kKeys.upsert(), write_former = kFormer.insert(),
                           write_interventions = kInterventions.insert();
  const auto add = [&](std::string_view sql, Columns& columns) {
    if (!columns.empty()) statements.push_back({sql, columns.take_after({ns})});
  };
  add(remove_runs, no_runs);
  add(remove_ranges, no_ranges);
  add(remove_keys, no_keys);
  add(remove_sources, no_sources);
  if (!no_past.empty()) {
    Columns both = no_past;
    add(kRemoveFormer, both);
    add(kRemoveInterventions, no_past);
  }
  add(write_nodes, nodes);
  add(write_sources, sources);
  add(write_digests, digests);
  add(write_jobs, jobs);
  add(write_definitions, definitions);
  add(write_job_sources, job_sources);
  add(insert_runs, new_runs);
  add(update_runs, runs);
  add(write_ranges, ranges);
  add(write_keys, keys);
  add(write_former, former);
  add(write_interventions, interventions);
  add(write_lanes, lanes);
  if (meta.empty()) return;
  meta.insert(meta.begin(), ns);
  statements.push_back({kUpdateMeta, std::exchange(meta, {})});
  note_write(statements, ns);
}

void Rows::Batch::note_write(std::vector<PostgresStatement>& statements, const std::string& ns) {
  statements.push_back({kNoteWrite, values_of(ns, array_of(touched))});
  if (counted.position % 64 == 0) statements.push_back({kForgetWrites, {ns}});  // now and then
}

void Rows::Batch::add_after_others(std::vector<PostgresStatement>& statements,
                                   const std::string& ns, const Meta& known) {
  static const std::string insert_runs = kRuns.insert(), move_runs = kMovedRuns.update(),
                           write_ranges = kRanges.upsert(), write_lanes = kLanes.upsert(),
                           update_jobs = update_jobs_after_others();
  for (const Columns* others :
       {&runs, &no_runs, &no_ranges, &no_keys, &no_sources, &no_past, &nodes, &sources, &digests,
        &definitions, &job_sources, &keys, &former, &interventions}) {
    CHECK(others->empty());  // these are not compared
  }
  const auto add = [&](std::string_view sql, Columns& columns, std::vector<Value> first) {
    if (!columns.empty()) statements.push_back({sql, columns.take_after(std::move(first))});
  };
  add(update_jobs, jobs, values_of(ns, known.position, known.changes));
  add(insert_runs, new_runs, {ns});
  add(move_runs, moved_runs, {ns});
  add(write_ranges, ranges, {ns});
  add(write_lanes, lanes, {ns});
  statements.push_back(
      {"UPDATE cronce.stores SET position = position + $2::bigint, changes = "
       "changes + $3::bigint, trail = $4 WHERE ns = $1::integer",
       values_of(ns, counted.position - known.position, counted.changes - known.changes,
                 embedded::last_word(counted.trail))});
  note_write(statements, ns);
}

}  // namespace cronce::postgres
