// How many cases were compared and how many of them differed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace oracle {

struct Tally {
  std::uint64_t cases = 0;
  std::uint64_t near = 0;   // cases that start within three hours of a transition
  std::uint64_t slots = 0;  // that the oracle found
  std::uint64_t differing = 0;
  std::vector<std::string> examples;  // the first twenty differing cases, in words

  void differ(std::string example);
  void add(const Tally& other);
};

// Runs body(0) to body(count - 1) on two threads, each with a tally of its own, and adds those up.
// A body that throws (the program refused a valid expression) is a differing case.
Tally share_out(std::uint64_t count, const std::function<void(std::uint64_t, Tally&)>& body);

}  // namespace oracle
