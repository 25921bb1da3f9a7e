// Foreign text inside our messages: short, on one line, and harmless to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cronce {

/// At most 40 characters, the rest as `...`; control characters become `?`.
std::string shorten(std::string_view text);

/// The same in single quotes.
std::string quote(std::string_view text);

/// A whole message: the same with at most 400 characters.
std::string one_line(std::string_view text);

}  // namespace cronce
