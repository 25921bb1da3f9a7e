// The parts of a connected store: the connection, the rows behind it, and the mirror of them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "store/embedded/mirror.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/rows.h"
#include "store/postgres/server_clock.h"

namespace cronce {

struct PostgresStore::Server {
  explicit Server(const PostgresStoreSettings& settings)
      : session(settings.server), rows(session, settings.name_space), mirror(rows) {}

  std::mutex busy;
  bool had_no_answer = false;  // or another error: what stands in the way is looked for
  postgres::Session session;
  postgres::Rows rows;
  embedded::Mirror mirror;
  std::optional<postgres::ServerClock> clock;        // none: a test's
  std::unique_ptr<embedded::StoreClock> test_clock;  // instead

  embedded::Moment now(const Incarnation& asker, bool guess) {
    if (!clock) return test_clock->now(mirror.tables(), asker);
    return guess ? clock->guess() : clock->told();
  }
};

}  // namespace cronce
