// A store in this process's memory: complete, small, and the example for all others.
//
// The clock is passed in and is the store's own. One caller at a time: a simulated cluster calls it
// step by step, as a server applies transactions. Nothing survives the process.
#pragma once

#include <map>
#include <utility>

#include "base/clock.h"
#include "base/rng.h"
#include "store/memory/tables.h"
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

 private:
  /// The last write that was applied, and the last one with an outcome worth keeping.
  struct Lane {
    std::uint64_t sequence = 0;
    Before last;
  };

  template <class T, class Apply>
  Result<Written<T>> sequenced(const WriteId& id, Mover by, Apply apply);

  const Clock& clock_;
  memory::Tables tables_;
  std::map<std::pair<Incarnation, std::uint32_t>, Lane> lanes_;
};

}  // namespace cronce
