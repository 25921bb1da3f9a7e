// A machine on which all is right, and one illness at a time for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/doctor.h"

namespace cronce {

inline constexpr Time kExamined{std::chrono::sys_days{std::chrono::year{2026} / 6 / 1}};

DoctorFacts healthy_machine();

/// Changes the definition of its first job.
void redefine(DoctorFacts& facts, const std::function<void(Job&)>& change);
/// Its store cannot be used, and nothing is known of it.
void set_trouble(DoctorFacts& facts, StoreTrouble trouble);

struct Ill {
  std::string_view check;
  Gravity severity;
  std::string found;  // a part of it
  std::string remedy;
  std::function<void(DoctorFacts&)> fall_ill;
};

/// Each is found as the only thing on a machine that is right otherwise.
std::vector<Ill> all_ills();

}  // namespace cronce
