// The program's schedules beside the oracle's answers, case by case.
//
// Nothing here fails a test: a Tally says how many cases there were and how many differed, and the
// caller decides what is right. For the program as it is that is none; for a mutant, many.
#pragma once

#include <cstdint>
#include <vector>

#include "test/oracle/tally.h"
#include "test/oracle/zone.h"

namespace oracle {

// Random expressions, zones, rules and instants: the next slots, the last one, and their count.
Tally compare_random(const std::vector<Zone>& zones, std::uint64_t seed, std::uint64_t cases);

// count() over windows of up to a fortnight against the length of the oracle's list.
Tally compare_counts(const std::vector<Zone>& zones, std::uint64_t seed, std::uint64_t cases);

// Every zone, every transition of 1970 to 2037, every shape: all slots around the transition. The
// default rule for all forty shapes, the five other rules for every fifth of them. In release 2026f
// of the tz database 447 zones have 20,496 such transitions, with the 151 links 30,128.
Tally compare_grid(const std::vector<Zone>& zones);

}  // namespace oracle
