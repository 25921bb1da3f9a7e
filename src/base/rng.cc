#include "base/rng.h"

#include <sys/random.h>

#include <bit>

#include "base/check.h"

namespace cronce {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) : state_{} {
  for (auto& word : state_) word = splitmix(seed);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  CHECK(bound > 0);
  // Numbers above the largest multiple of bound would make small results likelier.
  const std::uint64_t excess = (0 - bound) % bound;
  std::uint64_t drawn = next();
  while (drawn < excess) drawn = next();
  return drawn % bound;
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high) {
  CHECK(low <= high);
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t step = span == 0 ? next() : below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step);
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  CHECK(getrandom(&seed, sizeof seed, 0) == static_cast<ssize_t>(sizeof seed));
  return seed;
}

}  // namespace cronce
