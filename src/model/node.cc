#include "model/node.h"

#include <charconv>
#include <compare>
#include <optional>
#include <string_view>

namespace cronce {
namespace {

/// Takes the first number off `1.12.3`; what stands after the numbers is dropped with the last.
std::optional<std::uint64_t> take_number(std::string_view& version) {
  std::uint64_t number = 0;
  const char* end = version.data() + version.size();
  const auto read = std::from_chars(version.data(), end, number);
  if (read.ec != std::errc{}) return std::nullopt;
  const bool goes_on = read.ptr != end && *read.ptr == '.';
  version.remove_prefix(goes_on ? static_cast<std::size_t>(read.ptr - version.data()) + 1
                                : version.size());
  return number;
}

/// Number by number: 1.9 is before 1.12, and 1 before 1.0.
std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  for (;;) {
    const auto left = take_number(a);
    const auto right = take_number(b);
    if (left != right || !left) return left <=> right;
  }
}

bool is_newer(std::string_view version, std::string_view zone_data, std::string_view than_version,
              std::string_view than_zone_data) {
  const auto order = version == than_version ? std::strong_ordering::equal
                                             : compare_versions(version, than_version);
  return order > 0 || (order == 0 && zone_data > than_zone_data);
}

}  // namespace

bool is_newer(const Knowledge& a, const Knowledge& b) {
  return is_newer(a.version, a.zone_data, b.version, b.zone_data);
}

Knowledge knowledge_of(const Node& node) { return {node.version, node.zone_data}; }

bool knows_more(const Node& node, const Knowledge& than) {
  return is_newer(node.version, node.zone_data, than.version, than.zone_data);
}

bool knows_less(const Node& node, const Knowledge& than) {
  return is_newer(than.version, than.zone_data, node.version, node.zone_data);
}

}  // namespace cronce
