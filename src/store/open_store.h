// A store by its address: `sqlite:PATH`, `postgresql://USER@HOST/DATABASE`, `memory:`.
//
// The kinds of stores are the rows of a table in the .cc file; nothing else names them.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "store/hint_line.h"
#include "store/store.h"

namespace cronce {

inline constexpr const char* kDefaultNamespace = "default";

struct StoreSettings {
  std::string name_space = kDefaultNamespace;  // on a server: which of the stores in it
  bool store_moves = false;        // the volume of the store was moved: accept that, once
  bool make = true;                // what is not there yet; otherwise that is Code::not_found
  Duration answer_timeout{3'000};  // of a server
};

/// Whether this is the address of a store, whatever there is, and can have such a namespace.
Status check_address(const std::string& address, const std::string& name_space = kDefaultNamespace);

/// As it may be printed: `postgresql://anna:***@db/app` for one with a password.
std::string shown_address(const std::string& address);

/// Whether the store is behind a connection, where calls wait for one another: beats want a store
/// of their own.
bool is_server(const std::string& address);

/// The clock and the random numbers outlive the store, which is safe from every thread.
Result<std::unique_ptr<Store>> open_store(const std::string& address, const StoreSettings& settings,
                                          const Clock& clock, Rng& rng);

/// None where the store has no means of its own: a file, memory.
std::unique_ptr<HintLine> open_hints(const std::string& address, const std::string& name_space);

/// `cronce adopt`: takes over a copy, or a store that was restored, as it is.
Result<Opened> adopt_store(const std::string& address, const StoreSettings& settings,
                           const Clock& clock, Rng& rng);

/// `cronce backup`: a copy as a new file, while the store is in use. It must be adopted before it
/// can be used.
Status backup_store(const std::string& address, const std::string& path, const Clock& clock,
                    Rng& rng);

/// `cronce store sql`: what makes the tables in a PostgreSQL server and, of a role that is named,
/// what it must be granted.
std::string store_sql(const std::string& role);

}  // namespace cronce
