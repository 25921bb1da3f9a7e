// Why a text is not a schedule, and where.
#pragma once

#include <cstddef>
#include <string>

namespace cronce {

struct ParseError {
  std::size_t offset = 0;  // bytes from the start of the text, where the trouble begins
  std::string message;     // what was found and what would be right, for a person
};

}  // namespace cronce
