// Stores with a planted bug: the rules must catch each of them, the histories those that concern
// runs, and the interleavings those that show when two clients meet.
#pragma once

#include <cstdint>
#include <memory>

#include "test/contract/stores.h"
#include "test/support/forwarding_store.h"

namespace cronce::contract {

enum class Lie : std::uint8_t {
  none,
  second_claim,    // now and then a run that is live is granted to a second node
  old_fence,       // now and then a claim carries the fence of the one before
  deaf_finish,     // now and then a finish is acknowledged and forgotten
  early_end,       // a sweep with an old number ends the incarnation all the same
  no_lanes,        // sequences are not looked at: what comes late or twice is applied
  never_closes,    // whatever was forgotten, the store goes on
  deaf_to_time,    // the time that nodes remember is not: slots run that may have run
  deaf_to_claims,  // claims that nodes remember are acknowledged and not put back
  second_key,      // a key that is running is granted to a second owner
  never_claimed,   // what was skipped is told to have succeeded
};

class LyingStore final : public ForwardingStore {
 public:
  LyingStore(Store& inner, Lie lie) : ForwardingStore(inner), lie_(lie) {}
  /// At every chance, so that a few calls suffice to see it.
  LyingStore(std::unique_ptr<Store> inner, Lie lie)
      : ForwardingStore(*inner), lie_(lie), every_(1), owned_(std::move(inner)) {}

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
  Result<std::vector<Run>> runs(const RunFilter& filter) override;

  Lie lie() const { return lie_; }
  Store& inner() { return inner_; }
  std::size_t told() const { return told_; }  // lies so far

 private:
  WriteId through(const WriteId& id);
  bool now_and_then();

  Lie lie_;
  std::size_t every_ = 3;  // chance is a lie
  std::unique_ptr<Store> owned_;
  std::size_t chances_ = 0;
  std::size_t told_ = 0;
  std::uint32_t lanes_ = 1'000;
};

PutBack image_of_lying(Store& store);

/// The first store, with a planted bug.
template <Lie What>
StoreRow lying(std::string_view name) {
  const auto make = [](const Clock& clock, Rng& rng) -> std::unique_ptr<Store> {
    return std::make_unique<LyingStore>(stores()[0].make(clock, rng), What);
  };
  return {name, make, image_of_lying};
}

}  // namespace cronce::contract
