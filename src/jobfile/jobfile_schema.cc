// The JSON schema of the YAML form, made from the same rows that read it.
#include <map>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "jobfile/job_command.h"
#include "jobfile/job_keys.h"
#include "jobfile/job_policy.h"
#include "jobfile/job_schedule.h"
#include "jobfile/jobfile.h"
#include "jobfile/jobfile_keys.h"

namespace cronce {
namespace {

/// The fragments are ours: a wrong one is our mistake.
json::value fragment(std::string_view text) {
  auto value = json::parse(text);
  CHECK(value.ok());
  return *std::move(value);
}

template <class T>
json::object map_schema(KeyTable<T> rows, std::string_view required = "[]") {
  json::object properties;
  for (const KeyRow<T>& row : rows) {
    json::object value = fragment(row.schema).as_object();
    value["description"] = row.meaning;
    properties[row.name] = std::move(value);
  }
  json::object schema;
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  schema["required"] = fragment(required);
  schema["properties"] = std::move(properties);
  return schema;
}

json::object word_schema(std::span<const std::string_view> words) {
  json::object schema;
  schema["enum"] = json::array(words.begin(), words.end());
  return schema;
}

json::object job_schema() {
  json::object schema = map_schema(job_keys(), R"(["schedule"])");
  schema["oneOf"] = fragment(R"([{"required":["run"]},{"required":["http"]}])");
  return schema;
}

/// What rows refer to as `#/$defs/NAME`.
json::object definitions() {
  json::object defs;
  defs["job"] = job_schema();
  defs["defaults"] = map_schema(default_keys());
  defs["element"] = map_schema(element_keys());
  defs["schedule"] = fragment(R"({"anyOf":[{"type":"string"},{"$ref":"#/$defs/element"},
      {"type":"array","minItems":1,
       "items":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/element"}]}}]})");
  defs["run"] = fragment(R"({"anyOf":[{"type":"string"},
      {"type":"array","minItems":1,"items":{"type":["string","number","boolean"]}}]})");
  defs["http"] = map_schema(http_keys(), R"(["url"])");
  defs["dst"] = map_schema(dst_keys());
  defs["between"] = map_schema(between_keys());
  defs["catch_up"] = map_schema(catch_up_keys());
  defs["retries"] = map_schema(retries_keys(), R"(["max"])");
  defs["concurrency"] = map_schema(concurrency_keys());
  defs["output"] = map_schema(output_keys());
  defs["limits"] = map_schema(limits_keys());
  defs["history"] = map_schema(history_keys());
  defs["notify"] = map_schema(notify_keys(), R"(["on"])");
  defs["expect"] = map_schema(expect_keys());
  defs["guard"] = fragment(R"({"type":"object","minProperties":1,"maxProperties":1,
      "propertyNames":{"$ref":"#/$defs/guard_kind"},
      "additionalProperties":{"$ref":"#/$defs/texts"}})");
  defs["guard_kind"] = word_schema(guard_kinds());
  defs["notice"] = word_schema(notices());
  defs["notices"] = fragment(R"({"anyOf":[{"$ref":"#/$defs/notice"},
      {"type":"array","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/notice"}}]})");
  defs["texts"] = fragment(
      R"({"type":"object","additionalProperties":{"type":["string","number","boolean"]}})");
  defs["duration"] = fragment(R"({"type":"string",
      "pattern":"^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$",
      "examples":["90s","15m","2h30m"]})");
  defs["size"] = fragment(R"({"anyOf":[{"type":"integer","minimum":0},
      {"type":"string","pattern":"^[0-9]+([KMG]iB)?$"}],"examples":["64KiB"]})");
  defs["time"] = fragment(R"({"type":"string",
      "examples":["2026-12-24","2026-12-24T18:00","2026-12-24T18:00:00Z"]})");
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
  for (auto& [key, value] : map_schema(file_keys(), R"(["jobs"])")) schema[key] = value;
  schema["$defs"] = definitions();
  std::string text;
  print_indented(schema, "", text);
  return text + "\n";
}

}  // namespace cronce
