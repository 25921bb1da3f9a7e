// What went wrong between us and a PostgreSQL server, in one line and with what to do about it
// where that is obvious.
//
// Code::unavailable is what may pass by itself (the server is away, starting, full, a standby);
// Code::invalid is what a person must mend (password, database, grants, TLS, our SQL).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cronce {

struct PostgresError {
  Error error;
  std::string state;  // SQLSTATE; empty if the server did not say one
  // Nothing was applied: the server said so, or was not asked. Otherwise the outcome is unknown.
  bool answered = false;
};

/// From a message of libpq while it connects; a SQLSTATE is read out of its verbose form.
PostgresError connect_error(std::string_view message);

/// From the server's own words for a statement.
PostgresError statement_error(std::string state, std::string_view message, bool answered);

}  // namespace cronce
