#include "jobfile/value_schema.h"

#include <fmt/format.h>

#include "base/check.h"

namespace cronce {
namespace {

json::object number_schema(IntegerRange range) {
  json::object schema;
  schema["type"] = "integer";
  schema["minimum"] = range.low;
  schema["maximum"] = range.high;
  return schema;
}

/// A pattern of the decimal numbers up to `high`: 65 gives
/// `0*([0-9]{1,1}|[0-5][0-9]{1}|6[0-4]|65)`.
std::string at_most(std::int64_t high) {
  const std::string digits = fmt::format("{}", high);
  std::string pattern = "0*(";
  if (digits.size() > 1) pattern += fmt::format("[0-9]{{1,{}}}|", digits.size() - 1);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] == '0') continue;
    pattern += fmt::format("{}[0-{}]", digits.substr(0, i), digits[i] - '1');
    if (i + 1 < digits.size()) pattern += fmt::format("[0-9]{{{}}}", digits.size() - i - 1);
    pattern += '|';
  }
  return pattern + digits + ")";
}

json::object text_size_schema(std::int64_t high) {
  json::object schema;
  schema["type"] = "string";
  schema["pattern"] = fmt::format("^({}|{}KiB|{}MiB|{}GiB)$", at_most(high), at_most(high >> 10),
                                  at_most(high >> 20), at_most(high >> 30));
  return schema;
}

}  // namespace

json::value fragment(std::string_view text) {
  auto value = json::parse(text);
  CHECK(value.ok());
  return *std::move(value);
}

json::object print(const ValueSchema& schema) {
  json::array parts;
  if (!schema.words.empty()) {
    json::object words;
    words["enum"] = json::array(schema.words.begin(), schema.words.end());
    parts.push_back(std::move(words));
  }
  if (schema.number) parts.push_back(number_schema(*schema.number));
  if (schema.bytes) {
    parts.push_back(number_schema(*schema.bytes));
    parts.push_back(text_size_schema(schema.bytes->high));
  }
  if (!schema.json.empty()) parts.push_back(fragment(schema.json));
  if (parts.size() == 1) return parts[0].as_object();
  json::object either;
  either["anyOf"] = std::move(parts);
  return either;
}

}  // namespace cronce
