// What everything in a simulated world shares: time, chance, the witness, and the record of the
// course.
#pragma once

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "base/rng.h"
#include "engine/trust.h"
#include "test/sim/agenda.h"
#include "test/sim/canary.h"
#include "test/sim/clocks.h"
#include "test/sim/rare.h"
#include "test/sim/witness.h"

namespace cronce::sim {

/// Every event and every order goes into the hash: two runs of a seed are the same if their hashes
/// are.
class Journal {
 public:
  explicit Journal(bool traces) : traces_(traces) {}

  /// What reaches an engine.
  void event(std::uint64_t what, std::uint64_t where, std::uint64_t when) {
    ++events_;
    note(what, where, when);
  }
  /// What an engine orders.
  void note(std::uint64_t what, std::uint64_t where, std::uint64_t when) {
    for (const std::uint64_t word : {what, where, when}) {
      hash_ = (hash_ ^ word) * 0x100000001b3U;
      hash_ ^= hash_ >> 29;
    }
  }
  /// `text` is a function: it is not called unless somebody reads it.
  template <class Text>
  void line(Duration now, Text text) const {
    if (!traces_) return;
    const std::string words = text();
    std::fputs(fmt::format("{:>9.3f} {}\n", static_cast<double>(now.count()) / 1000, words).c_str(),
               stdout);
  }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t events() const { return events_; }

 private:
  bool traces_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
  std::uint64_t events_ = 0;
};

struct Stage {
  Stage(std::uint64_t seed, Canary planted, bool traces)
      : rng(seed), clock(agenda), canary(planted), journal(traces) {}

  Duration now() const { return agenda.now(); }
  Duration random(std::int64_t low, std::int64_t high) { return Duration{rng.between(low, high)}; }
  template <class Text>
  void trace(Text text) const {
    journal.line(agenda.now(), text);
  }

  Agenda agenda;
  Rng rng;
  StoreClock clock;
  Canary canary;
  Journal journal;
  Witness witness;
  RareCounts rare;
  LeaseSettings lease;
  bool store_away = false;
  bool calm = false;        // nothing goes wrong any more
  bool walls_right = true;  // all wall clocks but one, at any time
};

}  // namespace cronce::sim
