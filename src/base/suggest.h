// "Did you mean": the word of a list that is nearest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cronce {

/// The nearest candidate by edits (insert, delete, replace, swap of neighbours), letters compared
/// without case, if it is near enough to be what was meant; the first of equals.
std::optional<std::string_view> suggest(std::string_view word,
                                        std::span<const std::string_view> candidates);

}  // namespace cronce
