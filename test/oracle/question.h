// One expression in one zone under one rule, put to both: the program's Schedule beside the
// oracle's Expr. The only place where the two meet; the oracle itself knows nothing of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "test/oracle/oracle.h"

namespace oracle {

struct Question {
  // Throws std::runtime_error with the program's message when the program refuses the expression.
  Question(const std::string& expr_text, const Zone& in_zone, Rule under_rule);

  std::vector<std::int64_t> expected(std::int64_t after, std::int64_t through) const;

  // `'30 2 * * *' in Europe/Berlin (gap jump, fold first): WHAT 2026-03-29T01:00:00Z`
  std::string words(const char* what, std::int64_t t) const;

  Expr expr;
  const Zone& zone;
  Rule rule;
  cronce::Schedule schedule;
};

cronce::Time as_time(std::int64_t instant);

std::string words(std::optional<cronce::Time> time);
std::string words(std::optional<std::int64_t> instant);

// A difference, for a person.
std::string disagreement(const std::string& question, const std::string& program,
                         const std::string& oracle);

}  // namespace oracle
