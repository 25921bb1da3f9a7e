// What a value of a job file may be, in the words of the JSON schema.
//
// A row of a table carries one, made from the ranges and word lists that its reader uses, so that
// an editor and `check` agree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/json.h"

namespace cronce {

struct IntegerRange {
  std::int64_t low;
  std::int64_t high;
};

/// Any of the parts that are given.
struct ValueSchema {
  std::string_view json{};                    // as JSON
  std::span<const std::string_view> words{};  // one of these
  std::optional<IntegerRange> number{};       // a whole number
  std::optional<IntegerRange> bytes{};        // a size; of `64KiB` only the high end is checked
};

/// Those of many keys; `#/$defs/...` is in jobfile_schema.cc.
inline constexpr ValueSchema kTextSchema{.json = R"({"$ref":"#/$defs/text"})"};
inline constexpr ValueSchema kNameSchema{.json = R"({"$ref":"#/$defs/name"})"};
inline constexpr ValueSchema kTruthSchema{.json = R"({"type":"boolean"})"};
inline constexpr ValueSchema kDurationSchema{.json = R"({"$ref":"#/$defs/duration"})"};
inline constexpr ValueSchema kTimeSchema{.json = R"({"$ref":"#/$defs/time"})"};
inline constexpr ValueSchema kAddressSchema{.json = R"({"$ref":"#/$defs/address"})"};

json::object print(const ValueSchema& schema);

/// JSON that stands in our own text.
json::value fragment(std::string_view text);

}  // namespace cronce
