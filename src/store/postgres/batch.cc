#include "store/postgres/batch.h"

#include <array>
#include <utility>

#include "store/postgres/shapes.h"

namespace cronce::postgres {
namespace {

constexpr const char* kUpdateMeta =
    "UPDATE cronce.stores SET place = $2, epoch = $3::bigint, greatest = $4::bigint, "
    "closed = $5::boolean, position = $6::bigint, trail = $7, remembered = $8::bigint, "
    "clock_word = $9::bigint, accepted = $10::bigint, changes = $11::bigint, "
    "last_uid = $12::bigint, last_key_fence = $13::bigint WHERE ns = $1::integer";

constexpr const char* kRemoveFormer =
    "DELETE FROM cronce.former AS t USING unnest($2::bigint[], $3::bigint[]) AS v(job, before) "
    "WHERE t.ns = $1::integer AND t.job = v.job AND t.until < v.before";
constexpr const char* kRemoveInterventions =
    "DELETE FROM cronce.interventions AS t USING unnest($2::bigint[], $3::bigint[]) AS "
    "v(job, before) WHERE t.ns = $1::integer AND t.job = v.job AND t.at < v.before";

}  // namespace

void Rows::Batch::add_to(std::vector<PostgresStatement>& statements, const Value& ns) {
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
  if (!meta.empty()) {
    meta.insert(meta.begin(), ns);
    statements.push_back({kUpdateMeta, std::exchange(meta, {})});
  }
}

}  // namespace cronce::postgres
