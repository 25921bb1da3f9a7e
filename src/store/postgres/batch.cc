#include "store/postgres/batch.h"

#include <algorithm>
#include <array>
#include <iterator>
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

/// Of each job what ended before its time.
PostgresStatement remove_ended(std::string_view table, std::string_view ended, Columns rows,
                               const std::string& ns) {
  constexpr std::array kBefore{Column{"job", "bigint"}, Column{"before", "bigint"}};
  std::string sql = fmt::format(
      "DELETE FROM cronce.{} AS t USING {} WHERE t.ns = v.ns AND t.job = v.job AND t.{} < v.before",
      table, given_rows(2, kBefore, rows), ended);
  return {std::move(sql), rows.take_after({ns})};
}

/// None of them may have been written after $2, the position that is known. Theirs and the number
/// of changes ($3) go on from what they are by now.
PostgresStatement update_jobs_as_known(Columns& rows, const std::string& ns, const Meta& known) {
  const std::span all(kJobs.columns);
  std::string set;
  for (const Column& column : all.subspan(1, all.size() - 3)) {
    set += fmt::format("{0} = v.{0}, ", column.name);
  }
  std::string sql = fmt::format(
      "WITH written AS (UPDATE cronce.jobs AS t SET {}changes = CASE WHEN v.changes > $3::bigint "
      "THEN v.changes - $3::bigint + (SELECT changes FROM cronce.stores WHERE ns = $1::integer) "
      "ELSE v.changes END, changed = v.changed - $2::bigint + (SELECT position FROM cronce.stores "
      "WHERE ns = $1::integer) FROM {} WHERE t.ns = v.ns AND t.uid = v.uid AND t.changed <= "
      "$2::bigint RETURNING true) SELECT cronce.expect(count(*) = $4::bigint) FROM written",
      set, given_rows(5, all, rows));
  const std::uint64_t count = rows.size();
  return {std::move(sql), rows.take_after(values_of(ns, known.position, known.changes, count))};
}

}  // namespace

void Rows::Batch::add_to(std::vector<PostgresStatement>& statements, const std::string& ns) {
  const auto add = [&](auto how, const TableShape& shape, Columns& rows) {
    if (!rows.empty()) statements.push_back((shape.*how)(rows, ns));
  };
  add(&TableShape::remove, kRuns, no_runs);
  add(&TableShape::remove, kRanges, no_ranges);
  add(&TableShape::remove, kKeys, no_keys);
  add(&TableShape::remove, kJobSources, no_sources);
  if (!no_past.empty()) {
    statements.push_back(remove_ended("former", "until", no_past, ns));
    statements.push_back(remove_ended("interventions", "at", std::exchange(no_past, {}), ns));
  }
  add(&TableShape::upsert, kNodes, nodes);
  add(&TableShape::upsert, kSources, sources);
  add(&TableShape::upsert, kDigests, digests);
  add(&TableShape::upsert, kJobs, jobs);
  add(&TableShape::upsert, kDefinitions, definitions);
  add(&TableShape::insert, kJobSources, job_sources);
  add(&TableShape::insert, kRuns, new_runs);
  add(&TableShape::update, kRuns, runs);
  add(&TableShape::upsert, kRanges, ranges);
  add(&TableShape::upsert, kKeys, keys);
  add(&TableShape::insert, kFormer, former);
  add(&TableShape::insert, kInterventions, interventions);
  add(&TableShape::upsert, kLanes, lanes);
  if (meta.empty()) return;
  meta.insert(meta.begin(), ns);
  statements.push_back({kUpdateMeta, std::exchange(meta, {})});
  note_write(statements, ns);
}

void Rows::Batch::note_write(std::vector<PostgresStatement>& statements, const std::string& ns) {
  statements.push_back({kNoteWrite, values_of(ns, array_of(touched))});
  if (counted.position % 64 == 0) statements.push_back({kForgetWrites, {ns}});  // now and then
}

std::vector<JobUid> Rows::Batch::others_of(const std::vector<JobUid>& compared) const {
  std::vector<JobUid> others;
  std::set_difference(compared.begin(), compared.end(), touched.begin(), touched.end(),
                      std::back_inserter(others));
  return others;
}

void Rows::Batch::add_after_others(std::vector<PostgresStatement>& statements,
                                   const std::string& ns, const Meta& known) {
  for (const Columns* others :
       {&runs, &no_runs, &no_ranges, &no_keys, &no_sources, &no_past, &nodes, &sources, &digests,
        &definitions, &job_sources, &keys, &former, &interventions}) {
    CHECK(others->empty());  // these are not compared
  }
  if (!jobs.empty()) statements.push_back(update_jobs_as_known(jobs, ns, known));
  if (!new_runs.empty()) statements.push_back(kRuns.insert(new_runs, ns));
  if (!moved_runs.empty()) statements.push_back(kMovedRuns.update(moved_runs, ns));
  if (!ranges.empty()) statements.push_back(kRanges.upsert(ranges, ns));
  statements.push_back(kLanes.upsert(lanes, ns));
  statements.push_back(
      {"UPDATE cronce.stores SET position = position + $2::bigint, changes = "
       "changes + $3::bigint, trail = $4 WHERE ns = $1::integer",
       values_of(ns, counted.position - known.position, counted.changes - known.changes,
                 embedded::last_word(counted.trail))});
  note_write(statements, ns);
}

}  // namespace cronce::postgres
