#include "model/node.h"

#include <charconv>
#include <string_view>
#include <tuple>

namespace cronce {
namespace {

/// The numbers of `1.12.3`, whatever stands after them.
std::vector<std::uint64_t> numbers_of(std::string_view version) {
  std::vector<std::uint64_t> numbers;
  for (;;) {
    std::uint64_t number = 0;
    const char* end = version.data() + version.size();
    const auto read = std::from_chars(version.data(), end, number);
    if (read.ec != std::errc{}) return numbers;
    numbers.push_back(number);
    if (read.ptr == end || *read.ptr != '.') return numbers;
    version.remove_prefix(static_cast<std::size_t>(read.ptr - version.data()) + 1);
  }
}

/// The usual case, without a look at numbers.
bool knows_as_much(const Node& node, const Knowledge& as) {
  return node.version == as.version && node.zone_data == as.zone_data;
}

}  // namespace

bool is_newer(const Knowledge& a, const Knowledge& b) {
  const auto left = numbers_of(a.version);
  const auto right = numbers_of(b.version);
  return std::tie(left, a.zone_data) > std::tie(right, b.zone_data);
}

Knowledge knowledge_of(const Node& node) { return {node.version, node.zone_data}; }

bool knows_more(const Node& node, const Knowledge& than) {
  return !knows_as_much(node, than) && is_newer(knowledge_of(node), than);
}

bool knows_less(const Node& node, const Knowledge& than) {
  return !knows_as_much(node, than) && is_newer(than, knowledge_of(node));
}

}  // namespace cronce
