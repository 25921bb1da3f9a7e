// Typed values from a YAML tree.
//
// Each reading function either fills its output and returns true, or reports one error that says
// where, what was found and what would be right, leaves the output alone and returns false. So a
// reader just goes on, and all errors of a file are told at once.
//
// A map is read by a table: a row per key. The rows also make the JSON schema (jobfile_schema.cc).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "jobfile/diagnostic.h"
#include "jobfile/jobfile.h"
#include "jobfile/value_schema.h"
#include "jobfile/yaml_tree.h"
#include "model/words.h"

namespace cronce {

class YamlReader;

/// A key of a map that becomes a T.
template <class T>
struct KeyRow {
  std::string_view name;
  ValueSchema schema;
  std::string_view meaning;  // for editors
  void (*read)(YamlReader& in, const YamlNode& value, T& out);
  bool own = false;  // makes a job this job: `defaults` does not take it
};

template <class T>
struct KeyTable {
  std::span<const KeyRow<T>> rows;
  bool of_job = false;  // other schedulers have names for these keys

  template <std::size_t N>
  KeyTable(const std::array<KeyRow<T>, N>& all, bool are_of_job = false)  // NOLINT: by intent
      : rows(all), of_job(are_of_job) {}

  const KeyRow<T>* find(std::string_view name) const {
    for (const KeyRow<T>& row : rows) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const KeyRow<T>& row : rows) names.push_back(row.name);
    return names;
  }
};

struct DurationRange {
  Duration low;
  Duration high;
};

class YamlReader {
 public:
  YamlReader(const YamlTree& tree, const FileContext& context);

  const FileContext& context() const { return context_; }

  void error(const YamlNode& at, std::string_view message);
  /// At a byte of a text.
  void error(const YamlNode& at, std::size_t offset, std::string_view message);
  void warning(const YamlNode& at, std::string_view message);
  void note(const YamlNode& at, std::string_view message);

  std::size_t errors() const { return errors_; }
  /// Nobody reads so many errors, and finding a suggestion for each takes time: reading may stop.
  bool too_many_errors() const { return errors_ >= kMostErrors; }

  /// Whose values are read from now on; messages then name keys as seen from there. Empty:
  /// nobody's.
  void enter_job(std::string_view job);

  /// What was found, in the order of the file.
  Diagnostics finish();

  bool text(const YamlNode& node, std::string* out);
  bool integer(const YamlNode& node, IntegerRange range, std::int64_t* out);
  bool boolean(const YamlNode& node, bool* out);
  bool duration(const YamlNode& node, DurationRange range, Duration* out);
  bool duration(const YamlNode& node, DurationRange range, std::optional<Duration>* out);
  /// `64KiB`, `1MiB`, `2GiB`, `1024`.
  bool size(const YamlNode& node, IntegerRange range, std::int64_t* out);
  /// `10%`
  bool percent(const YamlNode& node, std::int64_t* out);
  bool time(const YamlNode& node, std::optional<WrittenTime>* out);
  bool texts(const YamlNode& node, std::vector<std::string>* out);
  bool text_map(const YamlNode& node, std::map<std::string, std::string>* out);

  bool expect_list(const YamlNode& node, std::string_view what);
  bool expect_map(const YamlNode& node, std::string_view what);

  /// One of some words: its index.
  bool word(const YamlNode& node, std::span<const std::string_view> words, std::size_t* out);
  /// A value of a closed list by its word.
  template <class E>
  bool word(const YamlNode& node, E* out) {
    std::size_t index = 0;
    if (!word(node, Words<E>::kList, &index)) return false;
    *out = static_cast<E>(index);
    return true;
  }

  /// Every key of a map by its row.
  template <class T>
  bool map(const YamlNode& node, const KeyTable<T>& table, T& out) {
    const std::size_t before = errors_;
    if (node.kind != YamlNode::Kind::map) {
      wrong_map(node, table.names());
      return false;
    }
    for (const YamlNode* key = node.first; key != nullptr; key = key->next->next) {
      if (too_many_errors()) return false;
      const KeyRow<T>* row = table.find(key->text);
      if (row == nullptr) {
        unknown_key(*key, table.names(), table.of_job);
        continue;
      }
      path_.push_back(row->name);
      row->read(*this, *key->next, out);
      path_.pop_back();
    }
    return errors_ == before;
  }

  /// "expected a list, found the text 'abc'"
  void wrong_kind(const YamlNode& node, std::string_view expected);
  void unknown_key(const YamlNode& key, std::span<const std::string_view> known,
                   bool of_job = false);

 private:
  void wrong_map(const YamlNode& node, std::span<const std::string_view> keys);
  void wrong_word(const YamlNode& node, std::span<const std::string_view> words);
  void add(Severity severity, Place place, std::string_view message);
  std::string path() const;

  const YamlTree& tree_;
  const FileContext& context_;
  Diagnostics diagnostics_;
  std::vector<std::string_view> path_;
  std::size_t path_base_ = 0;  // keys above the job are not named
  std::string job_;
  std::size_t errors_ = 0;
};

}  // namespace cronce
