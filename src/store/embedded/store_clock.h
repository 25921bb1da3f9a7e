// What time it is in a step of a store that judges in the asker's process.
#pragma once

#include "store/embedded/tables.h"

namespace cronce::embedded {

struct Moment {
  Time now{};
  bool disputed =
      false;  // clocks disagree, and the asker's is not one to go by: it decides nothing
};

class StoreClock {
 public:
  virtual ~StoreClock() = default;
  /// Asked inside the step: the tables are what is known in it. The asker may be a person.
  virtual Moment now(const Tables& tables, const Incarnation& asker) const = 0;
};

}  // namespace cronce::embedded
