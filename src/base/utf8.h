// Text that came from outside and must become part of JSON.
#pragma once

#include <string>
#include <string_view>

namespace cronce {

/// The text with every byte that is no part of UTF-8 replaced by U+FFFD. What is right stays as it
/// is.
std::string as_utf8(std::string_view text);

}  // namespace cronce
