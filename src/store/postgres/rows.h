// The rows of one namespace in the server. Knows every column.
//
// Everything happens between begin() and end() or drop(): what is read is read inside one
// transaction, and what is written is collected and sent with its end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/embedded/rows.h"
#include "store/postgres/session.h"
#include "store/store.h"

namespace cronce::postgres {

using embedded::Meta;
using embedded::StoredJob;
using embedded::StoredRun;

class Rows final : public embedded::Rows {
 public:
  Rows(Session& session, std::string name_space);
  ~Rows() override;

  /// A namespace that is not known yet begins to be.
  void create(const StoreId& id);

  /// Ends the connection of a client that holds the namespace in the middle of a batch, and says no
  /// more: a process that stands still. One round trip.
  void put_out_silent();

  enum class Use : std::uint8_t { read, write };
  /// The first round trip of a transaction: whoever writes is alone from here on. Brings along
  /// what has changed since that position, the live runs of such jobs and of others that were not
  /// read, and the asker's lanes: what a mirror asks for next.
  void begin(Use use, std::int64_t known, const std::set<JobUid>& unread, const Incarnation& asker);
  /// The last one: sends what was written, and commits.
  void end();
  /// As it was read by begin() or end_if(), after the wait for others.
  Time now() const { return now_; }
  /// Before it: when the request came.
  Time asked_at() const { return asked_at_; }

  // Instead of both: a transaction of one round trip.

  /// From here on only jobs can be read, without waiting for anybody: they are compared with the
  /// others. Who wants to know anything else gets Unknown thrown.
  void assume(const Incarnation& asker);
  struct Unknown {};
  /// Sends what was written, and commits it if what the step has looked at is as it was known and
  /// the time by which it was judged is the server's. Then it is what there was before; otherwise
  /// nothing has happened.
  std::optional<Meta> end_if(const embedded::Compared& compared, std::optional<Time> judged);

  Meta meta() override { return meta_; }
  void update(const Meta& meta) override;

  void living_nodes(const FoundNode& found) override;
  void nodes_since(std::int64_t position, const FoundNode& found) override;
  void nodes_named(const std::string& name, const FoundNode& found) override;
  void node(const Incarnation& incarnation, const FoundNode& found) override;
  void sources(std::int64_t position, const FoundSource& found) override;

  void jobs(const std::vector<JobUid>& uids,
            const std::function<void(StoredJob&&)>& found) override;
  std::vector<JobUid> jobs_named(const std::vector<std::string>& names) override;
  std::vector<JobUid> all_jobs() override;
  std::vector<JobUid> jobs_since(std::int64_t position) override;
  std::vector<JobUid> news(std::int64_t position, std::uint64_t changes) override;
  std::vector<JobUid> members(JobUid whole) override;
  std::vector<JobUid> jobs_of(const std::string& source) override;
  std::size_t count_jobs(const std::string& source, const std::string& digest) override;
  std::vector<JobUid> jobs_after(JobUid uid, std::int64_t limit) override;

  void live_runs(const FoundRun& found) override;
  void live_runs(const std::set<JobUid>& unread, const FoundRun& found) override;
  void attempts(const RunId& any_attempt, const FoundRun& found) override;
  void slots(JobUid job, Time from, Time to, const FoundRun& found) override;
  void history(const std::vector<JobUid>& jobs, const FoundRun& found) override;
  std::optional<Time> newest_slot(JobUid job) override;
  std::optional<Time> succeeded_before(JobUid job, Time slot) override;
  void range_before(JobUid job, Time slot, const FoundRange& found) override;
  void ranges(const std::vector<JobUid>& jobs, const FoundRange& found) override;
  void key(const std::string& key, const FoundKey& found) override;
  void keys_of(const Incarnation& owner, const FoundKey& found) override;
  void ended_keys(Time now, const FoundKey& found) override;
  std::optional<std::uint64_t> sequence(const embedded::LaneId& lane) override;
  embedded::Lane lane(const embedded::LaneId& lane) override;
  JobPast past(JobUid job) override;

  void write(const embedded::NodeRow& row, std::uint64_t position) override;
  void write(const std::string& source, const embedded::SourceRow& row,
             std::uint64_t position) override;
  void write(const JobRow& row, const std::vector<RunId>& open, std::uint64_t changes,
             std::uint64_t position) override;
  void write_definition(const JobRow& row) override;
  void insert(const StoredRun& row) override;
  void update(const StoredRun& row) override;
  void remove(const RunId& run) override;
  void write(JobUid job, Time from, const embedded::RangeRow& row) override;
  void remove_range(JobUid job, Time from) override;
  void write(const std::string& key, const embedded::KeyRow& row) override;
  void remove_key(const std::string& key) override;
  void write(const embedded::LaneId& id, const embedded::Lane& lane) override;
  void add(JobUid job, const JobPast& past) override;
  void remove_past(JobUid job, Time before) override;

  /// What the ledger holds, newest first (store/store.h).
  std::vector<Run> find(const RunFilter& filter);

 private:
  struct Batch;

  PostgresRows ask(std::string sql, std::vector<Value> values);
  // What cronce.begin_turn tells (schema.cc).
  static constexpr std::string_view kStoreTold = "0";
  static constexpr std::string_view kNodesTold = "1";
  static constexpr std::string_view kSourcesTold = "2";
  static constexpr std::string_view kJobsTold = "3";
  /// Those of a kind that were told when the transaction began.
  Reader since(std::int64_t position, std::string_view kind) const;
  static std::vector<JobUid> uids(Reader in);
  void read_turn(PostgresRows&& rows);
  void read_lanes(const Incarnation& asker, const PostgresRows& rows);
  std::vector<PostgresRows> ask_all(const std::vector<PostgresStatement>& statements);

  Session& session_;
  std::string namespace_;
  Value ns_;
  Meta meta_;
  std::string place_, stored_place_;
  Time now_{}, asked_at_{};
  std::int64_t known_ = kEver;
  std::optional<PostgresRows> turn_;  // what was told when this one began
  std::optional<PostgresRows> live_;  // and of live runs
  bool is_plain_ = false;             // a transaction that nobody began is as we need it
  std::map<embedded::LaneId, std::uint64_t> sequences_;  // of all lanes of the asker
  Incarnation asker_;
  bool assumes_ = false;
  std::unique_ptr<Batch> batch_;
};

}  // namespace cronce::postgres
