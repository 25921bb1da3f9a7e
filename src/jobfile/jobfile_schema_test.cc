// An editor that follows the schema and read_yaml_jobs() agree on every case below.
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "jobfile/jobfile.h"
#include "jobfile/schema_validator_test.h"
#include "jobfile/yaml_tree.h"

namespace cronce {
namespace {

const json::object& schema() {
  static const json::object whole = json::parse(job_file_schema()).value().as_object();
  return whole;
}

/// As an editor reads YAML 1.2: plain words can be numbers, truth values or nothing.
json::value as_json(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::list) {
    json::array list;
    for (const YamlNode* at = node.first; at != nullptr; at = at->next)
      list.push_back(as_json(*at));
    return list;
  }
  if (node.kind == YamlNode::Kind::map) {
    json::object map;
    for (const YamlNode* key = node.first; key != nullptr; key = key->next->next) {
      map[key->text] = as_json(*key->next);
    }
    return map;
  }
  if (node.is_null()) return nullptr;
  if (node.style != YamlNode::Style::plain) return json::value(node.text);
  if (node.text == "true" || node.text == "false") return node.text == "true";
  std::int64_t number = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, failed] = std::from_chars(node.text.data(), end, number);
  if (failed == std::errc{} && stop == end) return number;
  return json::value(node.text);
}

bool schema_accepts(std::string_view text) {
  const YamlTree tree = YamlTree::parse(text);
  return tree.root() != nullptr && Validator(schema()).accepts(schema(), as_json(*tree.root()));
}

bool reader_accepts(std::string_view text) {
  return read_yaml_jobs(text, {"f", "/", "UTC", "h"}).usable();
}

std::string job(std::string_view keys) { return fmt::format("jobs: {{a: {{{}}}}}", keys); }
/// A job with one more key.
std::string with(std::string_view key) {
  return job(fmt::format("schedule: '@daily', run: x, {}", key));
}

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

TEST(JobFileSchema, NamesItsDraft) {
  EXPECT_EQ(schema().at("$schema"), "https://json-schema.org/draft/2020-12/schema");
}

TEST(JobFileSchema, EveryDefinitionIsUsedAndEveryUseDefined) {
  std::set<std::string> used;
  collect_references(schema(), used);
  std::set<std::string> defined;
  for (const auto& [key, value] : schema().at("$defs").as_object()) {
    defined.insert("#/$defs/" + std::string(key));
  }
  EXPECT_EQ(used, defined);
}

TEST(JobFileSchema, AcceptsEveryFileThatIsRead) {
  namespace fs = std::filesystem;
  int right = 0;
  for (const auto& entry : fs::directory_iterator(CRONCE_SOURCE_DIR "/test/golden/jobfile")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    if (!reader_accepts(text.str())) continue;
    EXPECT_TRUE(schema_accepts(text.str())) << entry.path();
    ++right;
  }
  EXPECT_GE(right, 3);
}

TEST(JobFileSchema, AcceptsWhatIsRead) {
  const std::string rows[] = {
      job("schedule: '@daily', run: 5"),
      job("schedule: '@daily', run: true"),
      job("schedule: '@daily', run: [x, 5, true, '']"),
      job("schedule: {every: 15m, anchor: '2026-12-24T18:00'}, run: x"),
      job("schedule: {after: 10m}, run: x"),
      job("schedule: [{after: 10m}], run: x"),
      job("schedule: ['@daily', {every: 1h}], run: x"),
      job("schedule: '@daily', http: {url: 'https://a/b', expect: 200-204, headers: {X-Y: 1}}"),
      job("schedule: '@daily', http: {url: 'https://a/b', expect: 418}"),
      with("was: 5"),
      with("umask: '022'"),
      with("umask: '0077'"),
      with("output: {keep: 64MiB}"),
      with("output: {keep: 67108864}"),
      with("output: {keep: 065536KiB}"),
      with("limits: {memory: 65536GiB, core: 0}"),
      with("limits: {memory: 8589934592}"),
      with("retries: 1000"),
      with("retries: {max: 1, jitter: 07%}"),
      with("catch_up: all"),
      with("concurrency: {}"),
      with("env: {A: 1, B: '', C: true}"),
      with("on: {region: eu, disk: 1}"),
      with("user: 5"),
      with("cwd: ."),
      with("notify: {on: failed, command: tell, mail: ''}"),
      with("on_lost: rerun, on_lease_loss: kill"),
      "defaults: {timezone: UTC}\ngeneration: 1\nsource: a/b\njobs: {}",
  };
  for (const std::string& row : rows) {
    EXPECT_TRUE(reader_accepts(row)) << row;
    EXPECT_TRUE(schema_accepts(row)) << row;
  }
}

TEST(JobFileSchema, RefusesWhatIsRefused) {
  const std::string rows[] = {
      "[]",
      "defaults: {}",
      "jobs: {'bad name': {schedule: '@daily', run: x}}",
      "jobs: {a: }",
      "source: 'a b'\njobs: {}",
      "generation: 0\njobs: {}",
      "defaults: {run: x}\njobs: {}",
      job("run: x"),
      job("schedule: '@daily'"),
      job("schedule: '@daily', run: x, http: {url: 'http://a'}"),
      job("schedule: {}, run: x"),
      job("schedule: [], run: x"),
      job("schedule: {every: 1h, cron: '@daily'}, run: x"),
      job("schedule: {anchor: '2026-12-24'}, run: x"),
      job("schedule: {at: '2026-12-24', anchor: '2026-12-24'}, run: x"),
      job("schedule: ['@daily', {after: 10m}], run: x"),
      job("schedule: '@daily', run: ''"),
      job("schedule: '@daily', run: []"),
      job("schedule: '@daily', run: ['~/x']"),
      job("schedule: '@daily', http: {url: 'ftp://a'}"),
      job("schedule: '@daily', http: {url: 'http://a', expect: 2xx}"),
      job("schedule: '@daily', http: {url: 'http://a', expect: 600}"),
      job("schedule: '@daily', http: {url: 'http://a', expect: '0200'}"),
      job("schedule: '@daily', http: {url: 'http://a', headers: {'a b': c}}"),
      with("calendar: {}"),
      with("overlap: Forbid"),
      with("shedule: x"),
      with("notify: {on: failed}"),
      with("notify: {on: failed, mail: ''}"),
      with("notify: {mail: a@b}"),
      with("notify: {on: [failed, failed], mail: a@b}"),
      with("between: {}"),
      with("retries: 5000"),
      with("retries: {backoff: 1m}"),
      with("retries: {max: 1, jitter: 101%}"),
      with("concurrency: 0"),
      with("catch_up: {cap: 10001}"),
      with("output: {keep: 100GiB}"),
      with("output: {keep: 65MiB}"),
      with("output: {keep: 67108865}"),
      with("limits: {nofile: 15}"),
      with("umask: 18"),
      with("umask: '888'"),
      with("was: bad name"),
      with("env: {CRONCE_X: 1}"),
      with("env: {A: }"),
      with("on: {a: 'b,c'}"),
      with("user: a:b"),
      with("cwd: ~/x"),
      with("timeout: 30"),
      with("paused: 1"),
      with("priority: 1001"),
      with("nice: -21"),
      with("guards: [{flock: {path: /x}, redisson: {}}]"),
      with("guards: [{lock: {path: /x}}]"),
      with("on_lost: rerun, on_lease_loss: continue"),
  };
  for (const std::string& row : rows) {
    EXPECT_FALSE(reader_accepts(row)) << row;
    EXPECT_FALSE(schema_accepts(row)) << row;
  }
}

}  // namespace
}  // namespace cronce
