#include "store/postgres/postgres_store.h"

#include <utility>

#include "store/postgres/schema.h"
#include "store/postgres/server.h"

namespace cronce {
namespace {

using postgres::Rows;
using postgres::StoreError;

}  // namespace

PostgresStore::PostgresStore(std::unique_ptr<Server> server) : server_(std::move(server)) {}

PostgresStore::~PostgresStore() = default;

Result<std::unique_ptr<PostgresStore>> PostgresStore::connect(const PostgresStoreSettings& settings,
                                                              const Clock& clock, Rng& rng) {
  auto store = connect(settings, nullptr, rng);
  if (store) (*store)->server_->clock.emplace(clock);
  return store;
}

Result<std::unique_ptr<PostgresStore>> PostgresStore::connect(
    const PostgresStoreSettings& settings, std::unique_ptr<embedded::StoreClock> clock, Rng& rng) {
  try {
    auto server = std::make_unique<Server>(settings);
    server->test_clock = std::move(clock);
    server->session.connect();
    postgres::migrate(server->session);
    server->rows.create(StoreId::random(rng));
    return std::unique_ptr<PostgresStore>(new PostgresStore(std::move(server)));
  } catch (const StoreError& failure) {
    return failure.error;
  }
}

/// Whoever comes out of this with an error knows nothing any more, and reads everything anew.
Status PostgresStore::failed(const Error& error) {
  server_->session.drop();
  server_->mirror.forget();
  server_->had_no_answer = true;
  return error;
}

Status PostgresStore::in_transaction(std::optional<Incarnation> asker,
                                     const std::function<void()>& body) {
  const std::lock_guard alone(server_->busy);
  return hold(asker, body);
}

Status PostgresStore::hold(std::optional<Incarnation> asker, const std::function<void()>& body) {
  Server& server = *server_;
  try {
    server.session.connect();
    if (std::exchange(server.had_no_answer, false)) server.rows.put_out_silent();
    if (server.clock) server.clock->ask();
    server.rows.begin(asker ? Rows::Use::write : Rows::Use::read, server.mirror.position(),
                      server.mirror.unread(), asker.value_or(Incarnation{}));
    if (server.clock) server.clock->hear(server.rows.asked_at(), server.rows.now());
    server.mirror.refresh();
    body();
    server.rows.end();
    server.mirror.settle();
    return Done{};
  } catch (const StoreError& failure) {
    return failed(failure.error);
  }
}

Status PostgresStore::step(const Incarnation& asker, const Body& body) {
  return in_transaction(asker, [&] { judge_and_write(asker, body); });
}

void PostgresStore::judge_and_write(const Incarnation& asker, const Body& body) {
  body(server_->mirror.tables(), server_->now(asker, false));
  server_->mirror.write();
}

Status PostgresStore::step_on_jobs(const Incarnation& asker, const Body& body) {
  const std::lock_guard alone(server_->busy);
  const auto done = compare(asker, body);
  if (!done) return done.error();
  if (*done) return Done{};
  return hold(asker, [&] { judge_and_write(asker, body); });
}

Result<bool> PostgresStore::compare(const Incarnation& asker, const Body& body) {
  Server& server = *server_;
  if (!server.mirror.can_assume()) return false;
  try {
    server.session.connect();
    server.rows.assume(asker);
    const embedded::Moment moment = server.now(asker, true);
    body(server.mirror.tables(), moment);
    const auto compared = server.mirror.compared();
    const bool writes = compared && server.mirror.write();  // not if it seems to come too late
    if (writes && server.clock) server.clock->ask();
    const auto before =
        writes
            ? server.rows.end_if(*compared, server.clock ? std::optional(moment.now) : std::nullopt)
            : std::nullopt;
    if (before) {
      if (server.clock) server.clock->hear(server.rows.asked_at(), server.rows.now());
      server.mirror.catch_up(*before);
      server.mirror.settle();
      return true;
    }
  } catch (const Rows::Unknown&) {  // NOLINT: it is undone below, and read first
  } catch (const StoreError& failure) {
    return failed(failure.error).error();
  }
  server.mirror.undo();
  return false;
}

Status PostgresStore::look(const Body& body) {
  return in_transaction(std::nullopt,
                        [&] { body(server_->mirror.tables(), server_->now({}, false)); });
}

Result<std::vector<Run>> PostgresStore::runs(const RunFilter& filter) {
  std::vector<Run> found;
  const Status done = in_transaction(std::nullopt, [&] { found = server_->rows.find(filter); });
  if (!done) return done.error();
  return found;
}

}  // namespace cronce
