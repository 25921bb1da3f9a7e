#include "jobfile/yaml_tree.h"

namespace cronce {

bool YamlNode::is_null() const {
  return kind == Kind::text && style == Style::plain &&
         (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
}

const YamlNode* find_value(const YamlNode& map, std::string_view key) {
  if (map.kind != YamlNode::Kind::map) return nullptr;
  for (const YamlNode* at = map.first; at != nullptr; at = at->next->next) {
    if (at->text == key) return at->next;
  }
  return nullptr;
}

std::size_t weight(const YamlNode& node) {
  std::size_t sum = sizeof(YamlNode) + node.text.size();
  for (const YamlNode* child = node.first; child != nullptr; child = child->next) {
    sum += weight(*child);
  }
  return sum;
}

YamlTree::YamlTree(std::string_view source)
    : source_(source), memory_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {}

const LineIndex& YamlTree::lines() const {
  if (!lines_) lines_.emplace(source_);
  return *lines_;
}

Place YamlTree::place_in(const YamlNode& text, std::size_t offset) const {
  const Place start{text.line, text.column};
  if (offset == 0 && text.style == YamlNode::Style::plain) return start;
  const std::size_t quotes = text.style == YamlNode::Style::quoted ? 1 : 0;
  const std::string_view before = text.text.substr(0, offset);
  const std::string_view written = lines().from(start);
  // Escapes, folded lines and aliases make what was written differ from what it says.
  if (written.size() < quotes || !written.substr(quotes).starts_with(before)) return start;
  return {start.line, start.column + quotes + count_characters(before)};
}

}  // namespace cronce
