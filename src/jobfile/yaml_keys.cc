#include "jobfile/yaml_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quote.h"

namespace cronce {
namespace {

/// Why a node cannot be a key; empty if it can.
std::string_view fault(const YamlNode& key) {
  if (key.kind == YamlNode::Kind::list) return "a key must be a text, found a list";
  if (key.kind == YamlNode::Kind::map) return "a key must be a text, found a map";
  if (key.style != YamlNode::Style::plain) return {};
  if (key.text.empty()) return "a key is missing before ':'";
  if (key.text != "<<") return {};
  return "merge keys (<<) are not supported: put what jobs share under defaults:";
}

bool is_before(const YamlNode* a, const YamlNode* b) {
  if (const int order = a->text.compare(b->text); order != 0) return order < 0;
  return a->line != b->line ? a->line < b->line : a->column < b->column;
}

}  // namespace

void YamlKeys::check(YamlNode& map, const Report& report) {
  keys_.clear();
  dropped_.clear();
  for (const YamlNode* key = map.first; key != nullptr; key = key->next->next) {
    const std::string_view wrong = fault(*key);
    (wrong.empty() ? keys_ : dropped_).push_back(key);
    if (!wrong.empty()) report(*key, std::string(wrong));
  }
  // Sorted and not hashed, so that no choice of keys makes it slow.
  std::sort(keys_.begin(), keys_.end(), is_before);
  const YamlNode* first = nullptr;
  for (const YamlNode* key : keys_) {
    if (first == nullptr || first->text != key->text) {
      first = key;
      continue;
    }
    report(*key, fmt::format("the key {} stands twice in this map: the first is at {}:{}",
                             quote(key->text), first->line, first->column));
    dropped_.push_back(key);
  }
  if (dropped_.empty()) return;
  std::sort(dropped_.begin(), dropped_.end(), std::less<>());
  drop_from(map);
}

void YamlKeys::drop_from(YamlNode& map) const {
  const YamlNode** link = &map.first;
  map.count = 0;
  for (const YamlNode* key = map.first; key != nullptr;) {
    auto* value = const_cast<YamlNode*>(key->next);
    const YamlNode* next = value->next;
    if (!std::binary_search(dropped_.begin(), dropped_.end(), key, std::less<>())) {
      *link = key;
      link = &value->next;
      map.count += 2;
    }
    key = next;
  }
  *link = nullptr;
}

}  // namespace cronce
