// What a range of seeds came to, small enough to be sent from a process to its parent as it is.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "test/sim/world.h"

namespace cronce::sim {

struct Tally {
  std::uint64_t seeds = 0;
  std::uint64_t events = 0;
  std::uint64_t course = 0;  // the hashes of all seeds: the same if nothing happens otherwise
  std::uint64_t faults = 0;
  std::uint64_t fewest_faults = std::numeric_limits<std::uint64_t>::max();  // of a seed
  Trouble::Counts troubles{};
  std::uint64_t nodes = 0;
  std::uint64_t slots = 0;
  std::uint64_t starts = 0;
  double minutes = 0;
  double cpu_seconds = 0;
  RareCounts rare;
  Excused excused;
  bool failed = false;
  std::uint64_t first_failed = 0;
  std::array<char, 400> why{};

  void add(std::uint64_t seed, const Report& report);
  void add(const Tally& other);
  /// The first one counts.
  void fail(std::uint64_t seed, std::string_view text);
};

/// Averages per seed, events per second and core.
void print_averages(const Tally& tally, double seconds);
/// The troubles and the rare states. False if one of them never came.
bool print_reached(const Tally& tally);

}  // namespace cronce::sim
