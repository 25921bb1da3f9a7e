// One connection to a PostgreSQL server.
//
// Statements go in batches: a batch is one round trip and one transaction. Nothing lives in the
// session (no option, no SET, no prepared statement of a name), so that a pooler may give every
// transaction another one. Nothing is sent twice, and nothing is cancelled on the server: whoever
// has waited long enough drops the connection, and does not know what became of the batch.
//
// All limits are the client's: the time to connect, the time to answer, keep-alives. Only the
// look-up of a host's name takes as long as the machine's resolver takes. One thread at a time; a
// connection does not survive fork(): in the child it is unusable, and harmless.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "link/postgres_error.h"

struct pg_conn;
struct pg_result;

namespace cronce {

struct PqTable;

struct PostgresSettings {
  // A URL (`postgresql://user@host:5432/database`) or `key=value` text, as libpq takes them; what
  // it does not say comes from the environment, the service file and the password file. Of its
  // parameters only connect_timeout does not count.
  std::string conninfo;
  Duration connect_timeout{10'000};  // for all hosts together
  Duration answer_timeout{3'000};    // for a whole batch, and as much again for each megabyte of it
};

struct PostgresStatement {
  std::string sql;                                 // one statement; $1, $2, ... are the values
  std::vector<std::optional<std::string>> values;  // as text
};

/// The rows of one statement. They outlive their connection.
class PostgresRows {
 public:
  std::size_t size() const;
  bool is_null(std::size_t row, std::size_t column) const;
  /// Empty for NULL. Valid as long as these rows are.
  std::string_view text(std::size_t row, std::size_t column) const;

 private:
  friend class PostgresBatch;
  using Owned = std::unique_ptr<pg_result, void (*)(pg_result*)>;

  PostgresRows(const PqTable& pq, Owned result) : pq_(&pq), result_(std::move(result)) {}

  const PqTable* pq_;
  Owned result_;
};

class PostgresConnection {
 public:
  /// No error of it contains a password.
  static Result<std::unique_ptr<PostgresConnection>, PostgresError> connect(
      const PostgresSettings& settings);
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  /// All in one round trip and, unless they begin or end a transaction themselves, all or nothing:
  /// the rows of every statement, or the first error. A commit that the server no longer wanted to
  /// wait for on its standby counts as unknown.
  Result<std::vector<PostgresRows>, PostgresError> run(
      std::span<const PostgresStatement> statements);

  /// What was told (NOTIFY) on channels that this session listens to, which is all that ever lives
  /// in one. Waits until there is something, `wake` is readable, or so long.
  Result<std::vector<std::string>, PostgresError> notifications(int wake, Duration patience);

  /// False after a lost connection or a timeout, for good.
  bool is_usable() const;

  /// Batches sent so far.
  std::uint64_t round_trips() const { return round_trips_; }

 private:
  friend class PostgresBatch;

  PostgresConnection(const PqTable& pq, pg_conn* connection, Duration answer_timeout);
  static void hear_notice(void* self, const pg_result* notice);
  bool is_closed_by_server() const;
  std::vector<std::string> take_notifications();
  void drop();

  const PqTable& pq_;
  pg_conn* connection_;  // null after a drop
  Duration answer_timeout_;
  pid_t owner_;
  std::uint64_t round_trips_ = 0;
  bool is_wait_cancelled_ = false;  // of the last batch, for its standby
};

}  // namespace cronce
