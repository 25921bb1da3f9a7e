#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "jobfile/job_keys.h"
#include "jobfile/jobfile.h"

namespace cronce {
namespace {

json::object schema() { return json::parse(job_file_schema()).value().as_object(); }

void collect_references(const json::value& value, std::set<std::string>& out) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (key == "$ref") out.emplace(member.as_string());
      collect_references(member, out);
    }
  }
  if (const auto* array = value.if_array()) {
    for (const auto& element : *array) collect_references(element, out);
  }
}

TEST(JobFileSchema, IsJsonAndNamesItsDraft) {
  EXPECT_EQ(schema()["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

TEST(JobFileSchema, EveryDefinitionIsUsedAndEveryUseDefined) {
  const json::object whole = schema();
  std::set<std::string> used;
  collect_references(whole, used);
  std::set<std::string> defined;
  for (const auto& [key, value] : whole.at("$defs").as_object()) {
    defined.insert("#/$defs/" + std::string(key));
  }
  EXPECT_EQ(used, defined);
}

TEST(JobFileSchema, HasTheKeysOfTheTable) {
  const json::object job =
      schema()["$defs"].as_object()["job"].as_object()["properties"].as_object();
  EXPECT_EQ(job.size(), job_keys().size());
  for (const auto& row : job_keys()) EXPECT_TRUE(job.contains(row.name)) << row.name;
}

/// The words of a closed list stand in the schema by hand; each must be one that is read.
TEST(JobFileSchema, EveryWordIsAccepted) {
  const json::object job =
      schema()["$defs"].as_object()["job"].as_object()["properties"].as_object();
  int words = 0;
  for (const auto& [key, value] : job) {
    const auto* list = json::find(value.as_object(), "enum");
    if (list == nullptr) continue;
    for (const auto& each : list->as_array()) {
      const std::string text =
          fmt::format("jobs: {{a: {{schedule: '@daily', run: x, {}: {}}}}}", std::string_view(key),
                      std::string_view(each.as_string()));
      EXPECT_TRUE(read_yaml_jobs(text, {"f", "/", "UTC", "h"}).diagnostics.empty()) << text;
      ++words;
    }
  }
  EXPECT_GE(words, 9);
}

}  // namespace
}  // namespace cronce
