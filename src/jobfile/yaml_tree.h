// A YAML document as a strict tree of texts, lists and maps, each with its place in the file.
//
// Texts stay as they were written: nothing becomes a number, a truth value or a date by itself, so
// the key `on` is the key `on`. Strict: one document; keys are texts and stand once in their map;
// no merge keys; no tags but the standard ones. Bounded: 64 MiB of text, 8,000,000 nodes, 20
// levels; at most 1,000 aliases are expanded, to 16 MiB together. libyaml reads the syntax and is
// seen here only.
//
// Nodes live as long as their tree, which points into the source text. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "jobfile/diagnostic.h"
#include "jobfile/text_place.h"

namespace cronce {

struct YamlNode {
  enum class Kind : std::uint8_t { text, list, map };
  enum class Style : std::uint8_t { plain, quoted, block };

  Kind kind = Kind::text;
  Style style = Style::plain;
  std::uint32_t line = 0;    // both from 1; an alias stands where the alias was written
  std::uint32_t column = 0;  // in characters
  std::uint32_t count = 0;   // of the children; in a map keys and values alternate
  std::string_view text;
  const YamlNode* first = nullptr;  // child
  const YamlNode* next = nullptr;   // sibling

  /// Nothing was written, or one of YAML's words for it.
  bool is_null() const;
};

/// The value of a key; none where the map has no such key.
const YamlNode* find_value(const YamlNode& map, std::string_view key);

/// The bytes that a node and everything below it hold.
std::size_t weight(const YamlNode& node);

class YamlTree {
 public:
  /// Never fails as a whole: what is wrong is in diagnostics(), without the file's name.
  static YamlTree parse(std::string_view source);

  /// None if nothing can be read: an empty file, or wrong syntax.
  const YamlNode* root() const { return root_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// Where a byte of a text stands; the start of the node unless it is written out on one line.
  Place place_in(const YamlNode& text, std::size_t offset) const;

 private:
  friend class YamlTreeBuilder;

  explicit YamlTree(std::string_view source);
  const LineIndex& lines() const;

  std::string_view source_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  const YamlNode* root_ = nullptr;
  Diagnostics diagnostics_;
  mutable std::optional<LineIndex> lines_;  // made for the first error that needs it
};

}  // namespace cronce
