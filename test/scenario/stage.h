// What everything in a scenario shares: time, the judge, and the trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/trust.h"
#include "test/scenario/agenda.h"
#include "test/scenario/elapsed.h"
#include "test/scenario/judge.h"

namespace cronce::scenario {

/// The leases of the protocol's table.
inline constexpr LeaseSettings kLease60{Duration{60'000}, Duration{5'000}, Duration{3'000},
                                        Duration{3'000}};
inline constexpr LeaseSettings kLease15{Duration{15'000}, Duration{3'000}, Duration{2'000},
                                        Duration{3'000}};
inline constexpr LeaseSettings kLease5{Duration{5'000}, Duration{1'000}, Duration{1'000},
                                       Duration{1'000}};

struct Stage {
  Duration now() const { return agenda.now(); }
  Duration since_begin(Time time) const { return time - begin; }

  /// A line of the trace: when, who, what.
  void say(std::string_view who, const std::string& what);
  /// A line without a time.
  void note(const std::string& what) { lines.push_back(in_elapsed(what, begin)); }

  Agenda agenda;
  Time begin{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  StoreClock clock{agenda, begin};
  LeaseSettings lease = kLease15;
  Judge judge;
  bool hints = true;
  bool quiet = false;
  std::vector<std::string> lines;  // of the block that is running
};

}  // namespace cronce::scenario
