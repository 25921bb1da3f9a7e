#include "test/sim/tally.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace cronce::sim {

void Tally::add(std::uint64_t seed, const Report& report) {
  ++seeds;
  events += report.events;
  course ^= report.hash;
  faults += report.faults;
  nodes += report.nodes;
  slots += report.slots;
  starts += report.starts;
  minutes += report.minutes;
  rare.add(report.rare);
  excused.dead_node += report.excused.dead_node;
  excused.undoubted += report.excused.undoubted;
  excused.conflict += report.excused.conflict;
  excused.request += report.excused.request;
  excused.unnoticed += report.excused.unnoticed;
  if (report.violations.empty()) return;
  const Violation& first = report.violations.front();
  fail(seed, first.invariant + ": " + first.what);
}

void Tally::fail(std::uint64_t seed, std::string_view text) {
  if (failed) return;
  failed = true;
  first_failed = seed;
  std::copy_n(text.begin(), std::min(text.size(), why.size() - 1), why.begin());
}

void Tally::add(const Tally& other) {
  seeds += other.seeds;
  events += other.events;
  course ^= other.course;
  faults += other.faults;
  nodes += other.nodes;
  slots += other.slots;
  starts += other.starts;
  minutes += other.minutes;
  cpu_seconds += other.cpu_seconds;
  rare.add(other.rare);
  excused.dead_node += other.excused.dead_node;
  excused.undoubted += other.excused.undoubted;
  excused.conflict += other.excused.conflict;
  excused.request += other.excused.request;
  excused.unnoticed += other.excused.unnoticed;
  if (!other.failed || (failed && first_failed < other.first_failed)) return;
  failed = true;
  first_failed = other.first_failed;
  why = other.why;
}

void print_averages(const Tally& tally, double seconds) {
  const auto per_seed = [&](auto sum) {
    return static_cast<double>(sum) / static_cast<double>(tally.seeds);
  };
  fmt::print(
      "{} seeds in {:.1f} s; per seed: {:.1f} nodes, {:.1f} simulated minutes, {:.1f} faults, "
      "{:.0f} slots, {:.0f} starts, {:.0f} events; {:.0f} seeds/s, {:.0f} events/s and core; "
      "course "
      "{:016x}\n",
      tally.seeds, seconds, per_seed(tally.nodes), per_seed(tally.minutes), per_seed(tally.faults),
      per_seed(tally.slots), per_seed(tally.starts), per_seed(tally.events),
      static_cast<double>(tally.seeds) / seconds,
      static_cast<double>(tally.events) / tally.cpu_seconds, tally.course);
}

bool print_rare(const Tally& tally) {
  bool all = true;
  for (std::size_t i = 0; i < kRareStates; ++i) {
    const auto state = static_cast<Rare>(i);
    fmt::print("{:>10}  {}\n", tally.rare.of(state), name_of(state));
    all = all && tally.rare.of(state) > 0;
  }
  fmt::print(
      "Excused second starts: {} of claims of dead nodes that were forgotten, {} in a restore "
      "that nobody had noticed yet, {} of requests that were forgotten. Rows of a wrong clock that "
      "nobody doubted: {}. Calm jobs of "
      "files in conflict: {}.\n",
      tally.excused.dead_node, tally.excused.unnoticed, tally.excused.request,
      tally.excused.undoubted, tally.excused.conflict);
  if (!all) fmt::print("A state was never reached: the run has not tested it.\n");
  return all;
}

}  // namespace cronce::sim
