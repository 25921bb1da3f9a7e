#include "store/postgres/session.h"

#include <utility>

namespace cronce::postgres {

void Session::connect() {
  if (connection_ && connection_->is_usable()) return;
  connection_.reset();
  auto connected = PostgresConnection::connect(settings_);
  if (!connected) throw StoreError{connected.error().error};
  connection_ = *std::move(connected);
}

std::optional<std::vector<PostgresRows>> Session::run_unless(
    std::string_view state, const std::vector<PostgresStatement>& statements) {
  if (!connection_) throw StoreError{{Code::unavailable, "there is no connection to the server"}};
  ++round_trips_;
  auto answered = connection_->run(statements);
  if (answered) return *std::move(answered);
  const PostgresError& failed = answered.error();
  if (failed.answered && !state.empty() && failed.state == state) return std::nullopt;
  drop();
  throw StoreError{failed.error};
}

std::vector<PostgresRows> Session::run(const std::vector<PostgresStatement>& statements) {
  return *run_unless("", statements);
}

}  // namespace cronce::postgres
