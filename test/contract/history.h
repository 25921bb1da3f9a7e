// A recorded history: three clients, a network that is late and loses things, and a store.
//
// Each client has one call under way. A request waits before it reaches the store, and its answer
// waits before it reaches the client; meanwhile the others go on, and time passes. Now and then a
// request or an answer is lost: the client settles it as the protocol says, and a request that was
// given up may still arrive. What was settled as never applied is no part of the history. The same
// seed gives the same history.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "test/contract/lying_store.h"
#include "test/contract/reference.h"
#include "test/contract/stores.h"

namespace cronce::contract {

struct History {
  Reference beginning;
  std::vector<Call> calls;
  std::size_t unknown = 0;        // outcomes that had to be settled
  std::size_t found_applied = 0;  // of those, writes that had been applied
  std::size_t arrived_late = 0;   // requests that reached the store after they were given up
  std::size_t claims = 0;
  std::vector<std::string> broken;  // what the watch found wrong, without repetitions
  std::size_t lies = 0;
};

History record_history(const StoreRow& store, std::uint64_t seed, std::size_t steps,
                       Lie lie = Lie::none);

}  // namespace cronce::contract
