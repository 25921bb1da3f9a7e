// Writing rows.
#include "model/codec.h"
#include "store/sqlite/rows_sql.h"
#include "store/sqlite/schema.h"

namespace cronce::sqlite {
namespace {

/// `env` must live until the statement has run.
Statement& with_run(Statement& statement, const StoredRun& row, const std::string& env) {
  const Run& run = row.run;
  return statement.with(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt,
                        run.kind, run.state, run.reason, run.key, run.due, run.fence,
                        run.incarnation, run.node, run.claimed_at, run.started_at, run.finished_at,
                        run.exit_code, row.group, row.stop, row.deferred, row.confirmed,
                        run.decided.by, run.decided.at, run.decided.revision, env, run.progress,
                        run.output_tail);
}

}  // namespace

void Rows::insert(const Meta& meta) {
  const Schema& schema = our_schema();
  sql_->insert_meta
      .with(meta.id, std::uint64_t{schema.steps.size()}, schema.oldest_writer, actual_.device,
            actual_.inode, actual_.birth, actual_.machine, meta.epoch, meta.greatest, meta.closed,
            meta.position, meta.trail, meta.remembered, meta.clock_word, meta.clock_word_at,
            meta.accepted, meta.changes, meta.last_uid, meta.last_key_fence)
      .run();
}

void Rows::update(const Meta& meta) {
  const Place& place = meta.is_here ? actual_ : stored_;
  sql_->update_meta
      .with(place.device, place.inode, place.birth, place.machine, meta.epoch, meta.greatest,
            meta.closed, meta.position, meta.trail, meta.remembered, meta.clock_word,
            meta.clock_word_at, meta.accepted, meta.changes, meta.last_uid, meta.last_key_fence)
      .run();
}

void Rows::write(const embedded::NodeRow& row, std::uint64_t position) {
  const std::string text = encode(*row.node);
  sql_->write_node
      .with(row.node->incarnation, row.node->name, text, row.ended, row.ended_at, row.remembered,
            position)
      .run();
}

void Rows::write(const std::string& source, const embedded::SourceRow& row,
                 std::uint64_t position) {
  sql_->write_source.with(source, row.digest, row.generation, row.numbered, position).run();
  for (const std::string& digest : row.seen) sql_->write_digest.with(source, digest).run();
}

void Rows::write(const JobRow& row, const std::vector<RunId>& /*open*/, std::uint64_t changes,
                 std::uint64_t position) {
  sql_->write_job
      .with(row.uid, row.plan.turn, row.plan.cursor, row.plan.next, row.plan.label,
            row.pointed_by->version, row.pointed_by->zone_data, *row.moved_by, row.fence_count,
            row.runs_started, row.busy_until, row.floor, row.purged,
            row.succeeded > kMinTime ? std::optional(row.succeeded) : std::nullopt, changes,
            position)
      .run();
}

void Rows::write_definition(const JobRow& row) {
  const std::string text = encode(*row.definition);
  const Pause pause = row.pause ? *row.pause : Pause{};
  sql_->write_definition
      .with(row.uid, row.definition->name.text(), text, row.revision, row.whole, *row.member,
            row.pause.has_value(), pause.until, pause.note, row.only_exec, row.since)
      .run();
  sql_->clear_job_sources.with(row.uid).run();
  for (const auto& [source, digest] : *row.sources) {
    sql_->write_job_source.with(row.uid, source, digest).run();
  }
}

void Rows::insert(const StoredRun& row) {
  const std::string env = encode_env(*row.run.env);
  with_run(sql_->insert_run, row, env).run();
}

void Rows::update(const StoredRun& row) {
  const std::string env = encode_env(*row.run.env);
  with_run(sql_->update_run, row, env).run();
}

void Rows::remove(const RunId& run) {
  sql_->remove_run.with(run.job, run.space, run.slot, run.request, run.attempt).run();
}

void Rows::write(JobUid job, Time from, const embedded::RangeRow& row) {
  sql_->write_range
      .with(job, from, row.to, row.count, row.reason, row.decided.by, row.decided.at,
            row.decided.revision)
      .run();
}

void Rows::remove_range(JobUid job, Time from) { sql_->remove_range.with(job, from).run(); }

void Rows::write(const std::string& key, const embedded::KeyRow& row) {
  sql_->write_key
      .with(key, row.state, row.fence, row.incarnation, row.owner, row.result, row.expires)
      .run();
}

void Rows::remove_key(const std::string& key) { sql_->remove_key.with(key).run(); }

void Rows::write(const embedded::LaneId& id, const embedded::Lane& lane) {
  const std::string outcome = encode(lane.last.outcome);
  sql_->write_lane.with(id.first, id.second, lane.sequence, lane.epoch, lane.last.sequence, outcome)
      .run();
}

void Rows::add(JobUid job, const JobPast& past) {
  for (const FormerDefinition& one : past.definitions) {
    const std::string text = encode(*one.definition);
    sql_->write_former.with(job, one.since, one.until, one.revision, text).run();
  }
  for (const Intervention& one : past.interventions) {
    Statement& out = sql_->write_intervention;
    const RunId run = one.run.value_or(RunId{});
    out.with(job, one.at, one.what, one.again, one.until, one.by.who, one.by.why, run.job,
             run.space, run.slot, run.request, run.attempt)
        .run();
  }
}

void Rows::remove_past(JobUid job, Time before) {
  sql_->remove_former.with(job, before).run();
  sql_->remove_interventions.with(job, before).run();
}

}  // namespace cronce::sqlite
