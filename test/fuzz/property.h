// Properties that every parser of ours has, whatever it is fed.
//
// A broken one is a CHECK: it aborts, and libFuzzer keeps the input.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/check.h"

namespace cronce::fuzz {

/// What a terminal shows as one line and nothing else: no control characters.
inline bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

}  // namespace cronce::fuzz
