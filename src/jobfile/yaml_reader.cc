#include "jobfile/yaml_reader.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/suggest.h"
#include "jobfile/foreign_names.h"

namespace cronce {
namespace {

std::string list_words(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string describe_kind(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::list) return "a list";
  if (node.kind == YamlNode::Kind::map) return "a map";
  if (node.is_null()) return "nothing";
  return fmt::format("the text {}", quote(node.text));
}

}  // namespace

YamlReader::YamlReader(const YamlTree& tree, const FileContext& context)
    : tree_(tree), context_(context) {
  for (const Diagnostic& found : tree.diagnostics()) {
    add(found.severity, {found.line, found.column}, found.message);
  }
}

void YamlReader::enter_job(std::string_view job) {
  job_ = job;
  path_base_ = job.empty() ? 0 : path_.size();
}

std::string YamlReader::path() const {
  std::string text;
  for (std::size_t i = path_base_; i < path_.size(); ++i) {
    if (!text.empty()) text += '.';
    text += path_[i];
  }
  return text.empty() ? text : text + ": ";
}

void YamlReader::add(Severity severity, Place place, std::string_view message) {
  if (refuses(severity) && errors_++ >= kMostErrors) return;
  Diagnostic found{severity,     context_.path, place.line,
                   place.column, job_,          one_line(path() + std::string(message))};
  diagnostics_.push_back(std::move(found));
}

void YamlReader::error(const YamlNode& at, std::string_view message) {
  add(Severity::error, {at.line, at.column}, message);
}

void YamlReader::error(const YamlNode& at, std::size_t offset, std::string_view message) {
  add(Severity::error, tree_.place_in(at, offset), message);
}

void YamlReader::warning(const YamlNode& at, std::string_view message) {
  add(Severity::warning, {at.line, at.column}, message);
}

void YamlReader::note(const YamlNode& at, std::string_view message) {
  add(Severity::note, {at.line, at.column}, message);
}

Diagnostics YamlReader::finish() {
  const auto order = [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.line, a.column, a.severity, a.message) <
           std::tie(b.line, b.column, b.severity, b.message);
  };
  std::sort(diagnostics_.begin(), diagnostics_.end(), order);
  // What stands in `defaults` or behind an alias is wrong in every job that uses it, and told once.
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.line == b.line && a.column == b.column && a.message == b.message;
  };
  diagnostics_.erase(std::unique(diagnostics_.begin(), diagnostics_.end(), same),
                     diagnostics_.end());
  if (too_many_errors()) {
    Diagnostic last = diagnostics_.back();
    last.message = fmt::format("{} errors are enough: the rest was not read", kMostErrors);
    diagnostics_.push_back(std::move(last));
  }
  return std::move(diagnostics_);
}

void YamlReader::wrong_kind(const YamlNode& node, std::string_view expected) {
  error(node, fmt::format("expected {}, found {}", expected, describe_kind(node)));
}

void YamlReader::wrong_map(const YamlNode& node, std::span<const std::string_view> keys) {
  wrong_kind(node, fmt::format("a map with {}", list_words(keys)));
}

bool YamlReader::word(const YamlNode& node, std::span<const std::string_view> words,
                      std::size_t* out) {
  const auto found = std::find(words.begin(), words.end(), node.text);
  if (node.kind != YamlNode::Kind::text || found == words.end()) {
    wrong_word(node, words);
    return false;
  }
  *out = static_cast<std::size_t>(found - words.begin());
  return true;
}

void YamlReader::wrong_word(const YamlNode& node, std::span<const std::string_view> words) {
  const std::string use = list_words(words);
  if (node.kind != YamlNode::Kind::text || node.is_null()) return wrong_kind(node, use);
  auto meant = foreign_value(node.text);
  if (!meant || std::find(words.begin(), words.end(), *meant) == words.end()) {
    meant = suggest(node.text, words);
  }
  error(node,
        meant ? fmt::format("{} is not one of {}: did you mean {}?", quote(node.text), use, *meant)
              : fmt::format("{} is not one of {}", quote(node.text), use));
}

void YamlReader::unknown_key(const YamlNode& key, std::span<const std::string_view> known,
                             bool of_job) {
  const std::string what = fmt::format("unknown key {}", quote(key.text));
  if (const auto ours = of_job ? foreign_key(key.text) : std::nullopt) {
    return error(key, fmt::format("{}: {}", what, *ours));
  }
  if (const auto meant = suggest(key.text, known)) {
    return error(key, fmt::format("{}: did you mean {}?", what, *meant));
  }
  if (of_job) return error(key, fmt::format("{}: a job has no such key", what));
  error(key, fmt::format("{}: use {}", what, list_words(known)));
}

bool YamlReader::expect_list(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::list) return true;
  wrong_kind(node, what);
  return false;
}

bool YamlReader::expect_map(const YamlNode& node, std::string_view what) {
  if (node.kind == YamlNode::Kind::map) return true;
  wrong_kind(node, what);
  return false;
}

}  // namespace cronce
