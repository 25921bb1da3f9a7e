// Whom a command runs as.
//
// Looked up in the node and never in the keeper: an answer can take as long as a directory server
// needs, and the keeper waits for nobody.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cronce {

struct User {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;  // all of them, the first one included
  std::string home;
  std::string shell;
  bool operator==(const User&) const = default;
};

Result<User> find_user(const std::string& name);

/// Whom this process runs as. A uid without a name has the name that the uid prints as.
User own_user();

}  // namespace cronce
