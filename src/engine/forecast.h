// What would become of a node's files if it started now: which jobs are new, changed or dropped,
// and what is owed of them.
//
// Pure: it judges the rows of a store by the same rules as the store's `enroll` and the engine's
// `owed`, and asks nobody. It does not know the generations that a store has counted, nor what
// others do in the next moment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/due.h"
#include "engine/event.h"

namespace cronce {

/// One job of the files, or one that they drop.
struct JobForecast {
  enum class Fate : std::uint8_t {
    created,
    unchanged,
    changed,
    returns,   // it was retired
    conflict,  // another source defines it otherwise: nothing of this source is taken
    leaves,    // the files name it no more, but another source does
    retired,   // nobody does
  };
  Fate fate = Fate::created;
  std::string source;
  Shared<Job> job;                     // as it will be; of a dropped one as it was
  std::vector<std::string> changes;    // keys of the job file, and `name`
  std::vector<std::string> others;     // the other sources that define it
  bool paused = false;                 // by the file, or by a person
  std::optional<DecideEntry> settles;  // what is owed now; none if nothing is
  std::optional<Time> next;            // the slot after that
};

/// Of a source as a whole.
struct SourceForecast {
  std::string source;
  std::string digest;
  std::optional<std::string> registered;  // the digest that the store has; none: it has none
  bool refused = false;                   // as a whole: a job of it conflicts
};

struct Forecast {
  std::vector<SourceForecast> sources;
  std::vector<JobForecast> jobs;  // as the files have them, then what they drop
};

/// `node` is the name under which it would start: of a job that runs everywhere its share counts.
Forecast forecast(const std::vector<Offered>& offers, const std::vector<JobRow>& rows,
                  const std::string& node, Time now);

/// The keys of the job file in which two definitions differ.
std::vector<std::string> changed_keys(const Job& before, const Job& after);

}  // namespace cronce
