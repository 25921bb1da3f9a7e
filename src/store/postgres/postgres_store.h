// A store in a PostgreSQL server: a namespace in its schema `cronce`.
//
// Judged in this process by the judge of all our stores, and by the server's clock. Deciding,
// taking and finishing are one round trip, if nobody else wrote their jobs since: judged by what is
// known here, and committed only if that is what is stored. Where it is not, and for all else, a
// step is a transaction that holds its namespace's row while it reads and judges.
//
// Safe from every thread; what one process asks is asked one after the other on one connection, so
// beats want a store of their own.
//
// Nothing of it lives in a session: a pooler may stand between. What goes wrong on the way is an
// error of the call, its connection is dropped, and the outcome is unknown.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "link/postgres.h"
#include "store/embedded/embedded_store.h"

namespace cronce {

struct PostgresStoreSettings {
  PostgresSettings server;
  std::string name_space = "default";
};

class PostgresStore final : public embedded::EmbeddedStore {
 public:
  /// Makes schema and namespace if they are not there. By the server's clock.
  static Result<std::unique_ptr<PostgresStore>> connect(const PostgresStoreSettings& settings,
                                                        const Clock& clock, Rng& rng);
  /// By whatever clock.
  static Result<std::unique_ptr<PostgresStore>> connect(const PostgresStoreSettings& settings,
                                                        std::unique_ptr<embedded::StoreClock> clock,
                                                        Rng& rng);
  ~PostgresStore() override;

  Result<std::vector<Run>> runs(const RunFilter& filter) override;

 private:
  friend class PostgresMirrorCheck;  // of the tests
  struct Server;

  explicit PostgresStore(std::unique_ptr<Server> server);

  Status step(const Incarnation& asker, const Body& body) override;
  Status step_on_jobs(const Incarnation& asker, const Body& body) override;
  Status look(const Body& body) override;
  /// False if the namespace has to be held for it; the same body is then run again.
  Result<bool> compare(const Incarnation& asker, const Body& body);
  void judge_and_write(const Incarnation& asker, const Body& body);
  /// A writer has an asker.
  Status in_transaction(std::optional<Incarnation> asker, const std::function<void()>& body);
  Status hold(std::optional<Incarnation> asker, const std::function<void()>& body);
  Status failed(const Error& error);

  std::unique_ptr<Server> server_;
};

}  // namespace cronce
