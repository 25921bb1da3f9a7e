// JSON, by Boost.JSON, which nothing outside base includes by itself.
//
// Objects keep the order in which they were filled, so equal values print equally. Send integers:
// the library prints doubles as `1.5E0`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace cronce::json {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/// Strict JSON, one value, nested at most 32 deep; of equal keys the last counts.
Result<value> parse(std::string_view text);

/// One line, no blanks.
std::string print(const value& v);
std::string print(const object& v);
/// A string, quoted, after what has been printed already.
void append(std::string& out, std::string_view text);

/// `{"a": 1}` and "a" -> the value; none when absent or null.
const value* find(const object& o, std::string_view key);

/// A member of the given type; none when absent, an error when it is something else.
Result<std::optional<std::string>> find_string(const object& o, std::string_view key);
Result<std::optional<std::int64_t>> find_int(const object& o, std::string_view key);

}  // namespace cronce::json
