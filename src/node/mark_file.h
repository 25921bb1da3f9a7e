// The mark of a store on this machine's disk: how far its history was seen here.
//
// Outside the store's folder, so that whoever puts the store back does not put back the mark. Each
// node of this machine writes its own file; of those of one store the farthest counts, also when
// the node that wrote it never comes back. Blocking calls.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "model/operation.h"

namespace cronce {

class MarkFile {
 public:
  /// The folder is made when a mark is kept. `node` is unique on this machine.
  MarkFile(const std::string& state, const StoreId& store, const std::string& node);

  /// None where there was none. One that cannot be read is passed over.
  std::optional<Mark> read() const;
  Status keep(const Mark& mark) const;

 private:
  StoreId store_;
  std::string folder_;
  std::string path_;
};

}  // namespace cronce
