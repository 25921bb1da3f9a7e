#include "store/embedded/trail.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

namespace cronce::embedded {

std::string extend_trail(std::string trail, std::uint64_t position) {
  constexpr std::ptrdiff_t kWords = 64;
  std::random_device random;  // not seeded once: a copy of this process must draw others
  trail += fmt::format("{}.{:x}{:08x} ", position, random(), random());
  if (std::count(trail.begin(), trail.end(), ' ') > kWords) trail.erase(0, trail.find(' ') + 1);
  return trail;
}

/// With the space after it.
std::string last_word(const std::string& trail) {
  if (trail.empty()) return "";
  const std::size_t space = trail.rfind(' ', trail.size() - 2);
  return space == std::string::npos ? trail : trail.substr(space + 1);
}

bool leads_from(const std::string& word, const std::string& trail) {
  return trail.find(word) != std::string::npos;
}

}  // namespace cronce::embedded
