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

std::vector<PostgresRows> Session::run(const std::vector<PostgresStatement>& statements) {
  if (!connection_) throw StoreError{{Code::unavailable, "there is no connection to the server"}};
  ++round_trips_;
  auto answered = connection_->run(statements);
  if (!answered) {
    drop();
    throw StoreError{answered.error().error};
  }
  return *std::move(answered);
}

}  // namespace cronce::postgres
