// A store in this process's memory: complete, small, and the example for all others.
//
// The clock is passed in and is the store's own. Safe from every thread, one call at a time, as a
// server applies transactions. Nothing survives the process.
//
// It can be made to forget: what it held at some moment is put back later, as a restore does, or a
// fail-over to a server that lagged behind.
#pragma once

#include <mutex>

#include "base/clock.h"
#include "base/rng.h"
#include "store/embedded/embedded_store.h"

namespace cronce {

class MemoryStore final : public embedded::EmbeddedStore {
 public:
  MemoryStore(const Clock& clock, Rng& rng);

  Result<std::vector<Run>> runs(const RunFilter& filter) override;

  /// All that it holds.
  using Image = embedded::Tables;
  Image image() const { return tables_; }
  /// Elsewhere: as a fail-over does, which the store notices by itself. Otherwise as a restore in
  /// place does, which only those notice who know better.
  void put_back(Image image, bool elsewhere);

 private:
  Status step(const Incarnation& asker, const Body& body) override;
  Status look(const Body& body) override;

  embedded::OwnClock clock_;
  std::mutex mutex_;
  embedded::Tables tables_;
};

}  // namespace cronce
