// The ends of runs that the store does not have yet, one file each, safe from a crash.
//
// A file appears under its name only when its bytes are on the disk. Ends of another store, or of
// another namespace, stay where they are: somebody may come back for them. Blocking calls: in a
// keeper only its scribe makes them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "keeper/message.h"

namespace cronce {

class Spool {
 public:
  explicit Spool(std::string folder) : folder_(std::move(folder)) {}

  /// Makes the folder, for its owner alone, if it is absent. Safe after sync(), of which one is
  /// enough for many.
  Status put(const EndKey& key, const FinishEntry& end) const;
  Status sync() const;
  /// One that is not there is no error.
  Status remove(const EndKey& key) const;

  struct Kept {
    std::vector<FinishEntry> ends;
    std::vector<std::string> unreadable;  // names of files, which stay
  };
  /// Those of this store and namespace. No folder, no ends.
  Result<Kept> read_all(const StoreId& store, const std::string& name_space) const;

 private:
  std::string folder_;
};

}  // namespace cronce
