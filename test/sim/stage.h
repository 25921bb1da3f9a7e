// What everything in a simulated world shares: time, chance, the witness, and the record of the
// course.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/rng.h"
#include "engine/trust.h"
#include "test/sim/agenda.h"
#include "test/sim/canary.h"
#include "test/sim/clocks.h"
#include "test/sim/rare.h"
#include "test/sim/witness.h"

namespace cronce::sim {

/// Who reads the trace of a world. Its words take longer than what they tell of.
enum class Reader : std::uint8_t { nobody, person, hash };

/// The kind, place and time of every event and order go into the hash, and the rows in the end: by
/// them two courses that are not the same nearly always differ. With every word of the trace in it
/// two runs are the same if their hashes are.
class Journal {
 public:
  explicit Journal(Reader reader) : reader_(reader) {}

  /// What reaches an engine.
  void event(std::uint64_t what, std::uint64_t where, std::uint64_t when) {
    ++events_;
    note(what, where, when);
  }
  /// What an engine orders.
  void note(std::uint64_t what, std::uint64_t where, std::uint64_t when) {
    for (const std::uint64_t word : {what, where, when}) mix(word);
  }
  void note(std::string_view words) {
    for (const char letter : words) mix(static_cast<unsigned char>(letter));
  }
  /// `text` is a function: it is not called unless somebody reads it.
  template <class Text>
  void line(Duration now, Text text) {
    if (reader_ == Reader::nobody) return;
    const std::string words = text();
    if (reader_ == Reader::hash) return note(words);
    std::fputs(fmt::format("{:>9.3f} {}\n", static_cast<double>(now.count()) / 1000, words).c_str(),
               stdout);
  }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t events() const { return events_; }

 private:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3U;
    hash_ ^= hash_ >> 29;
  }

  Reader reader_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
  std::uint64_t events_ = 0;
};

struct Stage {
  Stage(std::uint64_t seed, Canary planted, Reader reader)
      : rng(seed), clock(agenda), canary(planted), journal(reader) {}

  Duration now() const { return agenda.now(); }
  Duration random(std::int64_t low, std::int64_t high) { return Duration{rng.between(low, high)}; }
  template <class Text>
  void trace(Text text) {
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
