// The JSON schema of the YAML form, made from the same rows that read it.
#include <fmt/format.h>

#include "base/json.h"
#include "jobfile/job_command.h"
#include "jobfile/job_keys.h"
#include "jobfile/job_policy.h"
#include "jobfile/job_schedule.h"
#include "jobfile/jobfile.h"
#include "jobfile/value_schema.h"

namespace cronce {
namespace {

template <class T>
json::object map_schema(const KeyTable<T>& table, std::string_view also = "{}") {
  json::object properties;
  for (const KeyRow<T>& row : table.rows) {
    json::object value = print(row.schema);
    value["description"] = row.meaning;
    properties[row.name] = std::move(value);
  }
  json::object schema;
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  const json::value rules = fragment(also);
  for (const auto& member : rules.as_object()) schema[member.key()] = member.value();
  schema["properties"] = std::move(properties);
  return schema;
}

/// A run that goes on without its lease may still be alive when its slot is run again.
constexpr std::string_view kLosses = R"({"required":["on_lost","on_lease_loss"],
    "properties":{"on_lost":{"enum":["rerun"]},"on_lease_loss":{"enum":["continue"]}}})";

json::object job_schema() {
  json::object schema = map_schema(job_keys(), R"({"required":["schedule"],
      "oneOf":[{"required":["run"]},{"required":["http"]}]})");
  schema["not"] = fragment(kLosses);
  return schema;
}

json::object defaults_schema() {
  json::object schema = map_schema(job_keys());
  schema["not"] = fragment(kLosses);
  for (const auto& row : job_keys().rows) {
    if (row.own) schema["properties"].as_object().erase(row.name);
  }
  return schema;
}

/// Values that are more than one map.
void define_values(json::object& defs) {
  defs["schedule"] = fragment(R"({"anyOf":[{"type":"string"},{"$ref":"#/$defs/element"},
      {"type":"array","minItems":1,"maxItems":1000,"items":{"anyOf":[{"type":"string"},
        {"$ref":"#/$defs/element","not":{"required":["after"]}}]}},
      {"type":"array","minItems":1,"maxItems":1,"items":{"$ref":"#/$defs/element"}}]})");
  defs["run"] = fragment(R"({"anyOf":[{"$ref":"#/$defs/text","pattern":"[^ \\t\\n]"},
      {"type":"array","minItems":1,"maxItems":10000,
       "prefixItems":[{"$ref":"#/$defs/text","pattern":"^[^~]"}],
       "items":{"$ref":"#/$defs/text"}}]})");
  defs["guard"] = fragment(R"({"type":"object","minProperties":1,"maxProperties":1,
      "propertyNames":{"$ref":"#/$defs/guard_kind"},
      "additionalProperties":{"$ref":"#/$defs/texts"}})");
  defs["guard_kind"] = print(ValueSchema{.words = guard_kinds()});
  defs["notice"] = print(ValueSchema{.words = notices()});
  defs["notices"] = fragment(R"({"anyOf":[{"$ref":"#/$defs/notice"},
      {"type":"array","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/notice"}}]})");
  defs["texts"] = fragment(R"({"type":"object","additionalProperties":{"$ref":"#/$defs/text"}})");
}

/// Values without parts. A text may look like a number; what it may not say as one is seldom worth
/// a rule.
void define_scalars(json::object& defs) {
  defs["text"] = fragment(R"({"type":["string","number","boolean"]})");
  defs["name"] = fragment(R"({"type":["string","number","boolean"],"minimum":0,
      "pattern":"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$"})");
  defs["label"] = fragment(R"({"type":["string","number","boolean"],
      "pattern":"^[^=, \\t\\n]{1,128}$"})");
  defs["address"] = fragment(R"({"type":"string","pattern":"^https?://(?![/:?#])[!-~]+$"})");
  defs["duration"] = fragment(R"({"type":"string",
      "pattern":"^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$",
      "examples":["90s","15m","2h30m"]})");
  defs["time"] = fragment(R"({"type":"string",
      "examples":["2026-12-24","2026-12-24T18:00","2026-12-24T18:00:00Z"]})");
}

/// What rows refer to as `#/$defs/NAME`.
json::object definitions() {
  json::object defs;
  defs["job"] = job_schema();
  defs["defaults"] = defaults_schema();
  defs["element"] = map_schema(element_keys(), R"({"oneOf":[{"required":["cron"]},
      {"required":["every"]},{"required":["at"]},{"required":["after"]}],
      "dependentRequired":{"anchor":["every"]}})");
  defs["http"] = map_schema(http_keys(), R"({"required":["url"]})");
  defs["dst"] = map_schema(dst_keys());
  defs["between"] = map_schema(between_keys(), R"({"minProperties":1})");
  defs["catch_up"] = map_schema(catch_up_keys());
  defs["retries"] = map_schema(retries_keys(), R"({"required":["max"]})");
  defs["concurrency"] = map_schema(concurrency_keys());
  defs["output"] = map_schema(output_keys());
  defs["limits"] = map_schema(limits_keys());
  defs["history"] = map_schema(history_keys());
  defs["notify"] = map_schema(notify_keys(), R"({"required":["on"],"anyOf":[
      {"required":["webhook"]},
      {"required":["command"],"properties":{"command":{"minLength":1}}},
      {"required":["mail"],"properties":{"mail":{"minLength":1}}}]})");
  defs["expect"] = map_schema(expect_keys());
  define_values(defs);
  define_scalars(defs);
  return defs;
}

bool has_members(const json::value& value) {
  if (const auto* object = value.if_object()) return !object->empty();
  const auto* array = value.if_array();
  return array != nullptr && !array->empty() && (*array)[0].is_object();
}

/// One member a line, lists of words on one.
void print_indented(const json::value& value, std::string indent, std::string& out) {
  if (!has_members(value)) {
    out += json::print(value);
    return;
  }
  const bool is_object = value.is_object();
  const std::string deeper = indent + "  ";
  std::string_view separator = "\n";
  out += is_object ? '{' : '[';
  const auto begin_member = [&] {
    out += separator;
    out += deeper;
    separator = ",\n";
  };
  if (is_object) {
    for (const auto& member : value.get_object()) {
      begin_member();
      out += fmt::format("\"{}\": ", std::string_view(member.key()));
      print_indented(member.value(), deeper, out);
    }
  } else {
    for (const auto& element : value.get_array()) {
      begin_member();
      print_indented(element, deeper, out);
    }
  }
  out += fmt::format("\n{}{}", indent, is_object ? '}' : ']');
}

}  // namespace

std::string job_file_schema() {
  json::object schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Cronce job file";
  for (auto& [key, value] : map_schema(file_keys(), R"({"required":["jobs"]})")) {
    schema[key] = value;
  }
  schema["$defs"] = definitions();
  std::string text;
  print_indented(schema, "", text);
  return text + "\n";
}

}  // namespace cronce
