// A transaction from its first statement to its last: alone from its beginning, or compared at its
// end.
#include <array>
#include <utility>

#include "store/embedded/trail.h"
#include "store/postgres/batch.h"
#include "store/postgres/shapes.h"

namespace cronce::postgres {
namespace {

// $2: the position that is known. The word of the write that led there comes before the last one.
#define PG_META                                                                                \
  "SELECT ns, id, place, epoch, greatest, closed, position, coalesce((SELECT word FROM "       \
  "cronce.writes w WHERE w.ns = s.ns AND w.position = $2::bigint), '') || trail, remembered, " \
  "clock_word, clock_word_at, accepted, changes, last_uid, last_key_fence FROM cronce.stores " \
  "s WHERE namespace = $1"
constexpr const char* kMeta = PG_META;
constexpr const char* kMetaToWrite = PG_META " FOR UPDATE OF s";

// Which server this is, and how often it has been promoted.
#define PG_PLACE                                                         \
  "(SELECT system_identifier::text FROM pg_control_system()) || '.' || " \
  "left(pg_walfile_name(pg_current_wal_lsn()), 8)"

// After the wait for the row above. Of a standby nobody can say what comes.
constexpr const char* kHere =
    "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, "
    "CASE WHEN pg_is_in_recovery() THEN NULL ELSE " PG_PLACE " END";

// A claim counts when it is on the disk, whatever the database's default says, and that the server
// did not wait for its standby must be heard; who holds the namespace and says no more, or hears no
// more, must not hold it for long. None of it outlives the transaction. The clock as it is before
// any wait comes along.
#define PG_SETTINGS                                                                              \
  "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, "                         \
  "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN " \
  "'on' ELSE current_setting('synchronous_commit') END, true), "                                 \
  "set_config('client_min_messages', 'warning', true), "                                         \
  "set_config('idle_in_transaction_session_timeout', '3s', true), "                              \
  "set_config('tcp_user_timeout', '3s', true), set_config('tcp_keepalives_idle', '2', true), "   \
  "set_config('tcp_keepalives_interval', '1', true), set_config('tcp_keepalives_count', '2', "   \
  "true)"
constexpr const char* kSettings = PG_SETTINGS;

// Who writes looks each row up by its key, whatever the statistics say: what a write costs does not
// depend on how long the ledger is. Plain scans of an index also clear it of what has ended.
constexpr const char* kSettingsToWrite = PG_SETTINGS
    ", set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), "
    "set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), "
    "set_config('jit', 'off', true)";

constexpr const char* kLanesOf =
    "SELECT lane, sequence FROM cronce.lanes WHERE ns = (SELECT ns FROM cronce.stores WHERE "
    "namespace = $1) AND incarnation = $2::uuid";

// What was judged by is what there is: the same history of the same store on the same server, none
// of the jobs it looked at written meanwhile, its asker alive, and nothing of its lane between.
// Jobs that it writes are compared as they are written.
constexpr const char* kCompare =
    "SELECT cronce.expect(EXISTS (SELECT FROM cronce.stores s WHERE s.ns = $1::integer AND s.id = "
    "$2::uuid AND s.place = " PG_PLACE
    " AND s.epoch = $3::bigint AND s.greatest = $4::bigint AND NOT s.closed AND s.remembered = "
    "$5::bigint AND s.clock_word = $6::bigint AND s.accepted IS NOT DISTINCT FROM $7::bigint AND "
    "s.last_uid = $8::bigint AND s.last_key_fence = $9::bigint AND ($10 = '' OR EXISTS (SELECT "
    "FROM cronce.writes "
    "WHERE ns = $1::integer AND position = $12::bigint AND word = $10)) AND "
    "(NOT $11::boolean OR s.position = $12::bigint)) AND NOT EXISTS (SELECT FROM " PG_EACH_JOB(13)
    " JOIN cronce.jobs USING (ns, uid) WHERE changed > $12::bigint) AND EXISTS (SELECT "
    "FROM cronce.nodes WHERE ns = $1::integer AND incarnation = $14::uuid AND NOT ended) AND "
    "coalesce((SELECT sequence FROM cronce.lanes WHERE ns = $1::integer AND incarnation = "
    "$14::uuid AND lane = $15::bigint), 0) = $16::bigint AND ($17::bigint IS NULL OR $17::bigint > "
    "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3000))";
constexpr std::string_view kNotAsExpected = "CR001";

// No limit of the server counts while it waits for the rest of a batch. Its client, if it were
// well, would have given up by now.
constexpr const char* kEndSilent =
    "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l USING (pid) WHERE "
    "l.relation = 'cronce.stores'::regclass AND l.granted AND a.datname = current_database() AND "
    "a.usename = current_user AND a.state = 'active' AND a.wait_event = 'ClientRead' AND "
    "a.xact_start < clock_timestamp() - interval '4 seconds'";

Time time_of(const PostgresRows& rows) {
  Reader in(rows);
  in.row();
  return in.next<Time>();
}

}  // namespace

void Rows::create(const StoreId& id) {
  const Meta meta{id};
  ask("INSERT INTO cronce.stores (namespace, id, place, epoch, greatest, closed, position, trail, "
      "remembered, clock_word, accepted, changes, last_uid, last_key_fence) SELECT $1, "
      "$2::uuid, " PG_PLACE
      ", $3::bigint, $4::bigint, false, 0, '', "
      "$5::bigint, 0, NULL, 0, 0, 0 ON CONFLICT (namespace) DO NOTHING",
      values_of(namespace_, id, meta.epoch, meta.greatest, meta.remembered));
}

void Rows::put_out_silent() { session_.run({{kEndSilent, {}}}); }

void Rows::begin(Use use, std::int64_t known, const Incarnation& asker) {
  *batch_ = {};
  assumes_ = false;
  known_ = known;
  const bool writes = use == Use::write;
  std::vector<PostgresStatement> statements{
      {writes ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
              : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
       {}},
      {writes ? kSettingsToWrite : kSettings, {}},
      {writes ? kMetaToWrite : kMeta, values_of(namespace_, known)},
      {kHere, {}},
      {kLanesOf, {namespace_, text_of(asker)}}};
  if (ns_ && known != kEver) {
    add_since(statements);
  }
  auto rows = session_.run(statements);
  asked_at_ = time_of(rows[1]);
  read_meta(rows[2]);
  read_here(rows[3]);
  if (writes) read_lanes(asker, rows[4]);
  since_.assign(std::make_move_iterator(rows.begin() + 5), std::make_move_iterator(rows.end()));
}

void Rows::read_lanes(const Incarnation& asker, const PostgresRows& rows) {
  asker_ = asker;
  sequences_.clear();
  for (Reader in(rows); in.row();) {
    const auto lane = in.next<std::uint32_t>();
    sequences_[{asker, lane}] = in.next<std::uint64_t>();
  }
}

void Rows::read_here(const PostgresRows& rows) {
  Reader in(rows);
  in.row();
  std::optional<std::string> place;
  in.into(now_, place);
  if (!place) {
    throw StoreError{{Code::unavailable, "the server is a standby: nothing can be decided there"}};
  }
  place_ = *std::move(place);
  meta_.is_here = place_ == stored_place_;
}

void Rows::read_meta(const PostgresRows& rows) {
  Reader in(rows);
  if (!in.row()) {
    throw StoreError{{Code::corrupt, "the namespace '" + namespace_ + "' is gone from the server"}};
  }
  ns_ = in.next<std::string>();
  in.into(meta_.id, stored_place_, meta_.epoch, meta_.greatest, meta_.closed, meta_.position,
          meta_.trail, meta_.remembered, meta_.clock_word, meta_.clock_word_at, meta_.accepted,
          meta_.changes, meta_.last_uid, meta_.last_key_fence);
}

void Rows::add_since(std::vector<PostgresStatement>& statements) const {
  for (const char* sql : since_sql()) statements.push_back({sql, {ns_, text_of(known_)}});
}

void Rows::end() {
  std::vector<PostgresStatement> statements;
  if (!batch_->meta.empty()) {  // a copy that comes later, outside of its transaction, is nothing
    statements.push_back(
        {"SELECT cronce.expect((SELECT position FROM cronce.stores WHERE ns = "
         "$1::integer FOR UPDATE) = $2::bigint)",
         {ns_, text_of(meta_.position)}});
  }
  batch_->add_to(statements, *ns_);
  statements.push_back({"COMMIT", {}});
  session_.run(statements);
  for (const auto& [lane, sequence] : batch_->sequences) sequences_[lane] = sequence;
}

void Rows::assume(const Incarnation& asker) {
  *batch_ = {};
  if (asker != asker_) throw Unknown{};
  assumes_ = true;
}

std::optional<Meta> Rows::end_if(const embedded::Compared& compared, std::optional<Time> judged) {
  const Meta& known = compared.known;
  CHECK(batch_->sequences.size() == 1);  // every write is one of a lane
  const auto& [lane, sequence] = *batch_->sequences.begin();
  const auto before = sequences_.find(lane);
  known_ = static_cast<std::int64_t>(known.position);
  std::vector<PostgresStatement> statements{
      {"SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE", {}}, {kSettingsToWrite, {}}};
  if (judged) statements.push_back({"SELECT cronce.await($1::bigint)", {text_of(*judged)}});
  const std::size_t first = statements.size();
  statements.push_back({kMetaToWrite, values_of(namespace_, known.position)});
  statements.push_back({kHere, {}});
  statements.push_back(
      {kCompare, values_of(*ns_, known.id, known.epoch, known.greatest, known.remembered,
                           known.clock_word, known.accepted, known.last_uid, known.last_key_fence,
                           embedded::last_word(known.trail), compared.alone, known.position,
                           array_of(batch_->others_of(compared.jobs)), asker_, lane.second,
                           before == sequences_.end() ? 0 : before->second, judged)});
  add_since(statements);
  batch_->add_after_others(statements, *ns_, known);
  auto rows = session_.run_unless(kNotAsExpected, statements);
  if (!rows) return std::nullopt;
  asked_at_ = time_of((*rows)[1]);
  read_meta((*rows)[first]);
  read_here((*rows)[first + 1]);
  const auto since = rows->begin() + static_cast<std::ptrdiff_t>(first) + 3;
  since_.assign(std::make_move_iterator(since),
                std::make_move_iterator(since + static_cast<std::ptrdiff_t>(since_sql().size())));
  sequences_[lane] = sequence;
  assumes_ = false;
  return meta_;
}

#undef PG_META
#undef PG_SETTINGS
#undef PG_PLACE

}  // namespace cronce::postgres
