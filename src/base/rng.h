// Seeded random numbers: the same seed gives the same sequence on every machine and compiler.
//
// xoshiro256** with splitmix64 for seeding. The standard distributions differ between libraries, so
// the few that are needed stand here. Not for secrets.
#pragma once

#include <array>
#include <cstdint>

namespace cronce {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();

  /// Evenly from [0, bound); bound is at least 1.
  std::uint64_t below(std::uint64_t bound);

  /// Evenly from [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);

  /// True in `percent` of a hundred cases.
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::array<std::uint64_t, 4> state_;
};

/// A seed that nobody can foresee, from the kernel.
std::uint64_t random_seed();

}  // namespace cronce
