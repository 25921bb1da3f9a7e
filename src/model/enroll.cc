#include "model/enroll.h"

namespace cronce {

bool has_other_source(const JobRow& row, const std::string& source) {
  return row.sources->size() > row.sources->count(source);
}

bool conflicts(const JobRow& row, const std::string& source, const Job& job) {
  return has_other_source(row, source) && !(row.definition == job);
}

bool begins_anew(const JobRow& row, const Job& job) {
  const bool resumes = row.definition->paused && !job.paused;
  const bool moves = row.definition->everywhere != job.everywhere;
  return row.retired() || row.only_exec || resumes || moves ||
         !(row.definition->schedule == job.schedule);
}

}  // namespace cronce
