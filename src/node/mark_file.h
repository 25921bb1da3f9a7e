// The mark of a store on this machine's disk: how far its history was seen here.
//
// Outside the store's folder, so that whoever puts the store back does not put back the mark. Each
// node of this machine writes its own file; of those of one store the farthest counts, also when
// the node that wrote it never comes back.
//
// Beside it the claims of a node, a line each: what it started is told to a store that forgot also
// by the node's next process. Only by that: whose runs may still live tells them itself. A file is
// begun when the last one spans an hour, and the one before that is dropped. Blocking calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/operation.h"

namespace cronce {

class MarkFile {
 public:
  /// The folder is made when a mark is kept. `node` is unique on this machine.
  MarkFile(const std::string& state, const StoreId& store, const std::string& node);

  /// None where there was none. What cannot be read is passed over.
  std::optional<Mark> read() const;
  /// Those of this node, of the last hour at least, the oldest first.
  std::vector<Claim> read_claims() const;

  /// With the claims that came since.
  Status keep(const Mark& mark, const std::vector<Claim>& claims);

 private:
  Status keep(const std::vector<Claim>& claims);

  StoreId store_;
  std::string folder_;
  std::string path_;
  std::string claims_folder_;
  bool has_begun_ = false;     // this process has written to the file that grows
  std::optional<Time> begun_;  // its first claim
};

}  // namespace cronce
