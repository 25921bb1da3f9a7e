// Which start of this machine a node has served: the jobs that run at boot got their runs.
//
// It decides only who asks; that a boot gets one run is the store's word. Blocking calls.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"

namespace cronce {

class BootFile {
 public:
  /// The folder is made when a boot is kept. `boot` names this start of the machine; empty where
  /// it has no name.
  BootFile(const std::string& state, const StoreId& store, const std::string& node,
           std::string boot);

  /// This boot, if no former process has served it.
  std::optional<std::string> unserved() const;
  Status keep() const;

 private:
  std::string folder_;
  std::string path_;
  std::string boot_;
};

}  // namespace cronce
