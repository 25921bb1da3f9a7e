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
std::string remove_ended(std::string_view table, std::string_view ended, Columns rows,
                         std::vector<Value>& values) {
  constexpr std::array kBefore{Column{"job", "bigint"}, Column{"before", "bigint"}};
  return fmt::format(
      "DELETE FROM cronce.{} AS t USING {} WHERE t.ns = v.ns AND t.job = v.job AND t.{} < v.before",
      table, given_rows(kBefore, rows, values), ended);
}

/// Those that were not written after the position that is known. Theirs and the number of changes
/// go on from what they are by now.
std::string update_jobs_as_known(Columns& rows, const Meta& known, std::vector<Value>& values) {
  const std::span all(kJobs.columns);
  std::string set;
  for (const Column& column : all.subspan(1, all.size() - 3)) {
    set += fmt::format("{0} = v.{0}, ", column.name);
  }
  const std::size_t position = values.size() + 1;
  values.push_back(text_of(known.position));
  values.push_back(text_of(known.changes));
  return fmt::format(
      "UPDATE cronce.jobs AS t SET {0}changes = CASE WHEN v.changes > ${2}::bigint THEN v.changes "
      "- ${2}::bigint + (SELECT changes FROM cronce.stores WHERE ns = $1::integer) ELSE v.changes "
      "END, changed = v.changed - ${1}::bigint + (SELECT position FROM cronce.stores WHERE ns = "
      "$1::integer) FROM {3} WHERE t.ns = v.ns AND t.uid = v.uid AND t.changed <= ${1}::bigint "
      "RETURNING true",
      set, position, position + 1, given_rows(all, rows, values));
}

}  // namespace

void Rows::Batch::add_to(std::vector<PostgresStatement>& statements, const std::string& ns) {
  const auto add_sql = [&](const auto& sql_of) {
    std::vector<Value> values{ns};
    std::string sql = sql_of(values);
    statements.push_back({std::move(sql), std::move(values)});
  };
  const auto add = [&](auto how, const TableShape& shape, Columns& rows) {
    if (!rows.empty()) add_sql([&](auto& values) { return (shape.*how)(rows, values); });
  };
  add(&TableShape::remove, kRuns, no_runs);
  add(&TableShape::remove, kRanges, no_ranges);
  add(&TableShape::remove, kKeys, no_keys);
  add(&TableShape::remove, kJobSources, no_sources);
  if (!no_past.empty()) {
    add_sql([&](auto& values) { return remove_ended("former", "until", no_past, values); });
    add_sql([&](auto& values) {
      return remove_ended("interventions", "at", std::exchange(no_past, {}), values);
    });
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
  statements.push_back({kNoteWrite, values_of(ns, array_of(touched))});
  if (forgets()) statements.push_back({kForgetWrites, {ns}});
}

std::vector<JobUid> Rows::Batch::others_of(const std::vector<JobUid>& compared) const {
  std::vector<JobUid> others;
  std::set_difference(compared.begin(), compared.end(), touched.begin(), touched.end(),
                      std::back_inserter(others));
  return others;
}

PostgresStatement Rows::Batch::after_others(const std::string& ns, const Meta& known) {
  for (const Columns* others :
       {&runs, &no_runs, &no_ranges, &no_keys, &no_sources, &no_past, &nodes, &sources, &digests,
        &definitions, &job_sources, &keys, &former, &interventions}) {
    CHECK(others->empty());  // these are not compared
  }
  std::vector<Value> values =
      values_of(ns, counted.position - known.position, counted.changes - known.changes,
                embedded::last_word(counted.trail), array_of(touched));
  // Each part sees what was there before all of them.
  std::string sql =
      "WITH counted AS (UPDATE cronce.stores SET position = position + $2::bigint, changes = "
      "changes + $3::bigint, trail = $4 WHERE ns = $1::integer RETURNING ns, position, trail)";
  const auto add = [&](std::string_view name, const std::string& part) {
    sql += fmt::format(", {} AS ({})", name, part);
  };
  add("lane", kLanes.upsert(lanes, values));
  if (!new_runs.empty()) add("new_runs", kRuns.insert(new_runs, values));
  if (!moved_runs.empty()) add("moved_runs", kMovedRuns.update(moved_runs, values));
  if (!ranges.empty()) add("new_ranges", kRanges.upsert(ranges, values));
  if (forgets()) add("forgotten", kForgetWrites);
  const std::size_t count = jobs.size();
  if (count > 0) add("written", update_jobs_as_known(jobs, known, values));
  sql +=
      " INSERT INTO cronce.writes (ns, position, word, jobs) SELECT ns, position, trail, "
      "$5::bigint[] FROM counted";
  if (count > 0) {
    values.push_back(text_of(count));
    sql += fmt::format(" RETURNING cronce.expect((SELECT count(*) FROM written) = ${}::bigint)",
                       values.size());
  }
  return {std::move(sql), std::move(values)};
}

}  // namespace cronce::postgres
