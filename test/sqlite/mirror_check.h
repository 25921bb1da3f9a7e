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

  /// What a store holds in memory, to be made wrong.
  static embedded::Tables& tables(SqliteStore& store) { return store.file_->mirror.tables(); }

  /// How many instructions SQLite has run for that store since this was asked last.
  static std::int64_t cost(SqliteStore& store);

 private:
  SqliteStore::File file_;
};

}  // namespace cronce
