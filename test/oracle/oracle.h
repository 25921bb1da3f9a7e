// When does this cron expression fire in this zone under this rule? The slow answer.
//
// Every civil second that the zone's clocks show is looked at one after another, and so is every
// civil second that a gap left out. The only shortcuts: a civil day whose date does not match and
// a civil minute whose hour or minute does not match are passed over whole.
//
// It shares no code with the program: fields are parsed by expr.cc, offsets come from glibc
// (zone.cc). It answers within the years 1969 to 2109 and says nothing about others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "test/oracle/expr.h"
#include "test/oracle/zone.h"

namespace oracle {

enum class Gap { jump, skip };
enum class Fold { first, second, both };

// What a fixed-time expression does. A wildcard-hour expression ignores it: it fires at every
// instant whose civil time matches, and at no other.
struct Rule {
  Gap gap = Gap::jump;
  Fold fold = Fold::first;
};

// All slots with after < slot <= through, ascending.
std::vector<std::int64_t> slots(const Expr& expr, const Zone& zone, Rule rule, std::int64_t after,
                                std::int64_t through);

// Nothing when there is none before the end (after the beginning) of the known years.
std::optional<std::int64_t> first_after(const Expr& expr, const Zone& zone, Rule rule,
                                        std::int64_t t);
std::optional<std::int64_t> last_at_or_before(const Expr& expr, const Zone& zone, Rule rule,
                                              std::int64_t t);

}  // namespace oracle
