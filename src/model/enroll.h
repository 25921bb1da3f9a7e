// How the jobs of a source meet the rows of a store: what `enroll` of a store judges, and what is
// foretold of it before anybody asks.
#pragma once

#include <string>

#include "model/plan.h"

namespace cronce {

/// Whether a source other than this one defines it too.
bool has_other_source(const JobRow& row, const std::string& source);

/// Defined otherwise by another source.
bool conflicts(const JobRow& row, const std::string& source, const Job& job);

/// Whether the job begins anew at store time: with another schedule, when it comes back or had no
/// file, and when the file no longer pauses it, because what a pause covered is never caught up.
bool begins_anew(const JobRow& row, const Job& job);

/// The row that a job of a source will be: of its own name, or of the name that it had, unless that
/// is somebody's still. `find` gives the row of a name or none; `is_named` says whether the source
/// has a job of that name.
template <class Find, class IsNamed>
auto row_of(const std::string& source, const Job& job, const Find& find, const IsNamed& is_named) {
  auto* row = find(job.name);
  if (row != nullptr || !job.was) return row;
  auto* old = find(*job.was);
  const bool is_free = old != nullptr && !has_other_source(*old, source) && !is_named(*job.was);
  return is_free ? old : nullptr;
}

}  // namespace cronce
