// Looks behind a PostgreSQL store: whether what it holds in memory is what the server says, and
// what a namespace holds, to be copied and changed.
#pragma once

#include <string>

#include "store/postgres/server.h"

namespace cronce {

class PostgresMirrorCheck {
 public:
  explicit PostgresMirrorCheck(const PostgresStoreSettings& settings);

  /// How often that store has asked the server so far.
  static std::uint64_t round_trips(const PostgresStore& store);

  /// Empty, or the first difference. Looks at what that store knew after its last call.
  std::string difference(PostgresStore& store);
  /// The writes of which the server still knows what they have touched.
  std::size_t count_writes();

  /// As it was when it was new, but for another id.
  void empty(const StoreId& id);
  /// Copies all of one namespace to another.
  void copy(const std::string& from, const std::string& to);
  /// As if the namespace had been opened on another server.
  void move_elsewhere();

 private:
  std::string namespace_;
  PostgresStore::Server server_;
};

}  // namespace cronce
