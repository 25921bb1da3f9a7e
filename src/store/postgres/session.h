// The server as the store talks to it: statements in, rows out, a new connection when the old one
// is gone.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "link/postgres.h"
#include "store/postgres/values.h"

namespace cronce::postgres {

class Session {
 public:
  explicit Session(PostgresSettings settings) : settings_(std::move(settings)) {}

  /// Connects, if there is no connection that can be used. Throws if it cannot.
  void connect();
  /// One round trip on the connection that stands. What goes wrong is thrown, and drops it: nobody
  /// must go on in the middle of a transaction.
  std::vector<PostgresRows> run(const std::vector<PostgresStatement>& statements);
  /// The same; none if one of them was refused with one of these SQLSTATEs, and nothing applied.
  std::optional<std::vector<PostgresRows>> run_unless(
      std::span<const std::string_view> states, const std::vector<PostgresStatement>& statements);
  /// Whatever was begun is over: the server undoes it when it sees that nobody is there.
  void drop() { connection_.reset(); }

  const PostgresSettings& settings() const { return settings_; }
  std::uint64_t round_trips() const { return round_trips_; }

 private:
  PostgresSettings settings_;
  std::unique_ptr<PostgresConnection> connection_;
  std::uint64_t round_trips_ = 0;
};

}  // namespace cronce::postgres
