// Random cases for the comparison with the oracle, and the fixed shapes for the transition grid.
//
// Everything follows from the seed and the case's number, on every machine and with any number
// of threads: a case that failed can be made again alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "test/oracle/oracle.h"

namespace oracle {

// splitmix64. The standard library's distributions differ between libraries, so it has its own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  std::int64_t between(std::int64_t low, std::int64_t high);  // both inclusive
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::uint64_t state_;
};

struct Case {
  std::string text;
  std::size_t zone;  // index
  Rule rule;
  std::int64_t at;
  int millis;  // to be added to `at`; must change nothing
};

Case make_case(std::uint64_t seed, std::uint64_t number, const std::vector<Zone>& zones);

// Valid, and with at least one day on which it matches. Most hours that it names are
// `usual_hour` or beside it, so that an instant near a transition meets an expression that fires
// there; -1 for no such hour.
std::string random_expression(Random& random, int usual_hour);

// Three in five of them within three hours of a change of offset, where the zone has any.
std::int64_t random_instant(Random& random, const Zone& zone);

bool near_transition(const Zone& zone, std::int64_t instant);

inline constexpr std::size_t kShapes = 40;
const std::array<const char*, kShapes>& grid_shapes();

}  // namespace oracle
