#include "client/ahead.h"

#include "engine/due.h"

namespace cronce {

Ahead look_ahead(const JobRow& row, const Schedule& schedule, Time base) {
  Ahead ahead{base, first_slot(schedule, base), 0};
  // The stored next is the truth: it counts, whatever this program computes.
  const bool owes = row.plan.next && *row.plan.next <= base;
  if (owes) ahead.owed = 1 + schedule.count(*row.plan.next, base);
  return ahead;
}

}  // namespace cronce
