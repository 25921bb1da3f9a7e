// A store by its address: `sqlite:PATH`, `memory:`.
//
// The kinds of stores are the rows of a table in the .cc file; nothing else names them.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "store/store.h"

namespace cronce {

struct StoreSettings {
  bool store_moves = false;  // the volume of the store was moved: accept that, once
};

/// Whether this is the address of a store, whatever there is.
Status check_address(const std::string& address);

/// The clock and the random numbers outlive the store, which is safe from every thread.
Result<std::unique_ptr<Store>> open_store(const std::string& address, const StoreSettings& settings,
                                          const Clock& clock, Rng& rng);

/// `cronce adopt`: takes over a copy, or a store that was restored, as it is.
Result<Opened> adopt_store(const std::string& address, const Clock& clock, Rng& rng);

/// `cronce backup`: a copy as a new file, while the store is in use. It must be adopted before it
/// can be used.
Status backup_store(const std::string& address, const std::string& path, const Clock& clock,
                    Rng& rng);

}  // namespace cronce
