// Stores with a planted bug, which the history test must catch.
#pragma once

#include <cstdint>

#include "test/support/forwarding_store.h"

namespace cronce::contract {

enum class Lie : std::uint8_t {
  none,
  second_claim,  // now and then a run that is live is granted to a second node
  old_fence,     // now and then a claim carries the fence of the one before
  deaf_finish,   // now and then a finish is acknowledged and forgotten
  early_end,     // a sweep with an old number ends the incarnation all the same
  no_lanes,      // sequences are not looked at: what comes late or twice is applied
};

class LyingStore final : public ForwardingStore {
 public:
  LyingStore(Store& inner, Lie lie) : ForwardingStore(inner), lie_(lie) {}

  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override;
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override;
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override;
  Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                  std::span<const SweepEntry> nodes) override;

  std::size_t told() const { return told_; }  // lies so far

 private:
  WriteId through(const WriteId& id);
  bool now_and_then();

  Lie lie_;
  std::size_t chances_ = 0;
  std::size_t told_ = 0;
  std::uint32_t lanes_ = 1'000;
};

}  // namespace cronce::contract
