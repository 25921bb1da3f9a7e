// The seams of a node with a failpoint before and after each call, for the program
// cronce-failpoints.
//
// The linker puts these functions between the node and what it calls (--wrap, see CMakeLists.txt,
// which reads the names of this file): the program is made of the same objects as cronce, and
// nothing in src/ knows of it. A name that is not right any more is never called, and chaos
// complains about a failpoint that nobody came to.
#include "keeper/keeper.h"
#include "keeper/spawn.h"
#include "keeper/spool.h"
#include "node/mark_file.h"
#include "store/open_store.h"
#include "test/chaos/failpoint.h"
#include "test/support/forwarding_store.h"

namespace cronce::chaos {
namespace {

class FailingStore final : public ForwardingStore {
 public:
  explicit FailingStore(std::unique_ptr<Store> inner)
      : ForwardingStore(*inner), owned_(std::move(inner)) {}

  Result<Opened> open() override {
    const Failpoint here("store.open");
    return inner_.open();
  }
  Result<BeatAnswer> beat(const BeatAsk& ask) override {
    const Failpoint here("store.beat");
    return inner_.beat(ask);
  }
  Result<Written<RegisterAnswer>> enroll(const WriteId& id, const RegisterAsk& ask) override {
    const Failpoint here("store.enroll");
    return inner_.enroll(id, ask);
  }
  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override {
    const Failpoint here("store.decide");
    return inner_.decide(id, ask);
  }
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override {
    const Failpoint here("store.take");
    return inner_.take(id, runs);
  }
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override {
    const Failpoint here("store.finish");
    return inner_.finish(id, ends);
  }
  Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                  std::span<const SweepEntry> nodes) override {
    const Failpoint here("store.sweep");
    return inner_.sweep(id, nodes);
  }

 private:
  std::unique_ptr<Store> owned_;
};

}  // namespace
}  // namespace cronce::chaos

namespace cronce {

using chaos::Failpoint;
using SpawnResult = Result<pid_t, SpawnFailure>;

// SEAM(SYMBOL, RESULT NAME(PARAMETERS)): NAME stands for what the linker calls SYMBOL, and
// real_NAME is the one that does it. A member gets its object as the first parameter.
#define SEAM(symbol, result, name, ...)                  \
  result real_##name(__VA_ARGS__) asm("__real_" symbol); \
  result wrap_##name(__VA_ARGS__) asm("__wrap_" symbol); \
  result wrap_##name(__VA_ARGS__)

// ---- the store

SEAM(
    "_ZN6cronce10open_storeERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_"
    "13StoreSettingsERKNS_5ClockERNS_3RngE",
    Result<std::unique_ptr<Store>>, open_store, const std::string& address,
    const StoreSettings& settings, const Clock& clock, Rng& rng) {
  auto store = real_open_store(address, settings, clock, rng);
  if (!store) return store.error();
  return std::unique_ptr<Store>(std::make_unique<chaos::FailingStore>(*std::move(store)));
}

// ---- the node's side of the keeper

SEAM("_ZN6cronce6Keeper5startERKNS_5StartE", void, start, Keeper& self, const Start& order) {
  const Failpoint here("keeper.start");
  real_start(self, order);
}
SEAM("_ZN6cronce6Keeper4stopERKNS_5RunIdENS_6ReasonE", void, stop, Keeper& self, const RunId& run,
     Reason reason) {
  const Failpoint here("keeper.stop");
  real_stop(self, run, reason);
}
SEAM("_ZN6cronce6Keeper11trust_untilERKNS_10TrustOrderE", void, trust_until, Keeper& self,
     const TrustOrder& order) {
  const Failpoint here("keeper.trust_until");
  real_trust_until(self, order);
}
SEAM("_ZN6cronce6Keeper8kill_allEv", void, kill_all, Keeper& self) {
  const Failpoint here("keeper.kill_all");
  real_kill_all(self);
}
SEAM("_ZN6cronce6Keeper10end_storedERKNS_6EndKeyE", void, end_stored, Keeper& self,
     const EndKey& key) {
  const Failpoint here("keeper.end_stored");
  real_end_stored(self, key);
}
SEAM("_ZN6cronce6Keeper5leaveEv", void, leave, Keeper& self) {
  const Failpoint here("keeper.leave");
  real_leave(self);
}
SEAM("_ZN6cronce6Keeper4readEv", std::vector<KeeperEvent>, read, Keeper& self) {
  const Failpoint here("keeper.read");
  return real_read(self);
}

// ---- the disk: mark, leftovers, spool (in the scribe)

SEAM("_ZN6cronce8MarkFile4keepERKNS_4MarkERKSt6vectorINS_5ClaimESaIS5_EE", Status, keep,
     MarkFile& self, const Mark& mark, const std::vector<Claim>& claims) {
  const Failpoint here("mark.keep");
  return real_keep(self, mark, claims);
}
SEAM(
    "_ZN6cronce15clear_leftoversERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENSt6chrono"
    "8durationIlSt5ratioILl1ELl1000EEEE",
    Cleared, clear_leftovers, const std::string& folder, Duration patience) {
  const Failpoint here("leftovers.clear");
  return real_clear_leftovers(folder, patience);
}
SEAM("_ZNK6cronce5Spool3putERKNS_6EndKeyERKNS_11FinishEntryE", Status, put, const Spool& self,
     const EndKey& key, const FinishEntry& end) {
  const Failpoint here("spool.put");
  return real_put(self, key, end);
}
SEAM("_ZNK6cronce5Spool4syncEv", Status, sync, const Spool& self) {
  const Failpoint here("spool.sync");
  return real_sync(self);
}
SEAM("_ZNK6cronce5Spool6removeERKNS_6EndKeyE", Status, remove, const Spool& self,
     const EndKey& key) {
  const Failpoint here("spool.remove");
  return real_remove(self, key);
}

// ---- the start of a command (in the sub-keeper)

SEAM("_ZN6cronce6Launch5spawnERKNS_16ChildDescriptorsE", SpawnResult, spawn, Launch& self,
     const ChildDescriptors& descriptors) {
  const Failpoint here("launch.spawn");
  return real_spawn(self, descriptors);
}

#undef SEAM

}  // namespace cronce
