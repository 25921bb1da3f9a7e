#include "store/sqlite/trail.h"

#include <sqlite3.h>

#include <algorithm>

#include <fmt/format.h>

namespace cronce::sqlite {

std::string extend_trail(std::string trail, std::uint64_t position) {
  constexpr std::ptrdiff_t kWords = 64;
  std::uint64_t random = 0;
  sqlite3_randomness(sizeof random, &random);
  trail += fmt::format("{}.{:x} ", position, random);
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

}  // namespace cronce::sqlite
