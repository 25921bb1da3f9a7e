// Stores as they are often built, each with one rule of ours left out: the judge must object.
#pragma once

#include <map>
#include <set>
#include <string>

#include "test/support/forwarding_store.h"

namespace cronce::scenario {

enum class Naive : std::uint8_t {
  none,        // a sound store
  lock,        // lock, run, unlock: whoever comes when nothing runs may run the slot
  blind_take,  // a waiting run starts although another one is alive
  row_fences,  // a fence is given to the row and not to the start
};

class NaiveStore final : public ForwardingStore {
 public:
  explicit NaiveStore(Store& inner) : ForwardingStore(inner) {}

  Naive naive = Naive::none;

  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override;
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override;
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override;

 private:
  bool is_free(JobUid job);
  Claim forge(const WriteId& id, const RunId& run, Time due);
  void unlock_slots(const WriteId& id, const DecideAsk& ask, DecideAnswers& answers);
  void number_rows(const DecideAsk& ask, DecideAnswers& answers);
  void number(std::optional<Claim>& claim);

  std::uint64_t drawn_ = 0;
  std::set<std::pair<RunId, Fence>> forged_;  // that are alive
  std::map<RunId, Fence> numbers_;
  std::map<RunId, Fence> real_;
};

}  // namespace cronce::scenario
