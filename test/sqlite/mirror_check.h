// Whether what a store holds in memory is what its file says: a change that was not noted, or a row
// that was not read, shows here.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/file.h"

namespace cronce {

class MirrorCheck {
 public:
  explicit MirrorCheck(const std::string& path) : file_({.path = path}) {}

  /// Empty, or the first difference. Looks at what that store knew after its last call.
  std::string difference(SqliteStore& store);

  /// Takes everything out of the file, which becomes a new store.
  void empty(const StoreId& id);

  /// That store's file cannot grow any more; and can again.
  static void fill_disk(SqliteStore& store);
  static void free_disk(SqliteStore& store);

 private:
  SqliteStore::File file_;
};

}  // namespace cronce
