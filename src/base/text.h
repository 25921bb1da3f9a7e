// Small readings of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cronce {

/// `eu,us` -> eu, us; an empty text has no parts, and a separator at its end begins none.
std::vector<std::string> split(std::string_view text, char separator);

/// The whole text is a number.
std::optional<std::int64_t> parse_number(std::string_view text);

/// The last line of an output that is not blank: mostly the one that says what went wrong.
std::string_view last_line(std::string_view output);

}  // namespace cronce
