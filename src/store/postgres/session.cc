#include "store/postgres/session.h"

#include <algorithm>
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
    std::span<const std::string_view> states, const std::vector<PostgresStatement>& statements) {
  if (!connection_) throw StoreError{{Code::unavailable, "there is no connection to the server"}};
  ++round_trips_;
  auto answered = connection_->run(statements);
  if (answered) return *std::move(answered);
  const PostgresError& failed = answered.error();
  const bool is_one = std::find(states.begin(), states.end(), failed.state) != states.end();
  if (failed.answered && is_one) return std::nullopt;
  drop();
  throw StoreError{failed.error};
}

std::vector<PostgresRows> Session::run(const std::vector<PostgresStatement>& statements) {
  return *run_unless({}, statements);
}

}  // namespace cronce::postgres
