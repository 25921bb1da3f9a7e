// The parts of a connected store: the connection, the rows behind it, and the mirror of them.
#pragma once

#include <mutex>

#include "store/embedded/mirror.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/rows.h"

namespace cronce {

struct PostgresStore::Server {
  Server(const PostgresStoreSettings& settings, std::unique_ptr<embedded::StoreClock> own_clock)
      : session(settings.server),
        rows(session, settings.name_space),
        mirror(rows),
        clock(std::move(own_clock)) {}

  std::mutex busy;
  postgres::Session session;
  postgres::Rows rows;
  embedded::Mirror mirror;
  std::unique_ptr<embedded::StoreClock> clock;
};

}  // namespace cronce
