#include "store/postgres/postgres_store.h"

#include <utility>

#include "store/postgres/schema.h"
#include "store/postgres/server.h"

namespace cronce {
namespace {

using postgres::Rows;
using postgres::StoreError;

/// The server's time, as it was when the step became alone.
class ServerClock final : public embedded::StoreClock {
 public:
  ServerClock(const Rows& rows, const Clock& local) : rows_(rows), local_(local) {}
  embedded::Moment now(const embedded::Tables&, const Incarnation&) const override {
    return {rows_.now(), local_.wall().time_since_epoch() - local_.boot(), false};
  }

 private:
  const Rows& rows_;
  const Clock& local_;
};

}  // namespace

PostgresStore::PostgresStore(std::unique_ptr<Server> server) : server_(std::move(server)) {}

PostgresStore::~PostgresStore() = default;

Result<std::unique_ptr<PostgresStore>> PostgresStore::connect(const PostgresStoreSettings& settings,
                                                              const Clock& clock, Rng& rng) {
  auto store = connect(settings, nullptr, rng);
  if (store) {
    Server& server = *(*store)->server_;
    server.clock = std::make_unique<ServerClock>(server.rows, clock);
  }
  return store;
}

Result<std::unique_ptr<PostgresStore>> PostgresStore::connect(
    const PostgresStoreSettings& settings, std::unique_ptr<embedded::StoreClock> clock, Rng& rng) {
  try {
    auto server = std::make_unique<Server>(settings, std::move(clock));
    server->session.connect();
    postgres::migrate(server->session);
    server->rows.create(StoreId::random(rng));
    return std::unique_ptr<PostgresStore>(new PostgresStore(std::move(server)));
  } catch (const StoreError& failure) {
    return failure.error;
  }
}

/// Whoever comes out of this with an error knows nothing any more, and reads everything anew.
Status PostgresStore::in_transaction(std::optional<Incarnation> asker,
                                     const std::function<void()>& body) {
  const std::lock_guard alone(server_->busy);
  try {
    server_->session.connect();
    server_->rows.begin(asker ? Rows::Use::write : Rows::Use::read, server_->mirror.position(),
                        asker.value_or(Incarnation{}));
    server_->mirror.refresh();
    body();
    server_->rows.end();
    server_->mirror.settle();
    return Done{};
  } catch (const StoreError& failure) {
    server_->session.drop();
    server_->mirror.forget();
    return failure.error;
  }
}

Status PostgresStore::step(const Incarnation& asker, const Body& body) {
  return in_transaction(asker, [&] {
    embedded::Tables& tables = server_->mirror.tables();
    body(tables, server_->clock->now(tables, asker));
    server_->mirror.write();
  });
}

Status PostgresStore::look(const Body& body) {
  return in_transaction(std::nullopt, [&] {
    embedded::Tables& tables = server_->mirror.tables();
    body(tables, server_->clock->now(tables, {}));
  });
}

Result<std::vector<Run>> PostgresStore::runs(const RunFilter& filter) {
  std::vector<Run> found;
  const Status done = in_transaction(std::nullopt, [&] { found = server_->rows.find(filter); });
  if (!done) return done.error();
  return found;
}

}  // namespace cronce
