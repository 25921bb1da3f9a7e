// A transaction from its first statement to its last: alone from its beginning, or compared at its
// end.
#include <array>
#include <utility>

#include "store/embedded/trail.h"
#include "store/postgres/batch.h"
#include "store/postgres/run_columns.h"

namespace cronce::postgres {
namespace {

constexpr const char* kBegin = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
constexpr const char* kTurn = "SELECT * FROM cronce.begin_turn($1, $2::boolean, $3::bigint)";
constexpr const char* kLanesOf =
    "SELECT lane, sequence FROM cronce.lanes WHERE ns = (SELECT ns FROM cronce.stores WHERE "
    "namespace = $1) AND incarnation = $2::uuid";

// $1 namespace, $2 those that were not read, $3 position
constexpr const char* kUnread = PG_LIVE(
    "(SELECT $1::integer AS ns, unnest($2::bigint[]) AS uid UNION SELECT ns, unnest(jobs) "
    "FROM cronce.writes WHERE ns = $1::integer AND position > $3::bigint OFFSET 0) AS v "
    "JOIN cronce.jobs j USING (ns, uid)");

constexpr const char* kTurnIf =
    "SELECT * FROM cronce.begin_turn($1, true, $2::bigint, true, $3::integer, $4::uuid, "
    "$5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint, $12, "
    "$13::boolean, $14::bigint[], $15::uuid, $16::bigint, $17::bigint, $18::bigint)";
// By cronce.expect(), or by what the server's defaults made of a transaction that nobody began:
// one that may not write, or must not wait.
constexpr std::array<std::string_view, 3> kNotAsExpected{"CR001", "25006", "40001"};

// No limit of the server counts while it waits for the rest of a batch. Its client, if it were
// well, would have given up by now.
constexpr const char* kEndSilent =
    "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l USING (pid) WHERE "
    "l.relation = 'cronce.stores'::regclass AND l.granted AND a.datname = current_database() AND "
    "a.usename = current_user AND a.state = 'active' AND a.wait_event = 'ClientRead' AND "
    "a.xact_start < clock_timestamp() - interval '4 seconds'";

}  // namespace

void Rows::create(const StoreId& id) {
  const Meta meta{id};
  ask("INSERT INTO cronce.stores (namespace, id, place, epoch, greatest, closed, position, trail, "
      "remembered, clock_word, accepted, changes, last_uid, last_key_fence) SELECT $1, "
      "$2::uuid, cronce.place(), $3::bigint, $4::bigint, false, 0, '', "
      "$5::bigint, 0, NULL, 0, 0, 0 ON CONFLICT (namespace) DO NOTHING",
      values_of(namespace_, id, meta.epoch, meta.greatest, meta.remembered));
}

void Rows::put_out_silent() { session_.run({{kEndSilent, {}}}); }

void Rows::begin(Use use, std::int64_t known, const std::set<JobUid>& unread,
                 const Incarnation& asker) {
  *batch_ = {};
  assumes_ = false;
  known_ = known;
  const bool writes = use == Use::write;
  const auto since = known == kEver ? std::nullopt : std::optional(known);
  std::vector<PostgresStatement> statements{
      {writes ? kBegin : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", {}},
      {kTurn, values_of(namespace_, writes, since)},
      {kLanesOf, {namespace_, text_of(asker)}}};
  if (since) {
    const std::vector<JobUid> those(unread.begin(), unread.end());
    statements.push_back({kUnread, values_of(*ns_, array_of(those), *since)});
  }
  auto rows = session_.run(statements);
  live_.reset();
  if (since) live_.emplace(std::move(rows[3]));
  if (writes) read_lanes(asker, rows[2]);
  read_turn(std::move(rows[1]));
}

void Rows::read_lanes(const Incarnation& asker, const PostgresRows& rows) {
  asker_ = asker;
  sequences_.clear();
  for (Reader in(rows); in.row();) {
    const auto lane = in.next<std::uint32_t>();
    sequences_[{asker, lane}] = in.next<std::uint64_t>();
  }
}

void Rows::read_turn(PostgresRows&& rows) {
  turn_.emplace(std::move(rows));
  Reader in(*turn_, kStoreTold);
  if (!in.row()) {
    throw StoreError{{Code::corrupt, "the namespace '" + namespace_ + "' is gone from the server"}};
  }
  std::optional<std::string> place;
  ns_ = in.next<std::string>();
  in.into(meta_.id, stored_place_, meta_.epoch, meta_.greatest, meta_.closed, meta_.position,
          meta_.trail, meta_.remembered, meta_.clock_word);
  in.row();
  in.into(meta_.clock_word_at, meta_.accepted, meta_.changes, meta_.last_uid, meta_.last_key_fence,
          asked_at_, now_, place, is_plain_);
  if (!place) {
    throw StoreError{{Code::unavailable, "the server is a standby: nothing can be decided there"}};
  }
  place_ = *std::move(place);
  meta_.is_here = place_ == stored_place_;
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
      {kTurnIf, values_of(namespace_, known.position, *ns_, known.id, known.epoch, known.greatest,
                          known.remembered, known.clock_word, known.accepted, known.last_uid,
                          known.last_key_fence, embedded::last_word(known.trail), compared.alone,
                          array_of(batch_->others_of(compared.jobs)), asker_, lane.second,
                          before == sequences_.end() ? 0 : before->second, judged)},
      batch_->after_others(*ns_, known)};
  if (!is_plain_) {
    statements.insert(statements.begin(), {kBegin, {}});
    statements.push_back({"COMMIT", {}});
  }
  auto rows = session_.run_unless(kNotAsExpected, statements);
  if (!rows) {
    if (!is_plain_) session_.run({{"ROLLBACK", {}}});  // what we began did not end
    return std::nullopt;
  }
  read_turn(std::move((*rows)[is_plain_ ? 0 : 1]));
  sequences_[lane] = sequence;
  assumes_ = false;
  return meta_;
}

}  // namespace cronce::postgres
