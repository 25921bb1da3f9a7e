// Writing rows: collected, and sent at the end.
#include <utility>

#include "model/codec.h"
#include "store/embedded/trail.h"
#include "store/postgres/batch.h"

namespace cronce::postgres {
namespace {

void add_run(Columns& to, const StoredRun& row) {
  const Run& run = row.run;
  to.add(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.kind, run.state,
         run.reason, run.key, run.due, run.fence, run.incarnation, run.node, run.claimed_at,
         run.started_at, run.finished_at, run.exit_code, row.group, row.stop, row.deferred,
         row.confirmed, run.decided.by, run.decided.at, run.decided.revision, encode_env(*run.env),
         Bytes{run.progress}, Bytes{run.output_tail});
}

/// As an array of cronce.run_id.
std::string ids_of(const std::vector<RunId>& runs) {
  std::vector<std::string> ids;
  for (const RunId& run : runs) {
    std::string& id = ids.emplace_back("(");
    append(id, run.space);
    append(id, run.slot);
    append(id, run.request);
    append(id, run.attempt);
    id += ')';
  }
  return array_of(ids);
}

}  // namespace

void Rows::update(const Meta& meta) {
  batch_->meta = values_of(meta.is_here ? place_ : stored_place_, meta.epoch, meta.greatest,
                           meta.closed, meta.position, embedded::last_word(meta.trail),
                           meta.remembered, meta.clock_word, meta.clock_word_at, meta.accepted,
                           meta.changes, meta.last_uid, meta.last_key_fence);
  batch_->counted = meta;
}

void Rows::write(const embedded::NodeRow& row, std::uint64_t position) {
  batch_->nodes.add(row.node->incarnation, row.node->name, encode(*row.node), row.ended,
                    row.ended_at, row.remembered, position);
}

void Rows::write(const std::string& source, const embedded::SourceRow& row,
                 std::uint64_t position) {
  batch_->sources.add(source, row.digest, row.generation, row.numbered, position);
  for (const std::string& digest : row.seen) batch_->digests.add(source, digest);
}

void Rows::write(const JobRow& row, const std::vector<RunId>& open, std::uint64_t changes,
                 std::uint64_t position) {
  batch_->jobs.add(row.uid, row.plan.turn, row.plan.cursor, row.plan.next, row.plan.label,
                   row.pointed_by->version, row.pointed_by->zone_data, *row.moved_by,
                   row.fence_count, row.runs_started, row.busy_until, row.floor, row.purged,
                   row.succeeded > kMinTime ? std::optional(row.succeeded) : std::nullopt,
                   ids_of(open), changes, position);
  batch_->touched.push_back(row.uid);
}

void Rows::write_definition(const JobRow& row) {
  const Pause pause = row.pause ? *row.pause : Pause{};
  batch_->definitions.add(row.uid, row.definition->name.text(), encode(*row.definition),
                          row.revision, row.whole, *row.member, row.pause.has_value(), pause.until,
                          pause.note, row.only_exec, row.since);
  batch_->no_sources.add(row.uid);
  for (const auto& [source, digest] : *row.sources) {
    batch_->job_sources.add(row.uid, source, digest);
  }
}

void Rows::insert(const StoredRun& row) { add_run(batch_->new_runs, row); }

void Rows::update(const StoredRun& row) {
  const Run& run = row.run;
  if (!assumes_) return add_run(batch_->runs, row);
  batch_->moved_runs.add(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt,
                         run.state, run.reason, run.fence, run.incarnation, run.node,
                         run.claimed_at, run.started_at, run.finished_at, run.exit_code, row.group,
                         row.stop, row.deferred, row.confirmed, Bytes{run.progress},
                         Bytes{run.output_tail});
}

void Rows::remove(const RunId& run) {
  batch_->no_runs.add(run.job, run.space, run.slot, run.request, run.attempt);
}

void Rows::write(JobUid job, Time from, const embedded::RangeRow& row) {
  batch_->ranges.add(job, from, row.to, row.count, row.reason, row.decided.by, row.decided.at,
                     row.decided.revision);
}

void Rows::remove_range(JobUid job, Time from) { batch_->no_ranges.add(job, from); }

void Rows::write(const std::string& key, const embedded::KeyRow& row) {
  batch_->keys.add(key, row.state, row.fence, row.incarnation, row.owner, Bytes{row.result},
                   row.expires);
}

void Rows::remove_key(const std::string& key) { batch_->no_keys.add(key); }

void Rows::write(const embedded::LaneId& id, const embedded::Lane& lane) {
  batch_->lanes.add(id.first, id.second, lane.sequence, lane.epoch, lane.last.sequence,
                    encode(lane.last.outcome));
  batch_->sequences[id] = lane.sequence;
}

void Rows::add(JobUid job, const JobPast& past) {
  for (const FormerDefinition& one : past.definitions) {
    batch_->former.add(job, one.since, one.until, one.revision, encode(*one.definition));
  }
  for (const Intervention& one : past.interventions) {
    const RunId run = one.run.value_or(RunId{});
    batch_->interventions.add(job, one.at, one.what, one.again, one.until, one.by.who, one.by.why,
                              run.job, run.space, run.slot, run.request, run.attempt);
  }
}

void Rows::remove_past(JobUid job, Time before) { batch_->no_past.add(job, before); }

}  // namespace cronce::postgres
