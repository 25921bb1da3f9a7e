#include "test/sim/tally.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

namespace cronce::sim {
namespace {

void add_each(const Trouble::Counts& from, Trouble::Counts& to) {
  std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
}

}  // namespace

void Tally::add(std::uint64_t seed, const Report& report) {
  ++seeds;
  events += report.events;
  course ^= report.hash;
  faults += report.faults;
  fewest_faults = std::min(fewest_faults, report.faults);
  add_each(report.troubles, troubles);
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
  excused.stood_still += report.excused.stood_still;
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
  fewest_faults = std::min(fewest_faults, other.fewest_faults);
  add_each(other.troubles, troubles);
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
  excused.stood_still += other.excused.stood_still;
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
      "{} seeds in {:.1f} s; per seed: {:.1f} nodes, {:.1f} simulated minutes, {:.1f} faults "
      "(none less than {}), {:.0f} slots, {:.0f} starts, {:.0f} events; {:.0f} seeds/s, {:.0f} "
      "events/s and core; "
      "course "
      "{:016x}\n",
      tally.seeds, seconds, per_seed(tally.nodes), per_seed(tally.minutes), per_seed(tally.faults),
      tally.fewest_faults, per_seed(tally.slots), per_seed(tally.starts), per_seed(tally.events),
      static_cast<double>(tally.seeds) / seconds,
      static_cast<double>(tally.events) / tally.cpu_seconds, tally.course);
}

bool print_reached(const Tally& tally) {
  bool all = true;
  for (std::size_t i = 0; i < tally.troubles.size(); ++i) {
    fmt::print("{:>10}  *** {}\n", tally.troubles[i], Trouble::name_of(i));
    all = all && tally.troubles[i] > 0;
  }
  for (std::size_t i = 0; i < kRareStates; ++i) {
    const auto state = static_cast<Rare>(i);
    fmt::print("{:>10}  {}\n", tally.rare.of(state), name_of(state));
    all = all && tally.rare.of(state) > 0;
  }
  fmt::print(
      "Excused second starts: {} of claims of dead nodes that were forgotten, {} in a restore "
      "that nobody had noticed yet, {} of requests that were forgotten, {} by guests whose clocks "
      "had stopped meanwhile. Rows of a wrong clock that "
      "nobody doubted: {}. Calm jobs of "
      "files in conflict: {}.\n",
      tally.excused.dead_node, tally.excused.unnoticed, tally.excused.request,
      tally.excused.stood_still, tally.excused.undoubted, tally.excused.conflict);
  if (!all) fmt::print("A state was never reached: the run has not tested it.\n");
  return all;
}

}  // namespace cronce::sim
