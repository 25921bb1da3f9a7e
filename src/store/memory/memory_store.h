// A store in this process's memory: complete, small, and the example for all others.
//
// The clock is passed in and is the store's own. One caller at a time: a simulated cluster calls it
// step by step, as a server applies transactions. Nothing survives the process.
//
// It can be made to forget: what it held at some moment is put back later, as a restore does, or a
// fail-over to a server that lagged behind.
#pragma once

#include "base/clock.h"
#include "base/rng.h"
#include "store/embedded/tables.h"
#include "store/store.h"

namespace cronce {

class MemoryStore final : public Store {
 public:
  MemoryStore(const Clock& clock, Rng& rng);

  Result<Opened> open() override;
  Result<BeatAnswer> beat(const BeatAsk& ask) override;
  Result<Written<RegisterAnswer>> enroll(const WriteId& id, const RegisterAsk& ask) override;
  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override;
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override;
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override;
  Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                  std::span<const SweepEntry> nodes) override;
  Result<Written<ControlAnswer>> control(const WriteId& id, const ControlAsk& ask) override;
  Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) override;
  Result<std::vector<JobRow>> jobs() override;
  Result<std::vector<Run>> runs(const RunFilter& filter) override;
  Result<std::vector<Node>> nodes() override;

  /// All that it holds.
  using Image = embedded::Tables;
  Image image() const { return tables_; }
  /// Elsewhere: as a fail-over does, which the store notices by itself. Otherwise as a restore in
  /// place does, which only those notice who know better.
  void put_back(Image image, bool elsewhere);

 private:
  template <class T, class Apply>
  Result<Written<T>> sequenced(const WriteId& id, Mover by, Apply apply);

  const Clock& clock_;
  embedded::Tables tables_;
};

}  // namespace cronce
