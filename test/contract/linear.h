// Whether a history can be explained: is there an order of its calls, none before it was asked or
// after it was answered, in which the reference gives every answer?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "test/contract/reference.h"

namespace cronce::contract {

struct Verdict {
  bool explained = false;
  std::size_t longest = 0;  // so many calls could be explained at most
  std::string stuck_at;     // what could not be next, if not explained
};

/// Each client has one call under way at a time.
Verdict explain(const Reference& beginning, const std::vector<Call>& history);

}  // namespace cronce::contract
